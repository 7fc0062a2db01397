/*
 * The student's loop ends by working time, money or tokens. A slice of the time is kept back for
 * confirm and report, so that the best verified result is always confirmed.
 */
#ifndef FORGE_ENGINE_BUDGET_H
#define FORGE_ENGINE_BUDGET_H

struct engine;
struct str;

/* Working seconds the loop has left, the reserve already taken off; negative: none. */
double budget_left_s(const struct engine *g);
double budget_reserve_s(const struct engine *g);
/* NULL, or why another round may not begin; the text lives in `why`. */
const char *budget_end(const struct engine *g, struct str *why);

#endif
