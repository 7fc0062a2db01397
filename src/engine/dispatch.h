/*
 * The dispatch kernel (docs/decision/0009): where different kernels of a run win at different
 * shapes, forge writes one file that holds them behind one entry. It has a round of its own, is
 * judged, screened and decided like any candidate, and is confirmed if it becomes the best.
 */
#ifndef FORGE_ENGINE_DISPATCH_H
#define FORGE_ENGINE_DISPATCH_H

struct agent_answer;
struct engine;
struct err;

/* Consider it once, when the student's loop has ended, and take its round to its end. The control
 * arm has none. */
int dispatch_go(struct engine *g, struct err *e);
/* What dispatch_considered tells, as a source; `answer` is filled like a student's. */
int dispatch_write(struct engine *g, struct agent_answer *answer, struct err *e);
/* Working seconds that are to be kept for it in the student's loop; 0: it would not pay now. */
double dispatch_reserve_s(const struct engine *g);

#endif
