/*
 * What becomes of a round's kernel: whether it is the new best, and what that makes of its row.
 */
#ifndef FORGE_ENGINE_FATE_H
#define FORGE_ENGINE_FATE_H

#include "store/fold.h"

struct engine;
struct err;

/* Speed-up of the best so far; 1 while there is none. */
double fate_best_speedup(const struct engine *g);
/* Make the kernel the best when K=8 called it FASTER than the reference and its median is above the
 * old best's. Writes best/ in any case. Exactly once, however often it is called. */
int fate_promote(struct engine *g, unsigned number, struct err *e);
/* By what is recorded about the round now; call after fate_promote. */
enum decision_fate fate_of_round(const struct engine *g, unsigned number);
enum round_outcome fate_outcome(enum decision_fate fate);

#endif
