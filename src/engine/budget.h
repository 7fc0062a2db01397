/*
 * What ends turns and the student's loop: working time, and what agents used (money, tokens,
 * requests, tool calls) - of the run, of a role, of a milestone, each with its own limits
 * (model/limits.h). Usage ends a turn at the next call. A slice of the run's time is kept back for
 * confirm and report, so that the best verified result is always confirmed, whatever is used up.
 */
#ifndef FORGE_ENGINE_BUDGET_H
#define FORGE_ENGINE_BUDGET_H

#include <jansson.h>
#include <stdbool.h>

struct engine;
struct err;
struct str;
struct usage;

/* Whose turn it is: the limits of the run, of its role and of its milestone hold for it. */
struct budget_of {
	const char *role;
	const char *milestone; /* "": none asked for the turn */
};

/* Working seconds the loop has left, the reserve already taken off; negative: none. */
double budget_left_s(const struct engine *g);
double budget_reserve_s(const struct engine *g);
/* The same without the part of the reserve that is kept for a dispatch kernel. */
double budget_left_to_confirm_s(const struct engine *g);
/* Has the student's loop begun and used up its time? The reserve is left even then. */
bool budget_is_over(const struct engine *g);
/* Deadlines inside the loop end with it, so that neither an agent nor a candidate eats the reserve;
 * a job still gets a few times what it is expected to take. Outside the loop `usual` stands. A turn
 * ends with the hours of its role and milestone, too. */
double budget_job_deadline_s(const struct engine *g, double usual, double expected);
double budget_turn_deadline_s(const struct engine *g, const struct budget_of *of, double usual);
/* Whose turn one with this purpose is. */
struct budget_of budget_of_turn(const struct engine *g, const char *role, const char *purpose);
/* Is a limit that holds for the turn used up, with `more` beside what the state holds? Then `why`
 * says which, and by how much too much was used. */
bool budget_is_spent(const struct engine *g, const struct budget_of *of, const struct usage *more,
		     struct str *why);
/* The same of the hours of role and milestone alone, which agents that cost nothing have, too. */
bool budget_is_late(const struct engine *g, const struct budget_of *of, struct str *why);
/* What is left of each limit that holds for the turn, as the model is told it: {"requests": 3,
 * "usd": 0.4}; and "note" in words where little is left. NULL: nothing is limited. */
json_t *budget_left(const struct engine *g, const struct budget_of *of, const struct usage *more);
/* An event when half, four fifths, and all of a budget are used up; each once. */
int budget_warn(struct engine *g, struct err *e);
/* NULL, or why another round may not begin; the text lives in `why`. */
const char *budget_end(const struct engine *g, struct str *why);

#endif
