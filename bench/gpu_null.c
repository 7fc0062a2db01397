/*
 * How often does the rule of K = 8 cry wolf on a GPU, and how well does it see? Trials of the
 * worker's own timing stage (worker/gpu_trial.h) at four sizes, in one device process:
 *
 *   null      the reference against another image of the same code. FASTER and SLOWER are wrong.
 *   planted   the reference with real extra work of 5 %, as a pilot found it. All but SLOWER is a
 * miss.
 *
 *   gpu_null [-n NULL_TRIALS of a size] [-p PLANTED_TRIALS of a size] [-r ROUNDS] [-s SEED]
 *            [-t SECONDS: no round of trials begins after them]
 *
 * The last lines are, by size, `SIZE null=CALLED/TRIALS bound=PERCENT floor=PERCENT bias=PERCENT
 * accused=TRIALS`, and for the whole `null=CALLED/TRIALS power5=PERCENT`. Without a device it says
 * so and ends with 0.
 */
#include <unistd.h>

#include "base/rng.h"
#include "bench/kit.h"
#include "stats/summary.h"
#include "sys/gpu.h"
#include "worker/correct.h"
#include "worker/gpu_trial.h"
#include "worker/parties.h"

enum {
	REPLICATES = 8,
	NR_SIZES = 4,
	MAX_SIZES = 8,
	MAX_TRIALS = 1000,
	PILOTS = 10,
	PILOT_REPLICATES = 3
};

static const double planted_effect = 0.05;
static const double good_enough = 0.004; /* of the pilot's effect */

struct size {
	const char *name;
	int64_t extra; /* of planted trials */
	double distance[MAX_TRIALS];
	double signed_ln[MAX_TRIALS];
	unsigned nr_null;
	unsigned nr_called;
	unsigned nr_accused; /* trials of honest kernels that ended in a verdict */
	double effects[MAX_TRIALS];
	unsigned nr_planted;
	unsigned nr_seen;
	double seconds;
};

struct bench {
	struct worker w;
	struct cases cases;
	struct size sizes[MAX_SIZES];
	uint64_t seed;
	uint64_t begin_ns;
	uint64_t end_ns; /* no trial begins after it; 0: none */
	unsigned rounds;
	FILE *out; /* standard output; the worker's progress goes nowhere */
};

/* The smallest size and one kind of input make the tolerances: they are the same for all, and the
 * largest size takes the processor half a minute. */
static void calibrate(const char *dir)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, "task/shapes.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	kit_check(doc ? 0 : -1, &e);
	AUTO_JSON json_t *all = json_deep_copy(doc);
	json_array_clear(json_object_get(doc, "shapes"));
	json_array_append(json_object_get(doc, "shapes"),
			  json_array_get(json_object_get(all, "shapes"), 0));
	kit_check(json_write_file(path, doc, &e), &e);
	struct job job = kit_job(JOB_CALIBRATE, 1, 0);
	AUTO_RESULT struct result r;
	kit_run(dir, &job, &r);
	kit_check(json_write_file(path, all, &e), &e);
}

static char *make_bundle(const char *root)
{
	struct err e = { 0 };
	char *dir = path_join(root, "bundle");
	AUTO_FREE char *task = path_join(dir, "task");
	AUTO_FREE char *reference = kit_read("tests/gpu/tasks/row_planted", "reference/kernel.cu");
	AUTO_FREE char *candidate = kit_read("tests/gpu/tasks/row_planted", "candidate.cu");
	AUTO_FREE char *judge = kit_read("tests/gpu/tasks/row_planted", "judge/judge.c");
	kit_check(dir_make(dir, &e), &e);
	kit_check(tree_copy("tests/gpu/tasks/row_planted", task, &e), &e);
	const char *shapes = getenv("GPU_NULL_SHAPES");
	kit_set_shapes(dir, shapes && *shapes ? shapes : NULL);
	kit_write(dir, "reference/kernel.cu", reference);
	kit_write(dir, "candidate/kernel.cu", candidate);
	kit_write(dir, "check/judge.c", judge);
	calibrate(dir);
	return dir;
}

/* A seed by which the first size is shown the probes of the judge, which cost more than its cases.
 */
static uint64_t cheap_seed(uint64_t seed, size_t nr_sizes)
{
	while (rng_derive(seed, "probed") % nr_sizes != 0)
		seed++;
	return seed;
}

/* Everything before the timing stage, once. */
static void prepare(struct bench *b, const char *dir)
{
	struct err e = { 0 };
	struct job job = kit_job(JOB_TIME, cheap_seed(b->seed, NR_SIZES), REPLICATES);
	job.rounds = b->rounds;
	kit_check(job_save(&job, dir, &e), &e);
	kit_check(worker_open(&b->w, dir, &e), &e);
	kit_check(parties_build(&b->w, &e), &e);
	if (b->w.result.verdict.state != VERDICT_NONE)
		kit_check(err_set(&e, ERR_INPUT, "the kernel does not build: %s",
				  b->w.result.verdict.detail),
			  &e);
	kit_check(cases_init(&b->cases, &b->w, &e), &e);
	kit_check(correct_run(&b->w, &b->cases, &e), &e);
	for (size_t i = 0; i < b->cases.nr && i < MAX_SIZES; i++)
		b->sizes[i].name = b->cases.shapes[i].shape->name;
}

static void set_extra(struct shape_cases *s, int64_t extra)
{
	for (size_t i = 0; i < s->fp.nr; i++)
		if (str_equal(s->fp.items[i].arg->name, "extra"))
			memcpy(s->fp.items[i].scalar_bytes, &extra, sizeof(extra));
}

/* False: the kernel, which is honest, was called something else. */
static bool trial(struct bench *b, size_t at, int64_t extra, unsigned replicates,
		  struct estimate *est)
{
	struct err e = { 0 };
	struct cases one = { .shapes = &b->cases.shapes[at], .nr = 1, .nr_cases = 1 };
	const uint64_t begin_ns = clock_mono_ns();
	set_extra(one.shapes, extra);
	b->w.job.seed = rng_derive(b->seed++, "trial") >> 2;
	b->w.job.replicates = replicates;
	b->w.result.verdict = verdict_make(REASON_ok, "%s", "");
	kit_check(gpu_trial_run(&b->w, &one, &e), &e);
	b->sizes[at].seconds += (double)(clock_mono_ns() - begin_ns) / 1e9;
	const struct verdict *v = &b->w.result.verdict;
	if (v->state == VERDICT_PASS) {
		*est = kit_decide_by(&b->w.result, &b->w.job, KIT_OWN_FLOOR);
		return true;
	}
	fprintf(b->out, "accused %s: %s: %s\n", b->sizes[at].name, reason_name(v->reason),
		v->detail);
	b->sizes[at].nr_accused++;
	return false;
}

static void print_trial(const struct bench *b, const char *what, const struct size *s,
			const struct estimate *e)
{
	fprintf(b->out, "%s %s %s %.6f [%.4f, %.4f] floor %.2f %% after %.1f s\n", what, s->name,
		call_name(e->call), e->speedup, e->low, e->high, 100 * e->floor,
		(double)(clock_mono_ns() - b->begin_ns) / 1e9);
	fflush(b->out);
}

static void null_trial(struct bench *b, size_t at)
{
	struct size *s = &b->sizes[at];
	struct estimate e = { 0 };
	if (!trial(b, at, 0, REPLICATES, &e))
		return;
	print_trial(b, "null", s, &e);
	s->signed_ln[s->nr_null] = log(e.speedup);
	s->distance[s->nr_null++] = fabs(log(e.speedup));
	s->nr_called += e.call != CALL_UNDECIDED;
}

static double effect_of(struct bench *b, size_t at, int64_t extra)
{
	struct estimate e = { .speedup = 1 };
	trial(b, at, extra, PILOT_REPLICATES, &e);
	return 1 / e.speedup - 1;
}

/* The work that costs what is to be planted: doubled until it costs more, then halved in between.
 */
static void pilot(struct bench *b, size_t at)
{
	struct size *s = &b->sizes[at];
	int64_t low = 0;
	int64_t high = 32;
	while (high < 1 << 16 && effect_of(b, at, high) < planted_effect) {
		low = high;
		high *= 2;
	}
	s->extra = high;
	for (int i = 0; i < PILOTS && high - low > 1; i++) {
		const int64_t middle = (low + high) / 2;
		const double effect = effect_of(b, at, middle);
		s->extra = middle;
		if (fabs(effect - planted_effect) < good_enough)
			break;
		if (effect < planted_effect)
			low = middle;
		else
			high = middle;
	}
	fprintf(b->out, "pilot %s: %lld 32nds of a multiplication more\n", s->name,
		(long long)s->extra);
	fflush(b->out);
}

static void planted_trial(struct bench *b, size_t at)
{
	struct size *s = &b->sizes[at];
	struct estimate e = { 0 };
	if (!trial(b, at, s->extra, REPLICATES, &e))
		return;
	print_trial(b, "planted", s, &e);
	s->effects[s->nr_planted++] = 1 / e.speedup - 1;
	s->nr_seen += e.call == CALL_SLOWER;
}

static bool has_time(const struct bench *b)
{
	return !b->end_ns || clock_mono_ns() < b->end_ns;
}

/* Round robin over the sizes, so that a bad minute falls on all of them. */
static void run(struct bench *b, unsigned nr_null, unsigned nr_planted)
{
	for (unsigned i = 0; i < nr_null && i < MAX_TRIALS && has_time(b); i++)
		for (size_t at = 0; at < b->cases.nr; at++)
			null_trial(b, at);
	for (size_t at = 0; nr_planted && at < b->cases.nr && has_time(b); at++)
		pilot(b, at);
	for (unsigned i = 0; i < nr_planted && i < MAX_TRIALS && has_time(b); i++)
		for (size_t at = 0; at < b->cases.nr; at++)
			planted_trial(b, at);
}

static void summarise(const struct bench *b)
{
	unsigned called = 0;
	unsigned trials = 0;
	unsigned seen = 0;
	unsigned planted = 0;
	for (size_t i = 0; i < b->cases.nr; i++) {
		const struct size *s = &b->sizes[i];
		if (s->nr_planted)
			fprintf(b->out, "%s planted: %u of %u seen, effect %.2f %% (median)\n",
				s->name, s->nr_seen, s->nr_planted,
				100 * summary_median(s->effects, s->nr_planted));
		called += s->nr_called;
		trials += s->nr_null;
		seen += s->nr_seen;
		planted += s->nr_planted;
	}
	for (size_t i = 0; i < b->cases.nr; i++) {
		const struct size *s = &b->sizes[i];
		if (s->nr_null)
			fprintf(b->out,
				"%s null=%u/%u bound=%.2f floor=%.2f bias=%+.3f accused=%u "
				"seconds=%.2f\n",
				s->name, s->nr_called, s->nr_null,
				100 * summary_rate_bound(s->nr_called, s->nr_null),
				100 * expm1(summary_quantile(s->distance, s->nr_null, 0.99)),
				100 * expm1(summary_median(s->signed_ln, s->nr_null)),
				s->nr_accused, s->seconds / (s->nr_null + s->nr_planted));
	}
	fprintf(b->out, "null=%u/%u power5=%.1f\n", called, trials,
		planted ? 100.0 * seen / planted : (double)NAN);
}

int main(int argc, char **argv)
{
	static struct bench b;
	struct err e = { 0 };
	struct gpu gpu;
	char root[64];
	if (gpu_probe(&gpu, NULL, &e) < 0) {
		printf("gpu_null: skipped (%s)\n", e.text);
		return 0;
	}
	b.seed = kit_option(argc, argv, "-s", 1) * UINT64_C(1000000);
	b.rounds = kit_option(argc, argv, "-r", 31);
	b.begin_ns = clock_mono_ns();
	if (kit_option(argc, argv, "-t", 0))
		b.end_ns = b.begin_ns + kit_option(argc, argv, "-t", 0) * NS_PER_S;
	b.out = fdopen(dup(STDOUT_FILENO), "w");
	if (!b.out || !freopen("/dev/null", "w", stdout))
		return 1;
	kit_open(root);
	AUTO_FREE char *dir = make_bundle(root);
	prepare(&b, dir);
	run(&b, kit_option(argc, argv, "-n", 30), kit_option(argc, argv, "-p", 12));
	summarise(&b);
	cases_release(&b.cases);
	worker_release(&b.w);
	kit_close(root);
	return 0;
}
