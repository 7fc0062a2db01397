#include "report/comparison.h"

/* Two intervals over the same reference give one of their ratio that is at least as wide as the
 * truth: both ends at once. Over pairs nothing is assumed about how ratios scatter: the interval is
 * that of order statistics (stats/summary.h), which needs 6 pairs for 95 %. */

#include <math.h>

#include "base/err.h"
#include "base/mem.h"
#include "stats/summary.h"

#define ONE_SIDED_ALPHA 0.025

static bool has_claim(const struct compare_run *run)
{
	const struct state_confirm *c = &run->state.confirm;
	return c->is_done && c->is_confirmed;
}

double compare_speedup(const struct compare_run *run)
{
	return has_claim(run) ? run->state.confirm.estimate.speedup : 1;
}

static int load_run(struct compare_run *run, const char *dir, struct err *e)
{
	run->dir = dir;
	if (run_state_load(&run->state, dir, e) < 0)
		return err_wrap(e, "compare %s", dir);
	if (run->state.confirm.is_done)
		return 0;
	return err_set(e, ERR_INPUT, "%s: this run is not over; 'forge run %s' goes on", dir, dir);
}

static bool is_same_text(const char *a, const char *b)
{
	return str_equal(a ? a : "", b ? b : "");
}

/* NULL, or what makes two runs no pair. */
static const char *difference(const struct run_state *a, const struct run_state *b)
{
	const struct {
		const char *what;
		bool is_same;
	} rows[] = {
		{ "task", is_same_text(a->judge.task_digest, b->judge.task_digest) },
		{ "judge", is_same_text(a->judge.source, b->judge.source) },
		{ "student", is_same_text(a->student, b->student) },
		{ "teacher", is_same_text(a->teacher, b->teacher) },
		{ "time budget", a->hours == b->hours },
		{ "budget of the run",
		  limits_equal(&a->limits[LIMITS_RUN], &b->limits[LIMITS_RUN]) },
		{ "budget of the teacher",
		  limits_equal(&a->limits[LIMITS_TEACHER], &b->limits[LIMITS_TEACHER]) },
		{ "budget of the student",
		  limits_equal(&a->limits[LIMITS_STUDENT], &b->limits[LIMITS_STUDENT]) },
		{ "machine", is_same_text(a->machine_name, b->machine_name) },
		{ "version of forge", is_same_text(a->forge_version, b->forge_version) },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!rows[i].is_same)
			return rows[i].what;
	return NULL;
}

static bool is_same_task(const struct compare_run *a, const struct compare_run *b)
{
	return is_same_text(a->state.task_name, b->state.task_name);
}

static void set_indirect(struct compare_pair *pair)
{
	const struct state_estimate *h = &pair->harness->state.confirm.estimate;
	const struct state_estimate *c = &pair->control->state.confirm.estimate;
	bool is_h = has_claim(pair->harness);
	bool is_c = has_claim(pair->control);
	double error = (is_h ? 1 - h->confidence : 0) + (is_c ? 1 - c->confidence : 0);
	pair->ratio = compare_speedup(pair->harness) / compare_speedup(pair->control);
	pair->low = (is_h ? h->low : 1) / (is_c ? c->high : 1);
	pair->high = (is_h ? h->high : 1) / (is_c ? c->low : 1);
	pair->confidence = 1 - error;
}

void compare_set_direct(struct compare_pair *pair, const struct state_estimate *est)
{
	pair->ratio = est->speedup;
	pair->low = est->low;
	pair->high = est->high;
	pair->confidence = est->confidence;
	pair->is_direct = true;
}

static void add_pair(struct compare *c, struct compare_run *harness, struct compare_run *control)
{
	struct compare_pair *pair = &c->pairs[c->nr_pairs++];
	*pair = (struct compare_pair){ .harness = harness, .control = control };
	harness->is_paired = control->is_paired = true;
	set_indirect(pair);
}

/* The first control that is free and fits; `why` gets the last reason against one. */
static struct compare_run *find_control(struct compare *c, const struct compare_run *harness,
					bool by_seed, const char **why)
{
	for (size_t i = 0; i < c->nr_runs; i++) {
		struct compare_run *run = &c->runs[i];
		if (!run->state.is_control || run->is_paired || !is_same_task(run, harness) ||
		    (by_seed && run->state.seed != harness->state.seed))
			continue;
		const char *what = difference(&run->state, &harness->state);
		if (!what)
			return run;
		*why = what;
	}
	return NULL;
}

static void pair_all(struct compare *c, bool by_seed)
{
	for (size_t i = 0; i < c->nr_runs; i++) {
		struct compare_run *run = &c->runs[i];
		const char *why = NULL;
		if (run->state.is_control || run->is_paired)
			continue;
		struct compare_run *control = find_control(c, run, by_seed, &why);
		if (control)
			add_pair(c, run, control);
		else if (!by_seed && why)
			strv_addf(&c->left_out, "%s: another %s than its control arm", run->dir,
				  why);
		else if (!by_seed)
			strv_addf(&c->left_out, "%s: no control arm of task %s is left for it",
				  run->dir, run->state.task_name);
	}
}

static void leave_out_controls(struct compare *c)
{
	for (size_t i = 0; i < c->nr_runs; i++)
		if (c->runs[i].state.is_control && !c->runs[i].is_paired)
			strv_addf(&c->left_out,
				  "%s: no run of task %s is left for this control "
				  "arm",
				  c->runs[i].dir, c->runs[i].state.task_name);
}

int compare_load(struct compare *c, const char *const *dirs, size_t nr, struct err *e)
{
	*c = (struct compare){ .runs = xcalloc(nr, sizeof(*c->runs)), .nr_runs = nr };
	c->pairs = xcalloc(nr, sizeof(*c->pairs));
	for (size_t i = 0; i < nr; i++)
		run_state_init(&c->runs[i].state);
	for (size_t i = 0; i < nr; i++) {
		run_state_release(&c->runs[i].state);
		if (load_run(&c->runs[i], dirs[i], e) < 0)
			return -1;
	}
	pair_all(c, true);
	pair_all(c, false);
	leave_out_controls(c);
	return 0;
}

/* Medians of ln(ratio) per task into `values`; their number. */
static size_t task_values(const struct compare *c, double *values)
{
	size_t nr = 0;
	AUTO_FREE double *mine = xcalloc(c->nr_pairs, sizeof(*mine));
	for (size_t i = 0; i < c->nr_pairs; i++) {
		size_t nr_mine = 0;
		bool is_first = true;
		for (size_t j = 0; j < c->nr_pairs; j++) {
			if (!is_same_task(c->pairs[i].harness, c->pairs[j].harness))
				continue;
			is_first = is_first && j >= i;
			mine[nr_mine++] = log(c->pairs[j].ratio);
		}
		if (is_first)
			values[nr++] = summary_median(mine, nr_mine);
	}
	return nr;
}

static size_t pair_values(const struct compare *c, double *values)
{
	for (size_t i = 0; i < c->nr_pairs; i++)
		values[i] = log(c->pairs[i].ratio);
	return c->nr_pairs;
}

void compare_conclude(struct compare *c)
{
	c->total = (struct compare_total){ 0 };
	if (!c->nr_pairs)
		return;
	AUTO_FREE double *values = xcalloc(c->nr_pairs, sizeof(*values));
	size_t nr = task_values(c, values);
	bool is_over_tasks = nr > 1;
	if (!is_over_tasks)
		nr = pair_values(c, values);
	const struct median_interval in = summary_median_interval(values, nr, ONE_SIDED_ALPHA);
	c->total = (struct compare_total){ .nr = nr,
					   .is_over_tasks = is_over_tasks,
					   .ratio = exp(summary_median(values, nr)),
					   .low = exp(in.low),
					   .high = exp(in.high),
					   .confidence = 1 - 2 * in.error,
					   .is_decided = in.rank > 0 };
}

void compare_release(struct compare *c)
{
	for (size_t i = 0; i < c->nr_runs; i++)
		run_state_release(&c->runs[i].state);
	free(c->runs);
	free(c->pairs);
	strv_release(&c->left_out);
	*c = (struct compare){ 0 };
}
