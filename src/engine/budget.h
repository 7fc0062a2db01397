/*
 * The student's loop ends by working time, money or tokens. A slice of the time is kept back for
 * confirm and report, so that the best verified result is always confirmed.
 */
#ifndef FORGE_ENGINE_BUDGET_H
#define FORGE_ENGINE_BUDGET_H

#include <stdbool.h>

struct engine;
struct err;
struct str;

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
/* An event when half, and when four fifths of a budget are used up; each once. */
int budget_warn(struct engine *g, struct err *e);
/* NULL, or why another round may not begin; the text lives in `why`. */
const char *budget_end(const struct engine *g, struct str *why);

#endif
