/*
 * The stage of an inspect job: what a teacher that may not read the reference may ask of it
 * (docs/format/job.md, ask.json). Either how it behaves on inputs of the asker's choice, as
 * summaries of its outputs, or its instructions without names. Data of judged cases is never used:
 * the inputs are drawn from this job's own seed.
 */
#ifndef FORGE_WORKER_INSPECT_H
#define FORGE_WORKER_INSPECT_H

struct err;
struct worker;

/* Records "inspection". A question that has no answer is one: {"refused": why}. */
int inspect_run(struct worker *w, struct err *e);

#endif
