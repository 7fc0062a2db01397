/*
 * The jobs of a round's candidate: K=2 screens it, K=8 decides about it. Verdict and estimate of
 * each are recorded. A source that was measured before takes its numbers from then.
 */
#ifndef FORGE_ENGINE_MEASURE_H
#define FORGE_ENGINE_MEASURE_H

struct engine;
struct err;

/* Judge and screen the candidate of round `number`; what is recorded is not done again. */
int measure_screen(struct engine *g, unsigned number, struct err *e);
/* Time it by K=8. A candidate that is found wrong after all gets its new verdict and no estimate.
 */
int measure_decide(struct engine *g, unsigned number, struct err *e);
/* After one of them returned -1. 0: one job failed where others work; a warning says so and the
 * run goes on without what is `lost`, in words. -1: the error stands. */
int measure_bear_failure(struct engine *g, unsigned number, const char *lost, struct err *e);

#endif
