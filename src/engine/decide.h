/*
 * Decisions by K=8 (docs/decision/0005): rounds are only screened when they close, and the rows
 * since the last decision share one. It falls due where somebody acts on the best: when a milestone
 * is left, before the teacher is called, when the loop ends. Which kernel is decided follows from
 * the log alone.
 */
#ifndef FORGE_ENGINE_DECIDE_H
#define FORGE_ENGINE_DECIDE_H

#include <stdbool.h>

struct engine;
struct err;

/* The round whose kernel is decided next, were a decision due now; 0: none is worth it. */
unsigned decide_pick(const struct engine *g);
/* Is a kernel worth deciding that belongs to another milestone than this one? */
bool decide_is_left_behind(const struct engine *g, const char *milestone);
/* A decision that was begun and not recorded (forge died in it); 0: none. */
unsigned decide_unfinished(const struct engine *g);
/* Decide about this round's kernel, promote it where it is the new best, record which rounds are
 * settled by it. */
int decide_go(struct engine *g, unsigned number, struct err *e);

#endif
