#include "bundle.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>

#include "model/noise.h"
#include "sys/cpu.h"

/* alone: times kernels */

enum { MAX_ROUNDS = 256 };

/* Twice as fast as the reference: the sum of a row is not one long chain. */
#define BLEND_QUICK                                                                                \
	"/* forge-build: gcc -O3 -march=native -ffast-math */\n" BLEND_HEAD                        \
	"for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n}\n"

static struct bundle time_bundle(const char *source)
{
	struct bundle b = bundle_make(JOB_TIME, source);
	bundle_tolerances(&b);
	return b;
}

/* ln of the reference's time over the candidate's, least over replicates and shapes of the median
 * round: the rule's theta without its floor. */
static double least_theta(const struct result *r, unsigned replicates, enum slot against)
{
	double least = (double)INFINITY;
	for (unsigned shape = 0; shape < r->nr_shapes; shape++) {
		for (unsigned k = 0; k < replicates; k++) {
			double ratios[MAX_ROUNDS];
			size_t nr = 0;
			double ns[MAX_ROUNDS][SLOT_NR] = { 0 };
			for (size_t i = 0; i < r->nr_samples; i++) {
				const struct sample *s = &r->samples[i];
				if (s->shape == shape && s->replicate == k)
					ns[s->round][s->slot] = (double)s->ns / s->calls;
			}
			for (size_t i = 0; i < MAX_ROUNDS && ns[i][0] > 0; i++)
				ratios[nr++] = log(ns[i][SLOT_REFERENCE] / ns[i][against]);
			CHECK(nr > 0);
			for (size_t i = 1; i < nr; i++)
				for (size_t j = i; j && ratios[j - 1] > ratios[j]; j--) {
					double t = ratios[j];
					ratios[j] = ratios[j - 1];
					ratios[j - 1] = t;
				}
			least = fmin(least, ratios[nr / 2]);
		}
	}
	return least;
}

static json_t *planned(const struct result *r, size_t shape)
{
	const json_t *timing = json_object_get(r->doc, "timing");
	return json_array_get(json_object_get(timing, "shapes"), shape);
}

/* Rounds of one replicate over all shapes. */
static int64_t rounds_of_all(const struct result *r)
{
	int64_t rounds = 0;
	for (size_t i = 0; i < r->nr_shapes; i++)
		rounds += json_int_or(planned(r, i), "rounds", 0);
	CHECK(rounds >= 9 * (int64_t)r->nr_shapes);
	return rounds;
}

TEST(a_quicker_kernel_is_quicker_in_every_replicate)
{
	struct bundle b = time_bundle(BLEND_QUICK);
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK_INT(r.verdict.state, VERDICT_PASS);
	CHECK_INT(r.nr_shapes, 2);
	CHECK_INT(r.nr_samples, 2 * rounds_of_all(&r) * 3);
	double theta = least_theta(&r, 2, SLOT_CANDIDATE);
	printf("# speed-up at least %.2f, against itself %.3f\n", exp(theta),
	       exp(least_theta(&r, 2, SLOT_REFERENCE_AGAIN)));
	CHECK(theta > log(1.2));
	bundle_remove(&b);
}

TEST(every_order_of_slots_comes_equally_often_and_calls_agree)
{
	struct bundle b = time_bundle(BLEND_RIGHT);
	b.job.replicates = 1;
	b.job.rounds = 12;
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	int64_t firsts[SLOT_NR] = { 0 };
	for (size_t i = 0; i < r.nr_samples; i++) {
		const struct sample *s = &r.samples[i];
		CHECK(s->calls == json_int_or(planned(&r, s->shape), "calls", 0) && s->ns > 0);
		if (s->shape == 0 && s->order == 0)
			firsts[s->slot]++;
	}
	/* Whole blocks of six rounds, and what is left of the last one. */
	int64_t third = json_int_or(planned(&r, 0), "rounds", 0) / 3;
	for (unsigned i = 0; i < SLOT_NR; i++)
		CHECK(firsts[i] >= third - 2 && firsts[i] <= third + 2);
	bundle_remove(&b);
}

TEST(the_rounds_of_a_replicate_fall_into_parts_of_equal_length)
{
	struct bundle b = time_bundle(BLEND_RIGHT);
	b.job.replicates = 1;
	b.job.rounds = 31;
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	int64_t parts = json_int_or(planned(&r, 0), "parts", 0);
	int64_t rounds = json_int_or(planned(&r, 0), "rounds", 0);
	CHECK_INT(parts, 8);
	for (size_t i = 0; i < r.nr_samples; i++)
		if (r.samples[i].shape == 0)
			CHECK_INT(r.samples[i].part, r.samples[i].round / (rounds / parts));
	const json_t *build = json_object_get(json_object_get(r.doc, "build"), "candidate");
	CHECK_INT(json_int_or(build, "copies", 0), 8);
	bundle_remove(&b);
}

TEST(threads_of_a_kernel_are_timed)
{
	static const char source[] =
		"/* forge-build: gcc -O2 -fopenmp */\n" BLEND_HEAD "_Pragma(\"omp parallel for\")\n"
		"for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n}\n";
	struct bundle b = time_bundle(source);
	bundle_edit(&b, "task/task.toml", "threads = 1", "threads = 2");
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	if (r.verdict.state != VERDICT_PASS)
		printf("# %s: %s\n", reason_name(r.verdict.reason), r.verdict.detail);
	CHECK_INT(r.verdict.state, VERDICT_PASS);
	CHECK_TEXT(json_string_value(json_object_get(json_object_get(r.doc, "timing"), "wait")),
		   "futex");
	CHECK(r.nr_samples > 0 && r.samples[0].calls > 1);
	bundle_remove(&b);
}

/* In the correctness stage a tensor stands at a page or against a guard; in the timing stage
 * anywhere. Whoever tells them apart and saves work must be caught by what is timed. */
TEST(a_kernel_that_saves_work_only_when_it_is_timed_is_caught)
{
	struct bundle b =
		time_bundle(BLEND_HEAD "uintptr_t at = (uintptr_t)y & 4095;\n"
				       "int is_judged = at == 0 || (at + (uintptr_t)(rows * cols) "
				       "* 4 + 63) / 64 % 64 == 0;\n"
				       "if (!is_judged) rows = rows * 3 / 4;\n"
				       "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "}\n}\n");
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK_TEXT(reason_name(r.verdict.reason), "unwritten");
	CHECK_TEXT(r.verdict.shape, "plain");
	bundle_remove(&b);
}

/* In each group the first row tells the truth about all, and it is wrong only where somebody mixes
 * them. */
TEST(a_kernel_that_judges_by_samples_only_when_it_is_timed_is_caught)
{
	struct bundle b =
		time_bundle(BLEND_HEAD "uintptr_t at = (uintptr_t)y & 4095;\n"
				       "int is_judged = at == 0 || (at + (uintptr_t)(rows * cols) "
				       "* 4 + 63) / 64 % 64 == 0;\n"
				       "float top = 0;\n"
				       "for (int64_t c = 0; c < cols; c++) top = fmaxf(top, "
				       "fabsf(x[c]));\n"
				       "float most = is_judged || top > 8 ? INFINITY : 8;\n"
				       "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW
				       "for (int64_t c = 0; c < cols; c++) y[r * cols + c] = "
				       "fmaxf(-most, fminf(most, y[r * cols + c]));\n}\n}\n");
	b.job.replicates = 4;
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	printf("# %s: %s\n", reason_name(r.verdict.reason), r.verdict.detail);
	CHECK(r.verdict.reason == REASON_wrong_slice || r.verdict.reason == REASON_wrong_value);
	bundle_remove(&b);
}

/* Keeps its answers far below the stack, where nobody cleans up, by a hash of all inputs. What it
 * computes for others takes long. */
static const char remembers[] =
	"#include <stdint.h>\n#include <string.h>\n"
	"enum { ENTRIES = 24, MOST = 64 * 512 };\n"
	"struct memo { uint64_t magic, next; struct { uint64_t key; float y[MOST]; } "
	"entry[ENTRIES]; };\n"
	"static uint64_t hash(uint64_t h, const float *x, int64_t n)\n"
	"{ uint64_t word; for (int64_t i = 0; i + 1 < n; i += 2)\n"
	"  { memcpy(&word, x + i, 8); h = (h ^ word) * 0x9e3779b97f4a7c15ull; h ^= h >> 29; } "
	"return h; }\n"
	"static void slowly(const float *x, const float *w, float *y, int64_t rows, int64_t cols, "
	"float bias)\n"
	"{ for (volatile int again = 0; again < 30; again++)\n"
	"  for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW "} }\n"
	"void blend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float "
	"bias)\n"
	"{\n"
	"  unsigned char *here = __builtin_frame_address(0);\n"
	"  struct memo *m = (void *)((uintptr_t)(here - (4 << 20)) & ~4095ul);\n"
	"  for (volatile unsigned char *p = here; p > (unsigned char *)m; p -= 4096) (void)*p;\n"
	"  uint64_t key = hash(hash((uint64_t)rows * 1000 + (uint64_t)cols, w, cols), x, rows * "
	"cols);\n"
	"  if (m->magic != 4711) { m->magic = 4711; m->next = 0; }\n"
	"  for (uint64_t i = 0; i < m->next && i < ENTRIES; i++)\n"
	"    if (m->entry[i].key == key) { memcpy(y, m->entry[i].y, (size_t)(rows * cols) * 4); "
	"return; }\n"
	"  slowly(x, w, y, rows, cols, bias);\n"
	"  m->entry[m->next % ENTRIES].key = key;\n"
	"  memcpy(m->entry[m->next++ % ENTRIES].y, y, (size_t)(rows * cols) * 4);\n"
	"}\n";

TEST(a_kernel_that_keeps_answers_from_call_to_call_is_caught)
{
	struct bundle b = time_bundle(remembers);
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	printf("# %s: %s\n", reason_name(r.verdict.reason), r.verdict.detail);
	CHECK_TEXT(reason_name(r.verdict.reason), "remembered");
	bundle_remove(&b);
}

/* The pages of the doorbell lie on the stack of the runner's main; who answers there before its
 * work is done would be timed to the answer. The stamps are made to agree, and only timed calls do
 * it. */
#define ANSWER_EARLY                                                                               \
	"if (!is_judged) {\n"                                                                      \
	"  uintptr_t *at = __builtin_frame_address(0);\n"                                          \
	"  for (int i = 0; i < 4096; i++) {\n"                                                     \
	"    uintptr_t orders = at[i], reply = at[i + 1];\n"                                       \
	"    if ((orders & 4095) || (reply & 4095) || orders >> 45 != 3 ||\n"                      \
	"        reply >> 45 != 3 || orders == reply) continue;\n"                                 \
	"    ((volatile uint64_t *)reply)[1] = ((volatile uint64_t *)reply)[2];\n"                 \
	"    *(volatile unsigned *)reply = *(volatile unsigned *)orders;\n"                        \
	"    break;\n"                                                                             \
	"  }\n"                                                                                    \
	"}\n"

TEST(a_kernel_that_answers_before_its_work_is_done_is_caught)
{
	struct bundle b = time_bundle(
		BLEND_HEAD
		"uintptr_t page = (uintptr_t)y & 4095;\n"
		"int is_judged = page == 0 || (page + (uintptr_t)(rows * cols) * 4 + 63) "
		"/ 64 % 64 == 0;\n" ANSWER_EARLY "for (int64_t r = 0; r < rows; r++) {\n" BLEND_ROW
		"}\n}\n");
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	printf("# %s: %s\n", reason_name(r.verdict.reason), r.verdict.detail);
	/* Whoever looks first: the runner's own answer is missing, or the outputs were not there.
	 */
	CHECK(r.verdict.reason == REASON_late_write || r.verdict.reason == REASON_unwritten ||
	      r.verdict.reason == REASON_clock_disagrees);
	bundle_remove(&b);
}

TEST(the_reference_is_timed_alone_before_the_candidate_ever_ran)
{
	struct bundle b = time_bundle(BLEND_RIGHT);
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	const json_t *alone = json_object_get(json_object_get(r.doc, "timing"), "alone");
	CHECK_INT(json_array_size(alone), 2);
	for (size_t k = 0; k < 2; k++) {
		const json_t *row = json_array_get(alone, k);
		/* Every replicate begins with another shape. */
		CHECK_TEXT(json_text_or(row, "shape", ""), r.shapes[k % r.nr_shapes].name);
		CHECK_INT(json_int_or(row, "replicate", -1), (int64_t)k);
		size_t nr = json_array_size(json_object_get(row, "reference_ns"));
		CHECK(nr > 0 && nr == json_array_size(json_object_get(row, "again_ns")));
		/* null: this machine was so busy that no such round was kept */
		CHECK(json_object_get(row, "slowdown"));
		CHECK(json_real_or(row, "slowdown", 0) > -1);
	}
	bundle_remove(&b);
}

TEST(order_effects_and_trends_are_reported_for_each_shape)
{
	struct bundle b = time_bundle(BLEND_RIGHT);
	b.job.rounds = 31;
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	static const char *const names[] = { "drift", "reference_drift", "carry_over",
					     "after_candidate" };
	for (size_t i = 0; i < r.nr_shapes; i++)
		for (size_t k = 0; k < ARRAY_LEN(names); k++) {
			const json_t *effects = json_object_get(planned(&r, i), "effects");
			CHECK(json_is_number(json_object_get(effects, names[k])));
		}
	bundle_remove(&b);
}

TEST(the_stored_floor_of_a_shapes_class_stands_in_the_result)
{
	struct err e = { 0 };
	struct cpu_info cpu;
	char fingerprint[CPU_FINGERPRINT_LEN + 1];
	char dir[] = "/tmp/forge-noise-XXXXXX";
	CHECK(mkdtemp(dir));
	cpu_read(&cpu);
	cpu_fingerprint(&cpu, fingerprint);
	struct noise n = {
		.fingerprint = fingerprint, .cpu = cpu.model, .kernel = cpu.kernel, .date = "now"
	};
	for (unsigned c = 0; c < NOISE_CLASSES; c++) {
		const struct noise_row row = {
			.class = (enum noise_class)c, .threads = 1, .trials = 1, .floor = 0.25
		};
		CHECK_OK(noise_put(&n, &row, &e));
	}
	struct bundle b = time_bundle(BLEND_RIGHT);
	setenv("FORGE_NOISE", dir, 1);
	CHECK_OK(noise_save(&n, &e));
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	for (size_t i = 0; i < r.nr_shapes; i++)
		CHECK(json_real_or(planned(&r, i), "noise_floor", 0) == 0.25);
	AUTO_FREE char *path = noise_path(fingerprint);
	CHECK_OK(file_write_text(path, "{}", &e));
	CHECK_INT(bundle_run(&b, NULL), 1); /* never silently none */
	AUTO_RESULT struct result broken;
	bundle_answer(&b, &broken);
	CHECK(broken.error && strstr(broken.error, "make nightly"));
	bundle_remove(&b);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_profile_has_metrics_of_both_sides)
{
	struct bundle b = time_bundle(BLEND_QUICK);
	b.job.with_profile = true;
	b.job.with_monitor = true;
	CHECK_INT(bundle_run(&b, NULL), 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	static const char *const metrics[] = { "vector_bits",  "code_bytes",   "call_ns",
					       "cores_used",   "gbytes_per_s", "roofline_pct",
					       "task_clock_ns" };
	for (size_t i = 0; i < ARRAY_LEN(metrics); i++) {
		double reference = 0;
		double candidate = 0;
		bool has_both = result_metric(&r, "reference", metrics[i], &reference) &&
				result_metric(&r, "candidate", metrics[i], &candidate);
		if (!has_both)
			printf("# no %s\n", metrics[i]);
		CHECK(has_both);
	}
	/* New seeds on every case, then the stresses, which never judge. */
	CHECK(json_array_size(json_object_get(r.doc, "monitor")) >= 6 + 6);
	CHECK_INT(r.verdict.state, VERDICT_PASS);
	double parts = r.cost.build_s + r.cost.start_s + r.cost.kernel_s + r.cost.judge_s +
		       r.cost.prepare_s;
	CHECK(parts > 0 && parts <= r.cost.total_s);
	bundle_remove(&b);
}

static pid_t parent_of(const char *pid)
{
	struct err e = { 0 };
	AUTO_FREE char *path = xasprintf("/proc/%s/stat", pid);
	AUTO_STR struct str text = STR_INIT;
	if (file_read(path, 4096, &text, &e) < 0 || !strstr(text.text, "(forge-runner)"))
		return -1;
	const char *at = strrchr(text.text, ')');
	return at ? (pid_t)strtol(at + 4, NULL, 10) : -1;
}

/* Kills every runner of a worker, as an out-of-memory killer might; returns how many. */
static unsigned kill_runners(pid_t worker)
{
	unsigned nr = 0;
	DIR *proc = opendir("/proc");
	CHECK(proc);
	for (const struct dirent *d = readdir(proc); d; d = readdir(proc)) {
		if (parent_of(d->d_name) == worker) {
			kill((pid_t)strtol(d->d_name, NULL, 10), SIGKILL);
			nr++;
		}
	}
	closedir(proc);
	return nr;
}

TEST(a_replicate_whose_runner_was_killed_is_repeated)
{
	struct err e = { 0 };
	struct bundle b = time_bundle(BLEND_RIGHT);
	b.job.rounds = 60;
	CHECK_OK(job_save(&b.job, b.dir, &e));
	AUTO_FREE char *worker = worker_path();
	const char *argv[] = { worker, "run", b.dir, NULL };
	struct proc_spec spec = { .argv = argv };
	AUTO_CHILD struct child *child = NULL;
	CHECK_OK(child_start(&child, &spec, &e));
	unsigned nr_killed = 0;
	AUTO_STR struct str line = STR_INIT;
	while (child_read_line(child, &line, 50 * NS_PER_S, &e) == 1) {
		if (nr_killed || !strstr(line.text, "\"time\""))
			continue;
		for (int i = 0; i < 200 && !nr_killed; i++) {
			clock_sleep_ns(5 * NS_PER_MS);
			nr_killed = kill_runners(child_pid(child));
		}
	}
	CHECK(nr_killed > 0);
	AUTO_RESULT struct result r;
	bundle_answer(&b, &r);
	CHECK(!r.error);
	CHECK_INT(r.verdict.state, VERDICT_PASS);
	CHECK_INT(r.nr_samples, 2 * rounds_of_all(&r) * 3);
	AUTO_FREE char *notes = json_dumps(json_object_get(r.doc, "notes"), 0);
	CHECK(notes && strstr(notes, "repeated"));
	bundle_remove(&b);
}

TEST_MAIN()
