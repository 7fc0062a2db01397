/*
 * Tolerances: one pair per (group, output), made by judge/calibrate.h once, before the first
 * candidate, and frozen as check/tolerances.json (docs/format/tolerances.md). They come from the
 * original reference or from a leaderboard's rule, and never from a candidate.
 */
#ifndef FORGE_JUDGE_TOLERANCE_H
#define FORGE_JUDGE_TOLERANCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "model/dtype.h"

struct err;
struct task;

/* Zero is exact: integers and bools. */
struct tolerance {
	double slice;
	double tensor;
	/* A leaderboard's: an element is right when |got - want| <= absolute + relative * |want|,
	 * and the two above say nothing. */
	bool is_origin;
	double relative;
	double absolute;
};

struct tolerance_row {
	const char *group;
	const char *output;
	enum dtype dtype;
	struct tolerance tol;
	struct tolerance reference; /* the reference's largest errors, for the record */
};

struct tolerances {
	struct arena arena;
	struct tolerance_row *rows;
	size_t nr;
	size_t cap;
	const char *reference; /* SHA-256 of the source they were made from; NULL: not known */
};

/* 2 x max(reference's error, floor of the dtype); exact types get 0. */
struct tolerance tolerance_of(enum dtype dtype, struct tolerance reference);
/* False: the task is no leaderboard, or states nothing for this output. */
bool tolerance_of_origin(const struct task *t, const char *output, struct tolerance *out);

/* The row of (group, output), made when new; good until the next call. */
struct tolerance_row *tolerances_row(struct tolerances *t, const char *group, const char *output);
/* NULL when there is none. */
const struct tolerance *tolerances_find(const struct tolerances *t, const char *group,
					const char *output);
void tolerances_release(struct tolerances *t);
#define AUTO_TOLERANCES __attribute__((cleanup(tolerances_release)))

/* {"version": 1, "outputs": [{"group": .., "output": .., "dtype": .., "tol_slice": ..,
 * "tol_tensor": .., "reference_slice": .., "reference_tensor": ..}]}; a leaderboard's have "rtol"
 * and "atol" instead of the "tol_" pair. */
json_t *tolerances_to_json(const struct tolerances *t);
/* Does every row follow the rule that the task asks for: the origin's own numbers on a leaderboard,
 * measured ones elsewhere? */
int tolerances_check_task(const struct tolerances *t, const struct task *task, const char *doc,
			  struct err *e);
int tolerances_from_json(struct tolerances *t, const json_t *json, const char *doc, struct err *e);

#endif
