#include "model/leaderboard.h"

/* Only what is measured and judged exactly as the origin does is taken on. What it does beyond that
 * (a share of elements that may be wrong, another comparison, a statistic that is not listed) is an
 * unknown key or value, so an error: a rule of ours in the origin's name would be a false number.
 */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/task.h"

enum { MAX_WARMUPS = 1000, MAX_REPEATS = 10000 };

struct raw_board {
	const char *name;
	const char *origin;
};
struct raw_tolerance {
	const char *output;
	double relative;
	double absolute;
};
struct raw_timing {
	const char *operands;
	const char *statistic;
	const char *across;
	int64_t warmups;
	int64_t repeats;
};

/* Keys of the reference are read by the loader of the task (model/task.c). */
static const struct toml_field board_fields[] = {
	TOML_NEEDED("name", TEXT, raw_board, name),
	TOML_NEEDED("origin", TEXT, raw_board, origin),
	TOML_NESTED("run"),
	TOML_NESTED("source"),
	TOML_NESTED("build"),
	TOML_NESTED("deny"),
	TOML_NESTED("tolerance"),
	TOML_NESTED("timing"),
};
static const struct toml_field tolerance_fields[] = {
	TOML_NEEDED("output", TEXT, raw_tolerance, output),
	TOML_NEEDED("rtol", REAL, raw_tolerance, relative),
	TOML_NEEDED("atol", REAL, raw_tolerance, absolute),
};
static const struct toml_field timing_fields[] = {
	TOML_NEEDED("operands", TEXT, raw_timing, operands),
	TOML_NEEDED("warmups", INT, raw_timing, warmups),
	TOML_NEEDED("repeats", INT, raw_timing, repeats),
	TOML_NEEDED("statistic", TEXT, raw_timing, statistic),
	TOML_NEEDED("across", TEXT, raw_timing, across),
};
static const struct toml_section board_section = TOML_SECTION("[leaderboard]", board_fields);
static const struct toml_section tolerance_section =
	TOML_SECTION("[[leaderboard.tolerance]]", tolerance_fields);
static const struct toml_section timing_section =
	TOML_SECTION("[leaderboard.timing]", timing_fields);

static const char *const statistic_names[LEADERBOARD_STATISTIC_NR] = {
	[LEADERBOARD_MEAN] = "mean",
	[LEADERBOARD_MEDIAN] = "median",
	[LEADERBOARD_MIN] = "min",
	[LEADERBOARD_GEOMEAN] = "geomean",
};

const char *leaderboard_statistic_name(enum leaderboard_statistic s)
{
	return statistic_names[s];
}

static int by_size(const void *a, const void *b)
{
	double left = *(const double *)a;
	double right = *(const double *)b;
	return (left > right) - (left < right);
}

static double mean_of(const double *values, size_t nr, bool is_log)
{
	double mean = 0;
	for (size_t i = 0; i < nr; i++)
		mean += ((is_log ? log(values[i]) : values[i]) - mean) / (double)(i + 1);
	return is_log ? exp(mean) : mean;
}

double leaderboard_summary(enum leaderboard_statistic s, double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), by_size);
	if (s == LEADERBOARD_MIN)
		return values[0];
	if (s == LEADERBOARD_MEDIAN)
		return (values[(nr - 1) / 2] + values[nr / 2]) / 2;
	return mean_of(values, nr, s == LEADERBOARD_GEOMEAN);
}

const struct leaderboard_tolerance *leaderboard_find(const struct leaderboard *b,
						     const char *output)
{
	for (size_t i = 0; i < b->nr_tolerances; i++)
		if (str_equal(b->tolerances[i].output, output))
			return &b->tolerances[i];
	return NULL;
}

void leaderboard_rule_print(const struct leaderboard *b, struct str *out)
{
	str_addf(out, "%s operands, %u call%s first, %s of %u, %s over shapes",
		 b->is_cold ? "cold" : "warm", b->warmups, b->warmups == 1 ? "" : "s",
		 leaderboard_statistic_name(b->statistic), b->repeats,
		 leaderboard_statistic_name(b->across));
}

static const struct arg *find_output(const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (str_equal(t->args[i].name, name) && arg_is_output(&t->args[i]))
			return &t->args[i];
	return NULL;
}

static int check_tolerance(struct toml_loader *l, const struct toml *at, const struct task *t,
			   const struct leaderboard *b, const struct raw_tolerance *raw)
{
	const struct arg *arg = find_output(t, raw->output);
	if (!arg)
		return toml_fail_at(l, toml_get(at, "output"),
				    "%s is no output of the task; name an argument whose role is "
				    "out or inout",
				    raw->output);
	if (!dtype_is_float(arg->dtype))
		return toml_fail_at(
			l, at, "output %s is %s, which is judged exactly; remove its tolerance",
			raw->output, dtype_name(arg->dtype));
	if (leaderboard_find(b, raw->output))
		return toml_fail_at(l, at, "output %s has a tolerance already; keep one",
				    raw->output);
	if (!(raw->relative >= 0 && raw->absolute >= 0) || isinf(raw->relative) ||
	    isinf(raw->absolute))
		return toml_fail_at(l, at,
				    "rtol and atol are numbers from 0; give those that the "
				    "origin states");
	return 0;
}

static int load_tolerances(struct toml_loader *l, const struct toml *table, struct task *t,
			   struct leaderboard *b)
{
	const struct toml *list = toml_get(table, "tolerance");
	size_t nr = list && list->type == TOML_ARRAY ? list->nr_items : 0;
	b->tolerances = arena_array(l->arena, nr + 1, sizeof(*b->tolerances));
	for (size_t i = 0; i < nr; i++) {
		struct raw_tolerance raw = { 0 };
		if (toml_read_fields(l, &tolerance_section, list->items[i], &raw) < 0 ||
		    check_tolerance(l, list->items[i], t, b, &raw) < 0)
			return -1;
		b->tolerances[b->nr_tolerances++] =
			(struct leaderboard_tolerance){ raw.output, raw.relative, raw.absolute };
	}
	for (size_t i = 0; i < t->nr_args; i++)
		if (arg_is_output(&t->args[i]) && dtype_is_float(t->args[i].dtype) &&
		    !leaderboard_find(b, t->args[i].name))
			return toml_fail_at(l, list ? list : table,
					    "output %s has no tolerance; add a "
					    "[[leaderboard.tolerance]] with the origin's rtol and "
					    "atol",
					    t->args[i].name);
	return 0;
}

/* One of the statistics `allowed`; -1 ends the list. */
static int read_statistic(struct toml_loader *l, const struct toml *at, const char *text,
			  const int *allowed, enum leaderboard_statistic *out)
{
	AUTO_STR struct str known = STR_INIT;
	for (; *allowed >= 0; allowed++) {
		*out = (enum leaderboard_statistic) * allowed;
		if (str_equal(statistic_names[*allowed], text))
			return 0;
		str_addf(&known, " %s", statistic_names[*allowed]);
	}
	return toml_fail_at(l, at, "\"%s\" is not measured by this version; it can be:%s", text,
			    known.text);
}

static int check_timing(struct toml_loader *l, const struct toml *table,
			const struct raw_timing *raw)
{
	if (!str_equal(raw->operands, "warm") && !str_equal(raw->operands, "cold"))
		return toml_fail_at(l, toml_get(table, "operands"),
				    "operands = \"%s\"; they are \"warm\" or \"cold\"",
				    raw->operands);
	if (raw->warmups < 0 || raw->warmups > MAX_WARMUPS)
		return toml_fail_at(l, toml_get(table, "warmups"), "warmups must be 0 to %d",
				    MAX_WARMUPS);
	if (raw->repeats < 1 || raw->repeats > MAX_REPEATS)
		return toml_fail_at(l, toml_get(table, "repeats"), "repeats must be 1 to %d",
				    MAX_REPEATS);
	return 0;
}

static int load_timing(struct toml_loader *l, const struct toml *table, struct leaderboard *b)
{
	static const int of_repeats[] = { LEADERBOARD_MEAN, LEADERBOARD_MEDIAN, LEADERBOARD_MIN,
					  -1 };
	static const int of_shapes[] = { LEADERBOARD_MEAN, LEADERBOARD_GEOMEAN, -1 };
	struct raw_timing raw = { 0 };
	const struct toml *timing = toml_get(table, "timing");
	if (!timing)
		return toml_fail_at(l, table,
				    "[leaderboard] has no timing; add a [leaderboard.timing] with "
				    "the origin's rule");
	if (toml_read_fields(l, &timing_section, timing, &raw) < 0 ||
	    check_timing(l, timing, &raw) < 0 ||
	    read_statistic(l, toml_get(timing, "statistic"), raw.statistic, of_repeats,
			   &b->statistic) < 0 ||
	    read_statistic(l, toml_get(timing, "across"), raw.across, of_shapes, &b->across) < 0)
		return -1;
	b->is_cold = str_equal(raw.operands, "cold");
	b->warmups = (unsigned)raw.warmups;
	b->repeats = (unsigned)raw.repeats;
	return 0;
}

int leaderboard_load(struct toml_loader *l, const struct toml *table, struct task *t)
{
	struct raw_board raw = { 0 };
	struct leaderboard *b = arena_array(l->arena, 1, sizeof(*b));
	if (toml_read_fields(l, &board_section, table, &raw) < 0)
		return -1;
	b->name = raw.name;
	b->origin = raw.origin;
	if (load_tolerances(l, table, t, b) < 0 || load_timing(l, table, b) < 0)
		return -1;
	t->leaderboard = b;
	return 0;
}
