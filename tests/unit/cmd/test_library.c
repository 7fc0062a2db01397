#include "export/export.h"

#include <math.h>

#include "build/build.h"
#include "export/body.h"
#include "export/claim.h"
#include "judge/compare.h"
#include "judge/tolerance.h"
#include "model/task.h"
#include "sys/proc.h"

/* An exported library, linked to a small program of somebody else, held to the judge of its task:
 * the same bytes as those that were measured, and right where it says that it serves. */

enum { SHORT_N = 600, SHORT_M = 24 };

/* What somebody else writes: it takes sizes and which body, and leaves what came out in a file. */
static const char program[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include \"forge_powers.h\"\n"
	"void reference(const float *, const float *, float *, int64_t, int64_t);\n"
	"int main(int argc, char **argv)\n{\n"
	"	int64_t n = atoi(argv[1]), m = atoi(argv[2]);\n"
	"	float *x = aligned_alloc(64, 65536), *c = aligned_alloc(64, 65536);\n"
	"	float *y = aligned_alloc(64, 65536);\n"
	"	for (int64_t i = 0; i < n; i++)\n		x[i] = 0.9f + 0.1f * (float)i / "
	"(float)n;\n"
	"	for (int64_t i = 0; i < m; i++)\n		c[i] = 0.2f + (float)i / "
	"(float)m;\n"
	"	if (argv[3][0] == 'r')\n		reference(x, c, y, n, m);\n"
	"	int body = argv[3][0] == 'r' ? 9 : forge_powers(x + atoi(argv[4]), c, y, n, m);\n"
	"	fwrite(y, sizeof(*y), (size_t)n, fopen(argv[5], \"w\"));\n"
	"	return argc && body < 0 ? 20 - body : body;\n}\n";

static const char threaded[] = "/* forge-build: gcc -O2 -fopenmp */\n#include <stdint.h>\n" POWERS
			       "\n{\n#pragma omp parallel for num_threads(2)\n"
			       "	for (int64_t i = 0; i < n; i++) {\n"
			       "		float sum = 0, power = 1;\n"
			       "		for (int64_t j = 0; j < m; j++, power *= "
			       "x[i])\n			sum += c[j] * power;\n"
			       "		y[i] = sum;\n	}\n}\n/* FAKE speedup=4 */\n";

/* The same call, alone and inside of a parallel region. */
static const char nested[] =
	"#include <stdlib.h>\n#include \"forge_powers.h\"\n"
	"int main(int argc, char **argv)\n{\n"
	"	float *x = aligned_alloc(64, 65536), *y = aligned_alloc(64, 65536);\n"
	"	int body = 9;\n	(void)argv;\n"
	"	for (int i = 0; i < 10000; i++)\n		x[i] = 0.5f;\n"
	"#pragma omp parallel num_threads(2) if (argc > 1)\n#pragma omp master\n"
	"	body = forge_powers(x, x, y, 600, 24);\n	return body;\n}\n";

struct world {
	struct scene sc;
	char *best;
	char *library;
};

static char *object_of(const struct scene *sc, const char *source, enum build_role role)
{
	struct err e = { 0 };
	AUTO_TASK struct task t = { 0 };
	AUTO_BUILD struct build b = { 0 };
	AUTO_FREE char *dir = claim_place(sc, build_role_name(role));
	CHECK_OK(task_load(&t, sc->task, &e));
	const struct build_spec spec = { .task = &t,
					 .role = role,
					 .source_path = source,
					 .out_dir = dir,
					 .nr_layouts = 1,
					 .default_build = t.reference_build,
					 .kit_dir = "include",
					 .accept_weak = true };
	CHECK_OK(build_run(&b, &spec, &e));
	CHECK_INT(b.verdict.state, VERDICT_NONE);
	return xstrdup(b.object.hex);
}

/* A claim whose objects are those that a compiler makes of its sources. */
static void world_finish(struct world *w)
{
	w->best = claim_best(&w->sc);
	w->library = claim_place(&w->sc, "library");
	AUTO_FREE char *candidate = path_join(w->best, "kernel.c");
	AUTO_FREE char *reference = path_join(w->best, "reference/kernel.c");
	AUTO_FREE char *object = object_of(&w->sc, candidate, BUILD_CANDIDATE);
	AUTO_FREE char *other = object_of(&w->sc, reference, BUILD_REFERENCE);
	claim_rechain(w->best, object, other);
	const struct export_spec spec = { .from = w->best, .to = w->library, .accept_weak = true };
	claim_exported(&spec);
}

static void world_make(struct world *w)
{
	struct err e = { 0 };
	AUTO_STR struct str source = STR_INIT;
	CHECK_OK(file_read("tests/crash/task/replay/wide.c", 1 << 20, &source, &e));
	AUTO_FREE char *marked = xasprintf("%s/* FAKE speedup=4 */\n", source.text);
	const char *const student[] = { marked, NULL };
	claim_run(&w->sc, student);
	world_finish(w);
}

static struct world made; /* by main */

/* A copy for a test. */
static void world_open(struct world *w)
{
	struct err e = { 0 };
	claim_copy(&w->sc, &made.sc);
	w->best = claim_best(&w->sc);
	w->library = claim_place(&w->sc, "library");
	CHECK_OK(tree_copy(made.library, w->library, &e));
}

static void world_close(struct world *w)
{
	free(w->best);
	free(w->library);
	scene_close(&w->sc);
}

static int run_in(const char *dir, const char *command)
{
	struct err e = { 0 };
	const char *const argv[] = { "sh", "-c", command, NULL };
	const struct proc_spec spec = { .argv = argv, .cwd = dir };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(proc_run(&r, &spec, &e));
	if (r.exit_code)
		printf("# %s: exit %d: %s%s\n", command, r.exit_code, r.out.text, r.err.text);
	return r.exit_code;
}

static void build_program(const struct world *w)
{
	claim_put(w->library, "program.c", program);
	CHECK_INT(run_in(w->library, "gcc -O2 -Dpowers=reference -c -o ref.o src/reference.c && "
				     "gcc -O2 -Iinclude -o program program.c ref.o lib/*.a -lm"),
		  0);
}

static int call(const struct world *w, const char *arguments)
{
	AUTO_FREE char *command = xasprintf("./program %s out.bin", arguments);
	return run_in(w->library, command);
}

/* The judge's own answer to the program's operands. */
static void judge_short(double *want)
{
	for (int i = 0; i < SHORT_N; i++) {
		const double x = 0.9f + 0.1f * (float)i / (float)SHORT_N;
		double value = 0;
		for (int j = SHORT_M - 1; j >= 0; j--)
			value = value * x + (double)(0.2f + (float)j / (float)SHORT_M);
		want[i] = value;
	}
}

static struct compare compare_short(const struct world *w, const double *want,
				    const struct tolerance *allowed)
{
	struct compare c;
	AUTO_STR struct str got = STR_INIT;
	const int64_t extent[] = { SHORT_N };
	claim_read(w->library, "out.bin", &got);
	CHECK_INT(got.len, SHORT_N * sizeof(float));
	AUTO_FREE float *values = xcalloc(SHORT_N, sizeof(*values));
	memcpy(values, got.text, got.len);
	const struct compare_spec spec = { .dtype = DTYPE_F32,
					   .extent = extent,
					   .rank = 1,
					   .got = values,
					   .want = want,
					   .tol_slice = allowed ? allowed->slice : INFINITY,
					   .tol_tensor = allowed ? allowed->tensor : INFINITY };
	compare_run(&spec, &c);
	return c;
}

/* Tolerances as a run freezes them: what the reference itself earns. */
TEST(a_program_of_somebody_else_gets_what_the_judge_accepts)
{
	struct world w;
	double want[SHORT_N];
	world_open(&w);
	build_program(&w);
	judge_short(want);
	CHECK_INT(call(&w, "600 24 r 0"), 9);
	const struct compare reference = compare_short(&w, want, NULL);
	const struct tolerance earned = { .slice = reference.max_slice_err,
					  .tensor = reference.max_tensor_err };
	const struct tolerance allowed = tolerance_of(DTYPE_F32, earned);
	CHECK_INT(call(&w, "600 24 k 0"), 0);
	const struct compare kernel = compare_short(&w, want, &allowed);
	CHECK_INT(kernel.nr_wrong, 0);
	world_close(&w);
}

TEST(only_what_was_judged_is_served_by_the_kernel)
{
	struct world w;
	world_open(&w);
	build_program(&w);
	CHECK_INT(call(&w, "1011 17 k 0"), 0);
	CHECK_INT(call(&w, "333 21 k 0"), 0);  /* held out, and confirmed */
	CHECK_INT(call(&w, "600 23 k 0"), 1);  /* the reference */
	CHECK_INT(call(&w, "600 24 k 1"), 21); /* misaligned: nothing */
	world_close(&w);
}

TEST(the_library_builds_its_example_and_holds_its_own_bytes)
{
	struct world w;
	world_open(&w);
	CHECK_INT(run_in(w.library, "make -s && ./example | grep -q 'served by the kernel'"), 0);
	CHECK_INT(run_in(w.library, "make -s check"), 0);
	CHECK_INT(run_in(w.library, "test $(wc -l < example.c) -le 20"), 0);
	CHECK_INT(run_in(w.library, "gcc -Wall -Wextra -Wpedantic -Werror -std=c17 -Iinclude "
				    "-fsyntax-only src/entry.c"),
		  0);
	CHECK_INT(run_in(w.library,
			 "cp src/kernel.o was.o && make -s rebuild && cmp was.o src/kernel.o"),
		  0);
	CHECK_INT(run_in(w.library, "make -s check"), 0);
	world_close(&w);
}

TEST(a_kernel_with_threads_gets_its_own_number_of_them_or_no_call)
{
	const char *const student[] = { threaded, NULL };
	struct world w;
	scene_open(&w.sc);
	setenv("FORGE_SHARE", "share", 1);
	scene_edit(&w.sc, "task.toml", "threads = 1", "threads = 2");
	scene_student(&w.sc, student);
	scene_new(&w.sc);
	scene_run_ok(&w.sc);
	world_finish(&w);
	claim_put(w.library, "nested.c", nested);
	CHECK_INT(run_in(w.library, "gcc -O2 -Iinclude -o nested nested.c lib/*.a -fopenmp -lm"),
		  0);
	CHECK_INT(run_in(w.library, "OMP_NUM_THREADS=1 ./nested"), 0);
	CHECK_INT(run_in(w.library, "./nested inside"), 1);
	CHECK_INT(run_in(w.library, "OMP_THREAD_LIMIT=1 ./nested"), 1);
	CHECK_INT(run_in(w.library, "make -s && ./example && make -s check"), 0);
	world_close(&w);
}

TEST(a_changed_library_is_found)
{
	struct world w;
	world_open(&w);
	CHECK_INT(run_in(w.library,
			 "gcc -O0 -Isrc/include -c -o src/kernel.o src/kernel.c && make -s lib && "
			 "sed -i '/kernel.o\\|\\.a$/d' SHA256SUMS"),
		  0);
	CHECK(run_in(w.library, "make -s check") != 0);
	world_close(&w);
}

TEST(a_program_finds_it_by_pkg_config)
{
	struct world w;
	if (run_in("/", "command -v pkg-config > /dev/null"))
		SKIP("no pkg-config here");
	world_open(&w);
	CHECK_INT(run_in(w.library,
			 "make -s install PREFIX=$PWD/there && "
			 "PKG_CONFIG_PATH=there/lib/pkgconfig sh -c 'gcc -o other example.c "
			 "$(pkg-config --cflags --libs forge_powers)' && ./other"),
		  0);
	world_close(&w);
}

TEST(objects_with_other_code_are_told_apart)
{
	struct err e = { 0 };
	struct world w;
	world_open(&w);
	AUTO_FREE char *kernel = path_join(w.library, "src/kernel.o");
	AUTO_FREE char *reference = path_join(w.library, "src/reference.o");
	CHECK_OK(body_check_same_code(kernel, kernel, &e));
	CHECK(body_check_same_code(kernel, reference, &e) < 0);
	CHECK_INT(e.kind, ERR_CONFLICT);
	world_close(&w);
}

int main(int argc, char **argv)
{
	world_make(&made);
	int code = test_main(argc, argv);
	world_close(&made);
	return code;
}
