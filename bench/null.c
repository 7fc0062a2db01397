/*
 * How often does the rule of K = 8 cry wolf, and how well does it see? Two experiments with real
 * jobs of the real worker, by size class and number of threads (bench/bed.h):
 *
 *   null      the reference against itself: another build, other layouts, fresh processes. Every
 *             FASTER or SLOWER is wrong. The stored floor is left out: these trials make it.
 *   planted   the reference with real extra work of 5 %. Every answer but SLOWER is a miss.
 *
 *   null [-n NULL_TRIALS] [-p PLANTED_TRIALS] [-w] [options of bench/bed.h]
 *
 * -n counts by class and threads, -p over all of them. -w stores the floors found
 * (docs/format/noise.md). The last lines are, by class, `CLASS null=CALLED/TRIALS bound=PERCENT
 * floor=PERCENT`, where bound is what the rate is below with 95 % confidence, and for the whole
 * `null=CALLED/TRIALS power5=PERCENT`.
 */

#include "bench/bed.h"

enum { DEFAULT_NULL = 400, DEFAULT_PLANTED = 100, MIN_STORED = 100 };

static const double planted_effect = 0.05;
static const double floor_quantile = 0.99;

struct tally {
	double *distance; /* |ln speed-up| of null trials */
	unsigned nr_null;
	unsigned nr_called;
	double *effects; /* measured, of planted trials */
	unsigned nr_planted;
	unsigned nr_seen;
};

struct experiment {
	struct bed_set set;
	struct tally tallies[BED_CELLS];
};

static void count_null(struct tally *t, double speedup, const char *call)
{
	if (t->nr_null == BED_MAX_TRIALS)
		return;
	t->distance[t->nr_null++] = fabs(log(speedup));
	t->nr_called += !str_equal(call, call_name(CALL_UNDECIDED));
}

static void count_planted(struct tally *t, double speedup, const char *call)
{
	if (t->nr_planted == BED_MAX_TRIALS)
		return;
	t->effects[t->nr_planted++] = bed_slowdown(speedup);
	t->nr_seen += str_equal(call, call_name(CALL_SLOWER));
}

/* A line as print_trial wrote it, of another shard. */
static void take_line(void *ctx, const char *line)
{
	struct experiment *x = ctx;
	char what[16];
	char cell[16];
	char task[32];
	char call[16];
	double speedup = 0;
	if (sscanf(line, "%15s %15s %31s %15s %lf", what, cell, task, call, &speedup) != 5)
		return;
	unsigned at = bed_find(&x->set, cell);
	if (at == BED_CELLS || !(speedup > 0))
		return;
	if (str_equal(what, "null"))
		count_null(&x->tallies[at], speedup, call);
	else if (str_equal(what, "planted"))
		count_planted(&x->tallies[at], speedup, call);
}

static void print_trial(const char *what, const struct bed_cell *c, const struct bed *b,
			const struct estimate *e)
{
	printf("%s %s %s %s %.6f [%.4f, %.4f] floor %.2f %% dropped %zu of %zu%s\n", what, c->name,
	       b->task, call_name(e->call), e->speedup, e->low, e->high, 100 * e->floor,
	       e->nr_dropped, e->nr_dropped + e->nr_used,
	       e->is_reference_slowed ? " reference slowed" : "");
	fflush(stdout);
}

static unsigned count_tasks(const struct bed_cell *c)
{
	unsigned nr = 0;
	while (nr < BED_TASKS && c->beds[nr].task)
		nr++;
	return nr;
}

static void null_trial(struct experiment *x, unsigned cell, unsigned i)
{
	struct bed_cell *c = &x->set.cells[cell];
	struct bed *b = &c->beds[i / x->set.nr_shards % count_tasks(c)];
	bed_make(&x->set, c, b);
	const uint64_t seed = x->set.seed + (uint64_t)cell * BED_MAX_TRIALS + i;
	struct estimate e = bed_trial(b, seed, KIT_OWN_FLOOR);
	print_trial("null", c, b, &e);
	count_null(&x->tallies[cell], e.speedup, call_name(e.call));
}

/* Round robin over the classes, so that a noisy minute falls on all of them. */
static void run_null(struct experiment *x, unsigned trials)
{
	for (unsigned i = x->set.shard; i < trials; i += x->set.nr_shards)
		for (unsigned cell = 0; cell < BED_CELLS; cell++)
			if (x->set.cells[cell].is_chosen)
				null_trial(x, cell, i);
}

static void planted_trial(struct experiment *x, unsigned cell, unsigned i)
{
	struct bed_cell *c = &x->set.cells[cell];
	struct estimate e = bed_planted_trial(&x->set, c, planted_effect, x->set.seed + 600000 + i);
	print_trial("planted", c, &c->beds[0], &e);
	count_planted(&x->tallies[cell], e.speedup, call_name(e.call));
}

static void run_planted(struct experiment *x, unsigned trials)
{
	unsigned chosen[BED_CELLS];
	unsigned nr = 0;
	for (unsigned cell = 0; cell < BED_CELLS; cell++)
		if (x->set.cells[cell].is_chosen)
			chosen[nr++] = cell;
	for (unsigned i = x->set.shard; i < trials; i += x->set.nr_shards)
		planted_trial(x, chosen[i / x->set.nr_shards % nr], i);
}

static double floor_of(const struct tally *t)
{
	return expm1(summary_quantile(t->distance, t->nr_null, floor_quantile));
}

static void summarise(const struct experiment *x)
{
	unsigned called = 0;
	unsigned trials = 0;
	unsigned seen = 0;
	unsigned planted = 0;
	for (unsigned i = 0; i < BED_CELLS; i++) {
		const struct tally *t = &x->tallies[i];
		if (t->nr_planted)
			printf("%s planted: %u of %u seen, effect %.2f %% (median)\n",
			       x->set.cells[i].name, t->nr_seen, t->nr_planted,
			       100 * summary_median(t->effects, t->nr_planted));
		called += t->nr_called;
		trials += t->nr_null;
		seen += t->nr_seen;
		planted += t->nr_planted;
	}
	for (unsigned i = 0; i < BED_CELLS; i++) {
		const struct tally *t = &x->tallies[i];
		if (t->nr_null)
			printf("%s null=%u/%u bound=%.2f floor=%.2f\n", x->set.cells[i].name,
			       t->nr_called, t->nr_null,
			       100 * summary_rate_bound(t->nr_called, t->nr_null),
			       100 * floor_of(t));
	}
	printf("null=%u/%u power5=%.1f\n", called, trials,
	       planted ? 100.0 * seen / planted : (double)NAN);
}

static void put_row(struct noise *n, const struct bed_cell *c, const struct tally *t)
{
	struct err e = { 0 };
	if (t->nr_null && t->nr_null < MIN_STORED)
		printf("%s: not stored: fewer than %d trials have no 99th percentile\n", c->name,
		       MIN_STORED);
	if (t->nr_null < MIN_STORED)
		return;
	const struct noise_row row = { .class = c->class,
				       .threads = (unsigned)c->threads,
				       .trials = t->nr_null,
				       .called = t->nr_called,
				       .floor = floor_of(t) };
	kit_check(noise_put(n, &row, &e), &e);
}

static void store(const struct experiment *x)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	struct cpu_info cpu;
	struct noise n;
	bool is_there = false;
	char fingerprint[CPU_FINGERPRINT_LEN + 1];
	char date[32];
	cpu_read(&cpu);
	cpu_fingerprint(&cpu, fingerprint);
	kit_check(noise_load(&n, fingerprint, &a, &is_there, &e), &e);
	const size_t before = n.nr;
	for (unsigned i = 0; i < BED_CELLS; i++)
		put_row(&n, &x->set.cells[i], &x->tallies[i]);
	if (n.nr == 0)
		return;
	clock_format_wall(clock_wall_ns(), date);
	n.fingerprint = fingerprint;
	n.cpu = cpu.model;
	n.kernel = cpu.kernel;
	n.date = date;
	kit_check(noise_save(&n, &e), &e);
	AUTO_FREE char *path = noise_path(fingerprint);
	printf("stored in %s (%zu classes, %zu before)\n", path, n.nr, before);
}

static bool has_flag(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (str_equal(argv[i], name))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static struct experiment x;
	bed_open(&x.set, argc, argv);
	for (unsigned i = 0; i < BED_CELLS; i++) {
		x.tallies[i].distance = xcalloc(BED_MAX_TRIALS, sizeof(double));
		x.tallies[i].effects = xcalloc(BED_MAX_TRIALS, sizeof(double));
	}
	if (x.set.is_merge) {
		bed_merge(argc, argv, &x, take_line);
	} else {
		run_null(&x, kit_option(argc, argv, "-n", DEFAULT_NULL));
		run_planted(&x, kit_option(argc, argv, "-p", DEFAULT_PLANTED));
	}
	if (has_flag(argc, argv, "-w"))
		store(&x);
	summarise(&x);
	for (unsigned i = 0; i < BED_CELLS; i++) {
		free(x.tallies[i].distance);
		free(x.tallies[i].effects);
	}
	bed_close(&x.set);
	return 0;
}
