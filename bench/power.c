/*
 * How often does the rule of K = 8 see a true slowdown of 2, 3, 5 and 10 %? Real extra work is
 * planted in the reference (bench/bed.h), by size class and number of threads, and decided by the
 * rule as forge applies it, stored noise floors included.
 *
 *   power [-n TRIALS] [options of bench/bed.h]
 *
 * -n counts by class, threads and effect. The last lines are, by class, `CLASS power 2=PERCENT
 * 3=.. 5=.. 10=..`, and for the whole `power 2=.. 3=.. 5=.. 10=..`.
 */

#include "bench/bed.h"

enum { DEFAULT_TRIALS = 100 };

static const unsigned effects_pct[] = { 2, 3, 5, 10 };
enum { NR_EFFECTS = ARRAY_LEN(effects_pct) };

struct tally {
	unsigned nr;
	unsigned nr_seen;
	double *effects; /* as measured */
};

struct experiment {
	struct bed_set set;
	struct tally tallies[BED_CELLS][NR_EFFECTS];
};

static void count(struct tally *t, double speedup, const char *call)
{
	if (t->nr == BED_MAX_TRIALS)
		return;
	t->effects[t->nr++] = bed_slowdown(speedup);
	t->nr_seen += str_equal(call, call_name(CALL_SLOWER));
}

static unsigned effect_at(unsigned pct)
{
	unsigned i = 0;
	while (i < NR_EFFECTS && effects_pct[i] != pct)
		i++;
	return i;
}

/* A line as run_trial wrote it, of another shard. */
static void take_line(void *ctx, const char *line)
{
	struct experiment *x = ctx;
	char cell[16];
	char task[32];
	char call[16];
	unsigned pct = 0;
	double speedup = 0;
	if (sscanf(line, "power%u %15s %31s %15s %lf", &pct, cell, task, call, &speedup) != 5)
		return;
	unsigned at = bed_find(&x->set, cell);
	unsigned k = effect_at(pct);
	if (at < BED_CELLS && k < NR_EFFECTS && speedup > 0)
		count(&x->tallies[at][k], speedup, call);
}

static void run_trial(struct experiment *x, unsigned cell, unsigned k, unsigned i)
{
	struct bed_cell *c = &x->set.cells[cell];
	const uint64_t seed = x->set.seed + ((uint64_t)cell * NR_EFFECTS + k) * BED_MAX_TRIALS + i;
	struct estimate e = bed_planted_trial(&x->set, c, effects_pct[k] / 100.0, seed);
	printf("power%u %s %s %s %.6f [%.4f, %.4f] floor %.2f %%\n", effects_pct[k], c->name,
	       c->beds[0].task, call_name(e.call), e.speedup, e.low, e.high, 100 * e.floor);
	fflush(stdout);
	count(&x->tallies[cell][k], e.speedup, call_name(e.call));
}

static void run_trials(struct experiment *x, unsigned trials)
{
	for (unsigned i = x->set.shard; i < trials; i += x->set.nr_shards)
		for (unsigned cell = 0; cell < BED_CELLS; cell++)
			for (unsigned k = 0; x->set.cells[cell].is_chosen && k < NR_EFFECTS; k++)
				run_trial(x, cell, k, i);
}

static double share_pct(unsigned seen, unsigned nr)
{
	return nr ? 100.0 * seen / nr : (double)NAN;
}

static void print_cell(const struct experiment *x, unsigned cell)
{
	const struct tally *t = x->tallies[cell];
	if (t[0].nr == 0)
		return;
	printf("%s effects", x->set.cells[cell].name);
	for (unsigned k = 0; k < NR_EFFECTS; k++)
		printf(" %u=%.2f", effects_pct[k], 100 * summary_median(t[k].effects, t[k].nr));
	printf(" (medians, measured)\n%s power", x->set.cells[cell].name);
	for (unsigned k = 0; k < NR_EFFECTS; k++)
		printf(" %u=%.1f", effects_pct[k], share_pct(t[k].nr_seen, t[k].nr));
	printf("\n");
}

static void summarise(const struct experiment *x)
{
	for (unsigned cell = 0; cell < BED_CELLS; cell++)
		print_cell(x, cell);
	printf("power");
	for (unsigned k = 0; k < NR_EFFECTS; k++) {
		unsigned nr = 0;
		unsigned seen = 0;
		for (unsigned cell = 0; cell < BED_CELLS; cell++) {
			nr += x->tallies[cell][k].nr;
			seen += x->tallies[cell][k].nr_seen;
		}
		printf(" %u=%.1f", effects_pct[k], share_pct(seen, nr));
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	static struct experiment x;
	bed_open(&x.set, argc, argv);
	for (unsigned i = 0; i < BED_CELLS; i++)
		for (unsigned k = 0; k < NR_EFFECTS; k++)
			x.tallies[i][k].effects = xcalloc(BED_MAX_TRIALS, sizeof(double));
	if (x.set.is_merge)
		bed_merge(argc, argv, &x, take_line);
	else
		run_trials(&x, kit_option(argc, argv, "-n", DEFAULT_TRIALS));
	summarise(&x);
	for (unsigned i = 0; i < BED_CELLS; i++)
		for (unsigned k = 0; k < NR_EFFECTS; k++)
			free(x.tallies[i][k].effects);
	bed_close(&x.set);
	return 0;
}
