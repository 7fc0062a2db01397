/*
 * Why the student falls short of the goal, row by row, read off the recorded trajectory: either the
 * curriculum has a gap or the student failed (model/diagnoses.def). Nothing is judged by taste; the
 * rules are in docs/format/teacher-digest.md.
 */
#ifndef FORGE_ENGINE_DIAGNOSE_H
#define FORGE_ENGINE_DIAGNOSE_H

struct engine;
struct err;

/* Record the diagnosis for the teacher's entry `number`, or, with 0, for the end of the loop; not
 * again while no round and no version has come since. */
int diagnose(struct engine *g, unsigned number, struct err *e);

#endif
