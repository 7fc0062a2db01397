/*
 * The student's loop ends by working time, or by what agents used: money, tokens, requests, tool
 * calls. The latter also end a turn, at the next call. A slice of the time is kept back for
 * confirm and report, so that the best verified result is always confirmed.
 */
#ifndef FORGE_ENGINE_BUDGET_H
#define FORGE_ENGINE_BUDGET_H

#include <stdbool.h>

struct engine;
struct err;
struct str;
struct usage;

/* Working seconds the loop has left, the reserve already taken off; negative: none. */
double budget_left_s(const struct engine *g);
double budget_reserve_s(const struct engine *g);
/* The same without the part of the reserve that is kept for a dispatch kernel. */
double budget_left_to_confirm_s(const struct engine *g);
/* Has the student's loop begun and used up its time? The reserve is left even then. */
bool budget_is_over(const struct engine *g);
/* Deadlines inside the loop end with it, so that neither an agent nor a candidate eats the reserve;
 * a job still gets a few times what it is expected to take. Outside the loop `usual` stands. */
double budget_job_deadline_s(const struct engine *g, double usual, double expected);
double budget_turn_deadline_s(const struct engine *g, double usual);
/* Is what agents may use (money, tokens, requests, tool calls) used up, with `more` beside what the
 * state holds? Then `why` says which, and by how much too much was used. */
bool budget_is_spent(const struct engine *g, const struct usage *more, struct str *why);
/* An event when half, four fifths, and all of a budget are used up; each once. */
int budget_warn(struct engine *g, struct err *e);
/* NULL, or why another round may not begin; the text lives in `why`. */
const char *budget_end(const struct engine *g, struct str *why);

#endif
