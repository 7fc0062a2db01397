/*
 * The [leaderboard] of a task: whose problem it is, and the origin's own rules for right and fast.
 * They are taken as they stand: the tolerance is not calibrated, and the origin's number is
 * reported beside the paired measurement and never in its place (docs/format/task.md).
 */
#ifndef FORGE_MODEL_LEADERBOARD_H
#define FORGE_MODEL_LEADERBOARD_H

#include <stdbool.h>
#include <stddef.h>

struct str;
struct task;
struct toml;
struct toml_loader;

/* Of several times, and of the times of several shapes. */
enum leaderboard_statistic {
	LEADERBOARD_MEAN,
	LEADERBOARD_MEDIAN,
	LEADERBOARD_MIN,
	LEADERBOARD_GEOMEAN,
	LEADERBOARD_STATISTIC_NR
};

/* An element is right when |got - want| <= absolute + relative * |want|. */
struct leaderboard_tolerance {
	const char *output;
	double relative;
	double absolute;
};

struct leaderboard {
	const char *name;
	const char *origin; /* where it comes from: an address or a sentence */
	struct leaderboard_tolerance *tolerances;
	size_t nr_tolerances;
	bool is_cold;     /* operands: their lines are flushed before every call */
	unsigned warmups; /* calls before the first that counts */
	unsigned repeats; /* calls that count, each timed alone */
	enum leaderboard_statistic statistic; /* over the repeats: mean, median or min */
	enum leaderboard_statistic across;    /* over shapes: mean or geomean */
};

const char *leaderboard_statistic_name(enum leaderboard_statistic s);
/* One number of many; they are sorted on the way. `nr` is at least 1. */
double leaderboard_summary(enum leaderboard_statistic s, double *values, size_t nr);
/* NULL: the origin states none, as for integers. */
const struct leaderboard_tolerance *leaderboard_find(const struct leaderboard *b,
						     const char *output);
/* "warm operands, 3 calls first, mean of 50, geomean over shapes". */
void leaderboard_rule_print(const struct leaderboard *b, struct str *out);

/* Read the table into t->leaderboard; t->args are there. An error names line and column. */
int leaderboard_load(struct toml_loader *l, const struct toml *table, struct task *t);

#endif
