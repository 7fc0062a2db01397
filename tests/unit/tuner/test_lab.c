#include "test.h"

/* The lab on small kernels: what it says of good ones and of each way to be bad. */

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/lab.h"
#include "tuner/lab_in.h"
#include "tuner/ttask.h"

/* alone: times kernels */

#define HEAD                                                                                       \
	"#include <forge/kernel.h>\n#include <math.h>\n"                                           \
	"void kern(const float *x, float *y, int64_t n, float s)\n{\n"

#define BODY                                                                                       \
	"	for (int64_t i = 0; i < n; i++)\n"                                                       \
	"		y[i] = sqrtf(fabsf(x[i])) * s;\n"

#define REFERENCE HEAD BODY "}\n"

/* Does its work twice; the first time for nothing. */
#define TWICE HEAD BODY "	__asm__ volatile(\"\" ::: \"memory\");\n" BODY "}\n"

static const char data_text[] =
	"{\"lab_seconds\": 40, \"machine\": {}, \"times\": [],"
	" \"task\": {\"name\": \"t\", \"entry\": \"kern\", \"threads\": 2, \"args\": ["
	"  {\"name\": \"x\", \"role\": \"in\", \"dtype\": \"f32\", \"shape\": [\"n\"]},"
	"  {\"name\": \"y\", \"role\": \"out\", \"dtype\": \"f32\", \"shape\": [\"n\"]},"
	"  {\"name\": \"n\", \"role\": \"scalar\", \"dtype\": \"i64\", \"value\": null},"
	"  {\"name\": \"s\", \"role\": \"scalar\", \"dtype\": \"f32\", \"value\": \"1.5\"}],"
	" \"shapes\": ["
	"  {\"name\": \"even\", \"dims\": {\"n\": 65536}, \"inputs\": {\"x\": {\"kind\": "
	"\"normal\","
	"   \"mean\": 0, \"std\": 1}}},"
	"  {\"name\": \"odd\", \"dims\": {\"n\": 10007}, \"inputs\": {\"x\": {\"kind\": \"normal\","
	"   \"mean\": 0, \"std\": 1}}}]}}";

struct scene {
	char dir[64];
	struct arena a;
	struct tuner_task task;
	json_t *data;
	struct lab *lab;
};

static bool scene_try_open(struct scene *sc, struct err *e)
{
	*sc = (struct scene){ .dir = "/tmp/forge-lab-XXXXXX" };
	CHECK(mkdtemp(sc->dir));
	sc->data = json_read_text(data_text, strlen(data_text), "data", e);
	CHECK(sc->data);
	CHECK(tuner_task_read(&sc->task, sc->data, &sc->a, e) == 0);
	sc->lab = lab_open(&sc->task, REFERENCE, sc->data, sc->dir, e);
	return sc->lab != NULL;
}

static void scene_open(struct scene *sc)
{
	struct err e = { 0 };
	if (!scene_try_open(sc, &e))
		printf("# %s\n", e.text);
	CHECK(sc->lab);
}

static void scene_close(struct scene *sc)
{
	struct err e = { 0 };
	lab_close(sc->lab);
	CHECK_OK(tree_remove(sc->dir, &e));
	json_decref(sc->data);
	arena_release(&sc->a);
}

static struct lab_result try_one(struct scene *sc, const char *source, double give_up)
{
	struct lab_result r;
	lab_try(sc->lab, &source, 1, give_up, &r);
	printf("# %d ratio %.3f ns %.0f %.0f error %g: %s\n", (int)r.outcome, r.ratio, r.ns[0],
	       r.ns[1], r.error, r.text);
	return r;
}

TEST(the_reference_is_as_fast_as_itself)
{
	struct scene sc;
	scene_open(&sc);
	struct lab_result r = try_one(&sc, REFERENCE, 0);
	CHECK_INT(r.outcome, LAB_OK);
	CHECK(r.ratio > 0.999 && r.ratio < 1.001);
	CHECK(r.ns[0] > 0 && r.ns[1] > 0 && r.ns[2] == 0);
	CHECK_INT(lab_evaluations(sc.lab), 0);
	scene_close(&sc);
}

TEST(a_variant_is_compiled_as_its_comment_says)
{
	struct scene sc;
	scene_open(&sc);
	struct lab_result r =
		try_one(&sc, "/* forge-build: gcc -O3 -march=native -ffast-math */\n" REFERENCE, 0);
	CHECK_INT(r.outcome, LAB_OK);
	CHECK(r.ratio > 0);
	CHECK(r.error < 1e-4);
	r = try_one(&sc,
		    "/* forge-build: gcc -O1 -DFLAG */\n"
		    "#ifndef FLAG\n#error no flag\n#endif\n" REFERENCE,
		    0);
	CHECK_INT(r.outcome, LAB_OK);
	scene_close(&sc);
}

/* Takes much longer where numbers are large. */
#define TOUCHY                                                                                     \
	HEAD "	for (int64_t i = 0; i < n; i++) {\n"                                                \
	     "		y[i] = sqrtf(fabsf(x[i])) * s;\n"                                                  \
	     "		for (int k = 0; x[i] > 50 && k < 100; k++)\n"                                      \
	     "			__asm__ volatile(\"\" ::: \"memory\");\n"                                         \
	     "	}\n}\n"

static void add_large_inputs(struct scene *sc)
{
	size_t i;
	json_t *shape;
	json_t *shapes = json_object_get(json_object_get(sc->data, "task"), "shapes");
	json_array_foreach(shapes, i, shape) json_object_set_new(
		shape, "more_inputs",
		json_pack("[{s:{s:s, s:i}}]", "x", "kind", "constant", "value", 100));
}

static double slowdown_of_touchy(bool with_large)
{
	struct scene sc;
	struct err e = { 0 };
	scene_open(&sc);
	lab_close(sc.lab);
	if (with_large)
		add_large_inputs(&sc);
	sc.lab = lab_open(&sc.task, REFERENCE, sc.data, sc.dir, &e);
	CHECK(sc.lab);
	struct lab_result r = try_one(&sc, TOUCHY, 0);
	CHECK_INT(r.outcome, LAB_OK);
	scene_close(&sc);
	return 1 / r.ratio;
}

TEST(every_timed_content_counts)
{
	double alone = slowdown_of_touchy(false);
	CHECK(slowdown_of_touchy(true) > 3 * alone);
}

TEST(two_threads_are_served_whoever_compiles)
{
	static const char *const threads = "	#pragma omp parallel for num_threads(2)\n";
	struct scene sc;
	scene_open(&sc);
	AUTO_FREE char *text =
		xasprintf("/* forge-build: gcc -O3 -fopenmp */\n%s%s%s}\n", HEAD, threads, BODY);
	CHECK_INT(try_one(&sc, text, 0).outcome, LAB_OK);
	if (lab_has_compiler(sc.lab, "clang"))
		CHECK_INT(try_one(&sc,
				  "/* forge-build: clang -O3 */\nint "
				  "omp_get_max_threads(void);\n" HEAD
				  "	n = omp_get_max_threads() == 2 ? n : 0;\n" BODY "}\n",
				  0)
				  .outcome,
			  LAB_OK);
	scene_close(&sc);
}

TEST(bad_variants_are_told_apart)
{
	static const struct {
		const char *source;
		enum lab_outcome outcome;
		const char *text;
	} rows[] = {
		{ HEAD "	nonsense;\n}\n", LAB_UNBUILT, "nonsense" },
		{ "/* forge-build: icc -O3 */\n" REFERENCE, LAB_UNBUILT, "icc" },
		{ "int other(void) { return 1; }\n", LAB_UNBUILT, "kern" },
		{ HEAD BODY "	y[n / 2] *= 1.01f;\n}\n", LAB_WRONG, "y[32768] at even" },
		{ HEAD BODY "	y[0] = NAN;\n}\n", LAB_WRONG, "y[0] at even is" },
		{ HEAD "	n--;\n" BODY "}\n", LAB_WRONG, "y[65535]" },
		{ HEAD BODY "	y[-1] = 1;\n}\n", LAB_WRONG, "beside y" },
		{ HEAD BODY "	y[n] = 1;\n}\n", LAB_CRASHED, "Segmentation fault at even" },
		{ HEAD BODY "	((float *)(uintptr_t)x)[0] = 1;\n}\n", LAB_CRASHED, "fault" },
		{ HEAD "	volatile int go = 1;\n	while (go)\n		;\n" BODY "}\n",
		  LAB_TOO_SLOW, "took too long" },
		{ "#include <stdlib.h>\n" HEAD BODY "	exit(0);\n}\n", LAB_CRASHED, "ended" },
	};
	struct scene sc;
	scene_open(&sc);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct lab_result r = try_one(&sc, rows[i].source, 0);
		CHECK_INT(r.outcome, rows[i].outcome);
		CHECK(strstr(r.text, rows[i].text));
		CHECK(r.ratio == 0);
	}
	CHECK_INT(try_one(&sc, TWICE, 0).outcome, LAB_OK);
	scene_close(&sc);
}

TEST(a_first_call_far_behind_the_best_is_given_up)
{
	struct scene sc;
	scene_open(&sc);
	const char *slow = HEAD "	for (volatile int k = 0; k < 100000000; k++)\n"
				"		;\n" BODY "}\n";
	struct lab_result r = try_one(&sc, slow, 4);
	CHECK_INT(r.outcome, LAB_TOO_SLOW);
	CHECK(lab_seconds_left(sc.lab) > 30);
	scene_close(&sc);
}

TEST(what_was_tried_is_known_by_its_text)
{
	struct scene sc;
	scene_open(&sc);
	const char *batch[] = { TWICE, HEAD "	nonsense;\n}\n", TWICE, REFERENCE };
	struct lab_result first[4];
	struct lab_result again[4];
	lab_try(sc.lab, batch, 4, 0, first);
	CHECK_INT(lab_evaluations(sc.lab), 2);
	CHECK_INT(first[0].outcome, LAB_OK);
	CHECK_INT(first[1].outcome, LAB_UNBUILT);
	double left = lab_seconds_left(sc.lab);
	lab_try(sc.lab, batch, 4, 0, again);
	CHECK(left - lab_seconds_left(sc.lab) < 0.05);
	CHECK(memcmp(first, again, sizeof(first)) == 0);
	CHECK(first[2].ns[0] == first[0].ns[0]);
	CHECK_INT(lab_evaluations(sc.lab), 2);
	scene_close(&sc);
}

TEST(a_known_source_can_be_timed_once_more)
{
	struct scene sc;
	scene_open(&sc);
	CHECK(lab_again(sc.lab, TWICE) == 0);
	double first = try_one(&sc, TWICE, 0).ratio;
	double again = lab_again(sc.lab, TWICE);
	CHECK(again > 0);
	CHECK_INT(lab_evaluations(sc.lab), 2);
	/* The better figure stays. */
	CHECK(try_one(&sc, TWICE, 0).ratio == (again > first ? again : first));
	scene_close(&sc);
}

TEST(a_build_may_take_some_times_as_long_as_the_slowest)
{
	CHECK_INT(lab_build_deadline_ns(0) / NS_PER_S, 20);
	CHECK_INT(lab_build_deadline_ns(NS_PER_S / 10) / NS_PER_S, 8);
	CHECK_INT(lab_build_deadline_ns(2 * NS_PER_S) / NS_PER_S, 12);
	CHECK_INT(lab_build_deadline_ns(9 * NS_PER_S) / NS_PER_S, 20);
}

TEST(a_duel_names_the_faster_one)
{
	struct scene sc;
	struct err e = { 0 };
	struct lab_duel duel;
	scene_open(&sc);
	CHECK(lab_compare(sc.lab, REFERENCE, TWICE, 0.2, &duel, &e) < 0);
	CHECK_INT(try_one(&sc, TWICE, 0).outcome, LAB_OK);
	CHECK_OK(lab_compare(sc.lab, TWICE, REFERENCE, 0.4, &duel, &e));
	printf("# twice / once: %.3f (%.3f to %.3f)\n", duel.ratio, duel.low, duel.high);
	CHECK(duel.ratio > 1.2 && duel.ratio < 4);
	CHECK(duel.low <= duel.ratio && duel.ratio <= duel.high);
	scene_close(&sc);
}

TEST(nothing_is_started_once_the_time_is_over)
{
	struct scene sc;
	struct err e = { 0 };
	CHECK(scene_try_open(&sc, &e));
	lab_close(sc.lab);
	json_object_set_new(sc.data, "lab_seconds", json_real(2.0));
	sc.lab = lab_open(&sc.task, REFERENCE, sc.data, sc.dir, &e);
	CHECK(sc.lab);
	while (lab_seconds_left(sc.lab) > 0)
		usleep(10000);
	struct lab_result r = try_one(&sc, TWICE, 0);
	CHECK_INT(r.outcome, LAB_TOO_SLOW);
	CHECK(strstr(r.text, "out of time"));
	scene_close(&sc);
}

static void check_no_lab(struct scene *sc, const char *why)
{
	struct err e = { 0 };
	CHECK(!lab_open(&sc->task, REFERENCE, sc->data, sc->dir, &e));
	printf("# %s\n", e.text);
	CHECK(strstr(e.text, why));
}

TEST(without_compiler_inputs_or_seconds_there_is_no_lab)
{
	struct scene sc;
	scene_open(&sc);
	AUTO_FREE char *path = xstrdup(getenv("PATH"));
	setenv("PATH", "/nowhere", 1);
	check_no_lab(&sc, "neither gcc nor clang");
	setenv("PATH", path, 1);
	json_t *shapes = json_object_get(json_object_get(sc.data, "task"), "shapes");
	for (size_t i = 0; i < json_array_size(shapes); i++)
		json_object_del(json_array_get(shapes, i), "inputs");
	check_no_lab(&sc, "no shape");
	json_object_del(sc.data, "lab_seconds");
	check_no_lab(&sc, "no seconds");
	scene_close(&sc);
}

TEST_MAIN()
