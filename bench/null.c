/*
 * How often does the rule of K = 8 cry wolf, and how well does it see? Two experiments with real
 * jobs of the real worker:
 *
 *   null      the reference against itself: another build, other layouts, fresh processes. Every
 *             FASTER or SLOWER is wrong.
 *   planted   the reference with real extra work of 5 %: some rows are computed twice. How many
 *             depends on the operator (a row that is still in a cache is cheaper), so a pilot
 *             chooses them, and the effect is measured once more over all trials and printed.
 *             Every answer but SLOWER is a miss.
 *
 *   null [-n NULL_TRIALS] [-p PLANTED_TRIALS] [-s SEED]      last line: null=CALLED/TRIALS
 * power5=PERCENT
 */

#include <math.h>

#include "bench/kit.h"
#include "stats/summary.h"

enum { REPLICATES = 8, PILOT_REPLICATES = 8, DEFAULT_NULL = 200, DEFAULT_PLANTED = 100 };

static const double planted_effect = 0.05;

/* Short kernels of different kinds (0.1 to 0.3 ms), one shape each: streaming rows, a stencil in
 * cache, strided memory, a scan; one thread and two. */
static const struct kit_task tasks[] = {
	{ "rmsnorm", "[{\"name\":\"n\",\"dims\":{\"rows\":400,\"cols\":160}}]", "rows", 1 },
	{ "jacobi2d", "[{\"name\":\"n\",\"dims\":{\"n\":96,\"m\":96,\"steps\":8}}]", NULL, 1 },
	{ "layernorm", "[{\"name\":\"n\",\"dims\":{\"rows\":400,\"cols\":128}}]", "rows", 2 },
	{ "transpose", "[{\"name\":\"n\",\"dims\":{\"n\":300,\"m\":260}}]", NULL, 1 },
	{ "softmax", "[{\"name\":\"n\",\"dims\":{\"rows\":400,\"cols\":64}}]", "rows", 1 },
	{ "prefix_sum", "[{\"name\":\"n\",\"dims\":{\"n\":65536}}]", NULL, 2 },
};

struct bed {
	const struct kit_task *task;
	char *dir;
	char *reference; /* source */
	unsigned nr_null;
	unsigned nr_called;
	unsigned nr_planted;
	unsigned nr_seen;
	double planted_share; /* of the rows, by the pilot */
	double *effects;      /* measured, per planted trial */
};

static struct estimate run_trial(const struct bed *b, uint64_t seed, unsigned replicates)
{
	struct job job = kit_job(JOB_TIME, seed, replicates);
	AUTO_RESULT struct result r;
	kit_run(b->dir, &job, &r);
	return kit_decide(&r, &job);
}

static const char *call_list(const struct task *t, const char *rows_dim, bool is_extra,
			     struct str *out)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		bool is_rows = is_extra && str_equal(t->args[i].name, rows_dim);
		str_addf(out, "%s%s", i ? ", " : "", is_rows ? "extra" : t->args[i].name);
	}
	return out->text;
}

/* The reference under another name, called for all rows and once more for the first few. */
static void plant(const struct bed *b, double share)
{
	AUTO_TASK struct task t;
	kit_load_task(&t, b->dir);
	AUTO_STR struct str head = STR_INIT;
	AUTO_STR struct str all = STR_INIT;
	AUTO_STR struct str some = STR_INIT;
	task_prototype(&t, &head);
	const char *rows = b->task->rows_dim;
	AUTO_FREE char *source = xasprintf(
		"#include <stdint.h>\n#define %s planted_body\n__attribute__((noinline)) %s;\n%s\n"
		"#undef %s\n%s\n{\n\tint64_t extra = (int64_t)((double)%s * %.6f + 0.5);\n"
		"\tplanted_body(%s);\n\tif (extra > 0)\n\t\tplanted_body(%s);\n}\n",
		t.entry, head.text, b->reference, t.entry, head.text, rows, share,
		call_list(&t, rows, false, &all), call_list(&t, rows, true, &some));
	kit_write(b->dir, "candidate/kernel.c", source);
}

static double slowdown_of(const struct estimate *e)
{
	return 1 / e->speedup - 1;
}

/* Twice the wanted work, so that the pilot's noise counts half. */
static void pilot(struct bed *b, uint64_t seed)
{
	double share = 2 * planted_effect;
	plant(b, share);
	struct estimate e = run_trial(b, seed, PILOT_REPLICATES);
	double effect = slowdown_of(&e);
	if (effect < planted_effect / 2)
		effect = planted_effect / 2;
	b->planted_share = share * planted_effect / effect;
	printf("pilot   %-11s %.1f %% more rows cost %.1f %%: planting %.1f %%\n", b->task->name,
	       100 * share, 100 * slowdown_of(&e), 100 * b->planted_share);
	fflush(stdout);
}

static void print_trial(const char *what, const struct bed *b, const struct estimate *e)
{
	printf("%-7s %-11s %-9s %.4f [%.4f, %.4f] floor %.2f %% dropped %zu of %zu\n", what,
	       b->task->name, call_name(e->call), e->speedup, e->low, e->high, 100 * e->floor,
	       e->nr_dropped, e->nr_dropped + e->nr_used);
	fflush(stdout);
}

static void null_trial(struct bed *b, uint64_t seed)
{
	struct estimate e = run_trial(b, seed, REPLICATES);
	b->nr_null++;
	b->nr_called += e.call != CALL_UNDECIDED;
	print_trial("null", b, &e);
}

static void planted_trial(struct bed *b, uint64_t seed)
{
	struct estimate e = run_trial(b, seed, REPLICATES);
	b->effects[b->nr_planted++] = slowdown_of(&e);
	b->nr_seen += e.call == CALL_SLOWER;
	print_trial("planted", b, &e);
}

static void summarise(const struct bed *beds, size_t nr)
{
	unsigned called = 0;
	unsigned trials = 0;
	unsigned seen = 0;
	unsigned planted = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct bed *b = &beds[i];
		printf("%-11s threads %d: %u of %u null trials called", b->task->name,
		       b->task->threads, b->nr_called, b->nr_null);
		if (b->nr_planted)
			printf("; %u of %u planted ones seen, effect %.2f %% (median)", b->nr_seen,
			       b->nr_planted, 100 * summary_median(b->effects, b->nr_planted));
		printf("\n");
		called += b->nr_called;
		trials += b->nr_null;
		seen += b->nr_seen;
		planted += b->nr_planted;
	}
	printf("null=%u/%u power5=%.1f\n", called, trials,
	       planted ? 100.0 * seen / planted : (double)NAN);
}

/* Round robin over the beds, so that a noisy minute falls on all of them. */
static void run_null(struct bed *beds, size_t nr, unsigned trials, uint64_t seed)
{
	for (unsigned i = 0; i < trials; i++)
		null_trial(&beds[i % nr], seed + i);
}

static void run_planted(struct bed *beds, size_t nr, unsigned trials, uint64_t seed)
{
	struct bed *able[ARRAY_LEN(tasks)];
	size_t nr_able = 0;
	for (size_t i = 0; i < nr; i++)
		if (beds[i].task->rows_dim)
			able[nr_able++] = &beds[i];
	for (size_t i = 0; i < nr_able && i < trials; i++) {
		pilot(able[i], seed + i);
		plant(able[i], able[i]->planted_share);
	}
	for (unsigned i = 0; i < trials; i++)
		planted_trial(able[i % nr_able], seed + 100 + i);
}

int main(int argc, char **argv)
{
	const unsigned nr_null = kit_option(argc, argv, "-n", DEFAULT_NULL);
	const unsigned nr_planted = kit_option(argc, argv, "-p", DEFAULT_PLANTED);
	const uint64_t seed = kit_option(argc, argv, "-s", 1) * UINT64_C(1000000);
	struct bed beds[ARRAY_LEN(tasks)] = { 0 };
	char root[64];
	kit_open(root);
	for (size_t i = 0; i < ARRAY_LEN(tasks); i++) {
		beds[i].task = &tasks[i];
		beds[i].dir = kit_bundle(root, &tasks[i]);
		beds[i].reference = kit_read(beds[i].dir, "reference/kernel.c");
		beds[i].effects = xcalloc(nr_planted + 1, sizeof(double));
	}
	run_null(beds, ARRAY_LEN(tasks), nr_null, seed);
	run_planted(beds, ARRAY_LEN(tasks), nr_planted, seed + 10000);
	summarise(beds, ARRAY_LEN(tasks));
	for (size_t i = 0; i < ARRAY_LEN(tasks); i++) {
		free(beds[i].dir);
		free(beds[i].reference);
		free(beds[i].effects);
	}
	kit_close(root);
	return 0;
}
