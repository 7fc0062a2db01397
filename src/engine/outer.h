/*
 * The outer loop: when the teacher comes back, what it is shown, and its revision.
 */
#ifndef FORGE_ENGINE_OUTER_H
#define FORGE_ENGINE_OUTER_H

#include <stdbool.h>

struct engine;
struct err;
struct run_state;

/* "exhausted", "gate" or "stall" when the teacher should come back now, else NULL. `is_exhausted`:
 * no row is ready. */
const char *outer_trigger(const struct engine *g, bool is_exhausted);
/* Is the best, as decided, as fast as the goal asks? */
bool outer_is_goal_reached(const struct run_state *s);
/* One entry of the teacher, from wherever it was left. */
int outer_enter(struct engine *g, const char *trigger, struct err *e);
/* Is an entry under way (forge died in it)? Then its trigger, else NULL. */
const char *outer_open(const struct engine *g);

#endif
