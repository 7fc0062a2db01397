/*
 * The order of the course: which row comes next, what it is applied to, what counts as accepted.
 * Pure: a curriculum and the state's fates in, an answer out.
 */
#ifndef FORGE_ENGINE_COURSE_H
#define FORGE_ENGINE_COURSE_H

#include <stdbool.h>
#include <stddef.h>

struct curriculum;
struct decision;
struct milestone;
struct run_state;
struct state_curriculum;
struct state_decision;

struct course_row {
	size_t milestone; /* index */
	const struct milestone *m;
	const struct decision *d;
};

/* The next row for the student. False: none is ready (all settled, or blocked by rows that were
 * rolled back). */
bool course_next(const struct run_state *s, const struct curriculum *c, struct course_row *next);
/* The round whose kernel the next row is applied to; 0: the start. */
unsigned course_base(const struct run_state *s, const struct curriculum *c);
/* Kept, and its atomic group whole so far. */
bool course_is_accepted(const struct run_state *s, const struct curriculum *c,
			const struct decision *d);
/* The last round about a row of this milestone; 0: none. */
unsigned course_last_round(const struct run_state *s, const char *milestone);
/* Pending, and never ready: a row that it needs was not accepted, or its group has lost one. */
bool course_is_blocked(const struct run_state *s, const struct curriculum *c,
		       const struct decision *d);
/* State of a row of the newest version, or NULL. */
const struct state_decision *course_state(const struct run_state *s, const char *id);

/* Which rows of the version in force keep their fate under `next`: those up to the first one, in
 * the order of their rounds, that changed the kernel and is not in `next` as it was. Calls `keep`
 * for each row of `next` that is reused. */
typedef void (*course_keep_fn)(void *ctx, const struct state_decision *old);
void course_reuse(const struct state_curriculum *old, const struct curriculum *next,
		  course_keep_fn keep, void *ctx);

#endif
