/*
 * What the error rates of the decision rule are measured on: test beds by size class (operands fit
 * the innermost cache, the last one, neither) and number of threads. A bed is a task with one shape
 * of the class's size; beds are made when they are first used. Trials can be dealt out to shards,
 * each a process on cores of its own; what every trial prints is what a merge reads.
 *
 * Options of every benchmark on beds:
 *   -c CELLS   "l1,llc-2": size classes, or with threads; all without it
 *   -S I/N     every N-th trial, from the I-th on
 *   -s SEED
 *   -m FILE... no trials: what these runs printed
 */
#ifndef FORGE_BENCH_BED_H
#define FORGE_BENCH_BED_H

#include <math.h>

#include "bench/kit.h"
#include "model/noise.h"
#include "stats/summary.h"
#include "sys/cpu.h"

enum { BED_REPLICATES = 8, BED_CELLS = 2 * NOISE_CLASSES, BED_TASKS = 3, BED_MAX_TRIALS = 20000 };

/* Kernels of different kinds: rows, which can be planted; strided memory; a scan. */
enum bed_kind { BED_ROWS, BED_SQUARE, BED_LINE };

struct bed {
	const char *task; /* NULL: the class has fewer */
	enum bed_kind kind;
	char *dir; /* NULL: not made yet */
	char *shapes;
	char *reference;      /* source */
	double cost_of_share; /* by the pilot: effect over share of rows; 0: not piloted yet */
};

struct bed_cell {
	char name[16]; /* "llc-2" */
	enum noise_class class;
	int threads;
	bool is_chosen;
	struct bed beds[BED_TASKS]; /* the first one can be planted */
};

struct bed_set {
	char root[64];
	struct bed_cell cells[BED_CELLS];
	unsigned shard;
	unsigned nr_shards;
	uint64_t seed;
	bool is_merge;
};

static const struct bed bed_kinds[NOISE_CLASSES][BED_TASKS] = {
	[NOISE_L1] = { { .task = "rmsnorm" },
		       { .task = "softmax" },
		       { .task = "transpose", .kind = BED_SQUARE } },
	[NOISE_LLC] = { { .task = "layernorm" },
			{ .task = "rmsnorm" },
			{ .task = "prefix_sum", .kind = BED_LINE } },
	/* No scan: where the last cache is large, its sum in float runs out of digits. */
	[NOISE_DRAM] = { { .task = "rmsnorm" }, { .task = "transpose", .kind = BED_SQUARE } },
};

/* Bytes of input and output together. */
static inline size_t bed_bytes(enum noise_class class)
{
	struct cpu_info cpu;
	cpu_read(&cpu);
	const struct noise_caches c = noise_caches_of(cpu.l1d_bytes, cpu.l2_bytes, cpu.l3_bytes);
	const size_t last = c.last ? c.last : (size_t)32 << 20;
	if (class == NOISE_L1)
		return (c.first ? c.first : (size_t)32 << 10) / 4 * 3;
	if (class == NOISE_LLC)
		return cpu.l2_bytes && 2 * cpu.l2_bytes < last / 2 ? 2 * cpu.l2_bytes : last / 2;
	return last / 4 * 5;
}

static inline char *bed_shapes(const struct bed *b, enum noise_class class)
{
	static const unsigned cols[NOISE_CLASSES] = { 32, 128, 512 };
	const size_t elements = bed_bytes(class) / 8;
	if (b->kind == BED_ROWS)
		return xasprintf("[{\"name\":\"n\",\"dims\":{\"rows\":%zu,\"cols\":%u}}]",
				 elements / cols[class], cols[class]);
	if (b->kind == BED_LINE)
		return xasprintf("[{\"name\":\"n\",\"dims\":{\"n\":%zu}}]", elements);
	const size_t n = (size_t)sqrt((double)elements);
	return xasprintf("[{\"name\":\"n\",\"dims\":{\"n\":%zu,\"m\":%zu}}]", n + 3, n - 3);
}

static inline void bed_make(const struct bed_set *set, const struct bed_cell *c, struct bed *b)
{
	if (b->dir)
		return;
	b->shapes = bed_shapes(b, c->class);
	const struct kit_task task = { .name = b->task,
				       .shapes = b->shapes,
				       .threads = c->threads,
				       .label = noise_class_name(c->class) };
	b->dir = kit_bundle(set->root, &task);
	b->reference = kit_read(b->dir, "reference/kernel.c");
}

static inline struct estimate bed_trial(const struct bed *b, uint64_t seed, enum kit_floors which)
{
	struct job job = kit_job(JOB_TIME, seed, BED_REPLICATES);
	AUTO_RESULT struct result r;
	kit_run(b->dir, &job, &r);
	return kit_decide_by(&r, &job, which);
}

static inline const char *bed_call(const struct task *t, bool is_extra, struct str *out)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		bool is_rows = is_extra && str_equal(t->args[i].name, "rows");
		str_addf(out, "%s%s", i ? ", " : "", is_rows ? "extra" : t->args[i].name);
	}
	return out->text;
}

/* The candidate becomes the reference under another name, called for all rows and once more for the
 * first few: real work, not sleep. */
static inline void bed_plant(const struct bed *b, double share)
{
	AUTO_TASK struct task t;
	kit_load_task(&t, b->dir);
	AUTO_STR struct str head = STR_INIT;
	AUTO_STR struct str all = STR_INIT;
	AUTO_STR struct str some = STR_INIT;
	task_prototype(&t, &head);
	AUTO_FREE char *source = xasprintf(
		"#include <stdint.h>\n#define %s planted_body\n__attribute__((noinline)) %s;\n%s\n"
		"#undef %s\n%s\n{\n\tint64_t extra = (int64_t)((double)rows * %.6f + 0.5);\n"
		"\tplanted_body(%s);\n\tif (extra > 0)\n\t\tplanted_body(%s);\n}\n",
		t.entry, head.text, b->reference, t.entry, head.text, share,
		bed_call(&t, false, &all), bed_call(&t, true, &some));
	kit_write(b->dir, "candidate/kernel.c", source);
}

static inline double bed_slowdown(double speedup)
{
	return 1 / speedup - 1;
}

/* Rows that are still in a cache are cheaper, so how many make an effect is tried out once, with
 * twice the largest effect that matters most, so that the pilot's noise counts half. */
static inline void bed_pilot(const struct bed_cell *c, struct bed *b, uint64_t seed)
{
	const double share = 0.10;
	if (b->cost_of_share > 0)
		return;
	bed_plant(b, share);
	double effect = bed_slowdown(bed_trial(b, seed, KIT_OWN_FLOOR).speedup);
	b->cost_of_share = fmax(effect, share / 4) / share;
	printf("pilot %s %s: %.1f %% more rows cost %.1f %%\n", c->name, b->task, 100 * share,
	       100 * effect);
	fflush(stdout);
}

/* A trial of the cell's planted bed with a true slowdown of `effect`. */
static inline struct estimate bed_planted_trial(const struct bed_set *set, struct bed_cell *c,
						double effect, uint64_t seed)
{
	struct bed *b = &c->beds[0];
	bed_make(set, c, b);
	bed_pilot(c, b, set->seed + 500000);
	bed_plant(b, effect / b->cost_of_share);
	struct estimate e = bed_trial(b, seed, KIT_STORED_FLOOR);
	kit_write(b->dir, "candidate/kernel.c", b->reference);
	return e;
}

static inline bool bed_is_chosen(const struct bed_cell *c, const char *filter)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, filter, ", ");
	return words.nr == 0 || strv_has(&words, c->name) ||
	       strv_has(&words, noise_class_name(c->class));
}

static inline void bed_read_shard(struct bed_set *set, const char *text)
{
	char *end = NULL;
	struct err e = { 0 };
	set->shard = (unsigned)strtoul(text, &end, 10);
	set->nr_shards = *end == '/' ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
	if (set->shard >= set->nr_shards)
		kit_check(err_set(&e, ERR_USAGE, "-S %s: not I/N with I < N", text), &e);
}

static inline void bed_open(struct bed_set *set, int argc, char **argv)
{
	const char *filter = kit_text(argc, argv, "-c", "");
	*set = (struct bed_set){ .nr_shards = 1 };
	set->seed = kit_option(argc, argv, "-s", 1) * UINT64_C(1000000);
	bed_read_shard(set, kit_text(argc, argv, "-S", "0/1"));
	unsigned nr_chosen = 0;
	for (unsigned i = 0; i < BED_CELLS; i++) {
		struct bed_cell *c = &set->cells[i];
		c->class = (enum noise_class)(i / 2);
		c->threads = 1 + (int)(i % 2);
		snprintf(c->name, sizeof(c->name), "%s-%d", noise_class_name(c->class), c->threads);
		memcpy(c->beds, bed_kinds[c->class], sizeof(c->beds));
		c->is_chosen = bed_is_chosen(c, filter);
		nr_chosen += c->is_chosen;
	}
	struct err e = { 0 };
	if (nr_chosen == 0)
		kit_check(err_set(&e, ERR_USAGE,
				  "-c %s: no such class; there are l1, llc, dram, "
				  "each also as l1-1, l1-2",
				  filter),
			  &e);
	for (int i = 1; i < argc; i++)
		set->is_merge = set->is_merge || str_equal(argv[i], "-m");
	kit_open(set->root);
}

static inline void bed_close(struct bed_set *set)
{
	for (unsigned i = 0; i < BED_CELLS; i++)
		for (unsigned k = 0; k < BED_TASKS; k++) {
			free(set->cells[i].beds[k].dir);
			free(set->cells[i].beds[k].shapes);
			free(set->cells[i].beds[k].reference);
		}
	kit_close(set->root);
}

/* Index of the cell of that name; BED_CELLS: none. */
static inline unsigned bed_find(const struct bed_set *set, const char *name)
{
	unsigned i = 0;
	while (i < BED_CELLS && !str_equal(set->cells[i].name, name))
		i++;
	return i;
}

/* Hands every line of the files after -m to `take`. */
static inline void bed_merge(int argc, char **argv, void *ctx,
			     void (*take)(void *ctx, const char *line))
{
	int i = 1;
	while (i < argc && !str_equal(argv[i], "-m"))
		i++;
	for (i++; i < argc; i++) {
		struct err e = { 0 };
		AUTO_STR struct str text = STR_INIT;
		AUTO_STRV struct strv lines = { 0 };
		kit_check(file_read(argv[i], 1 << 26, &text, &e), &e);
		strv_split(&lines, text.text, "\n");
		for (size_t k = 0; k < lines.nr; k++)
			take(ctx, lines.items[k]);
	}
}

#endif
