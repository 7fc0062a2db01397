#include "model/combine.h"

/* Which names a source declares at file scope, and what becomes of them when two sources are one.
 */

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/cscope.h"
#include "model/task.h"
#include "test.h"

static void check_names(const char *source, const char *want)
{
	AUTO_CSCOPE struct cscope c;
	cscope_read(&c, source);
	AUTO_FREE char *names = strv_join(&c.names, " ");
	CHECK_TEXT(names, want);
}

TEST(functions_objects_types_tags_and_enumerators_are_a_sources_own)
{
	static const struct {
		const char *source;
		const char *names;
	} rows[] = {
		{ "static float dot(const float *a, int n) { int local = n; return a[local]; }",
		  "dot" },
		{ "void f(int n);\nvoid f(int n) { g(n); }", "f" },
		{ "__attribute__((noinline)) static void f(void) { }", "f" },
		{ "static __attribute__((target(\"avx2\"))) void f(void) { }", "f" },
		{ "static void f(void) __attribute__((cold));\nstatic void f(void) { }", "f" },
		{ "TARGET(\"avx2\") static void f(float x[]) { }", "f" },
		{ "static float *f(int (*g)(int), int n) { }", "f" },
		{ "typedef float v8 __attribute__((vector_size(32)));\nv8 f(v8 x) { return x; }",
		  "v8 f" },
		{ "typedef struct pair { float a; enum e { A } b; } pair_t, *pair_p;",
		  "pair e A pair_t pair_p" },
		{ "typedef void (*step_fn)(int n);", "step_fn" },
		{ "static void (*const steps[])(int) = { one, two };", "steps" },
		{ "enum { WIDE = 4 * sizeof(int), HIGH = (2, 3), LAST };", "WIDE HIGH LAST" },
		{ "enum kind { K1, K2, };", "kind K1 K2" },
		{ "union __attribute__((packed)) bits { float f; int i; };", "bits" },
		{ "static const float table[2][2] = { { 1, 2 }, { 3, 4 } }, one = FLT_MAX;",
		  "table one" },
		{ "static const float t[] __attribute__((aligned(64))) = { 1 };", "t" },
		{ "int64_t __attribute__((aligned(8))) x;", "x" },
		{ "static struct pair origin = { .a = other };", "origin" },
		{ "_Static_assert(sizeof(int) == 4, \"int\");\nstatic int after;", "after" },
		{ "#ifdef A\nstatic int f(void) { return 1; }\n#else\nstatic int f(void) { return "
		  "2; "
		  "}\n#endif\n",
		  "f" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		check_names(rows[i].source, rows[i].names);
}

TEST(what_a_source_only_uses_is_not_its_own)
{
	static const char *const sources[] = {
		"extern int omp_get_num_threads(void);",
		"int omp_get_thread_num(void);",
		"extern const float theirs[4];",
		"struct known;",
		"DEFINE(4)\nDEFINE(8)\n",
		"#include \"mine.h\"\n#define LEN 4\n",
		"/* static int a; */ // static int b;\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(sources); i++)
		check_names(sources[i], "");
}

static void check_printed(const char *source, const char *want)
{
	AUTO_CSCOPE struct cscope c;
	AUTO_STR struct str out = STR_INIT;
	cscope_read(&c, source);
	cscope_print(&c, "p_", "drop-this", &out);
	CHECK_TEXT(out.text, want);
}

TEST(own_names_get_their_prefix_wherever_they_are_code)
{
	check_printed(
		"static int f(int f_) { return f_; }\nint g(void) { return f(1) + s.f; }",
		"static int p_f(int f_) { return f_; }\nint p_g(void) { return p_f(1) + s.p_f; "
		"}");
	check_printed("static int a; /* a */ // a\nchar *b(void) { return \"a\" 'a'; }",
		      "static int p_a; /* a */ // a\nchar *p_b(void) { return \"a\" 'a'; }");
	check_printed("#include <a.h>\n#define M(x) a(x) \\\n\ta(x)\n#pragma omp for schedule(a)\n"
		      "static int a(int x) { return x; }",
		      "#include <a.h>\n#define M(x) p_a(x) \\\n\tp_a(x)\n#pragma omp for "
		      "schedule(p_a)\nstatic int p_a(int x) { return x; }");
	check_printed(
		"static int cold(void) { return 1; }\n"
		"__attribute__((cold, aligned(cold))) static int g(void) { return 0xcold; }",
		"static int p_cold(void) { return 1; }\n"
		"__attribute__((cold, aligned(p_cold))) static int p_g(void) { return 0xcold; "
		"}");
	check_printed("/* drop-this: x */\nstatic float e = 1e-5f; // and drop-this\n",
		      " \nstatic float p_e = 1e-5f;  \n");
}

TEST(macros_are_those_defined_and_those_taken_away)
{
	AUTO_CSCOPE struct cscope c;
	cscope_read(&c, "#define A 1\n # define B(x) x\n#undef C\n#define A 2\n#ifdef D\n#endif\n");
	AUTO_FREE char *names = strv_join(&c.macros, " ");
	CHECK_TEXT(names, "A B C");
}

TEST(headers_are_those_that_are_always_there)
{
	AUTO_CSCOPE struct cscope c;
	cscope_read(&c,
		    "#include <a.h>\n# include \"b.h\"\r\n#if X\n#include <c.h>\n#ifdef Y\n#endif\n"
		    "#include <d.h>\n#endif\n#include NAME\n#include <a.h>\n#include <e.h>");
	AUTO_FREE char *lines = strv_join(&c.includes, "|");
	CHECK_TEXT(lines, "#include <a.h>|# include \"b.h\"|#include <e.h>");
}

TEST(types_may_lie_as_deep_as_they_like)
{
	AUTO_STR struct str text = STR_INIT;
	for (int i = 0; i < 200000; i++)
		str_add(&text, "struct{");
	str_add(&text, "struct deep { enum { LAST } e; } d;");
	check_names(text.text, "deep LAST");
}

TEST(a_source_that_declares_too_much_is_refused_in_good_time)
{
	AUTO_STR struct str text = STR_INIT;
	for (int i = 0; i < 5000; i++)
		str_addf(&text, "int n%d; /* */\n#define M%d\n", i, i);
	AUTO_CSCOPE struct cscope c;
	cscope_read(&c, text.text);
	CHECK(c.is_too_large);
	CHECK_INT(c.names.nr, CSCOPE_MAX_NAMES);
}

TEST(text_that_ends_anywhere_is_read_to_its_end)
{
	static const char source[] = "typedef struct s { int a[2]; } t; enum { A = (1), B };\n"
				     "#define M(x) \\\n x\nstatic const char q[] = \"a\\\"\\\n\";\n"
				     "__attribute__((cold)) void f(int (*g)(int)) { /* x */ }";
	for (size_t len = 0; len < sizeof(source); len++) {
		AUTO_FREE char *text = xstrndup(source, len);
		AUTO_CSCOPE struct cscope c;
		AUTO_STR struct str out = STR_INIT;
		cscope_read(&c, text);
		cscope_print(&c, "", "never", &out);
		CHECK_TEXT(out.text, text);
	}
}

struct scene {
	struct dim dims[3][2];
	struct shape shapes[3];
	struct arg args[4];
	struct task task;
	struct str out;
};

static void scene_init(struct scene *sc)
{
	*sc = (struct scene){ .out = STR_INIT };
	static const char *const names[] = { "small", "large", "unseen" };
	for (int i = 0; i < 3; i++) {
		sc->dims[i][0] = (struct dim){ "n", 4 + i };
		sc->dims[i][1] = (struct dim){ "m", 10 };
		sc->shapes[i] = (struct shape){ .name = names[i],
						.dims = { sc->dims[i], 2 },
						.held_out = i == 2 };
	}
	sc->args[0] = (struct arg){ .name = "x", .role = ARG_INOUT, .dtype = DTYPE_F32 };
	sc->args[1] = (struct arg){ .name = "n", .role = ARG_SCALAR, .dtype = DTYPE_I64 };
	sc->args[2] = (struct arg){
		.name = "twice", .role = ARG_SCALAR, .dtype = DTYPE_I32, .value = "2*m"
	};
	sc->args[3] =
		(struct arg){ .name = "s", .role = ARG_SCALAR, .dtype = DTYPE_F32, .value = "0.5" };
	sc->task = (struct task){ .entry = "run", .args = sc->args, .nr_args = 4 };
	sc->task.shapes.items = sc->shapes;
	sc->task.shapes.nr = 3;
}

static int scene_combine(struct scene *sc, const char *first, const char *second, struct err *e)
{
	static const size_t part_of[] = { 1, 0, 1 };
	const struct combine_part parts[] = { { "round 7", first }, { "round 2", second } };
	const struct combine_spec spec = { .task = &sc->task,
					   .build = "gcc -O3",
					   .parts = parts,
					   .nr_parts = 2,
					   .part_of = part_of };
	str_clear(&sc->out);
	return combine_write(&spec, &sc->out, e);
}

#define RUN "void run(float *x, int64_t n, int32_t twice, float s)"

TEST(the_entry_asks_its_integers_which_kernel_is_called)
{
	struct err e = { 0 };
	struct scene sc;
	scene_init(&sc);
	CHECK_OK(scene_combine(&sc, RUN " { x[0] = s; }\n",
			       "/* forge-build: gcc -O3 */\n#include <math.h>\n#define K 2\n" RUN
			       " { x[0] = K; }\n",
			       &e));
	CHECK_TEXT(sc.out.text,
		   "/* forge-build: gcc -O3 */\n"
		   "/* Made by forge of several kernels, each for the sizes at which it was the "
		   "fastest:\n"
		   " *   part1_ is round 7: all other sizes\n"
		   " *   part2_ is round 2: small\n"
		   " */\n"
		   "#include <forge/kernel.h>\n#include <math.h>\n"
		   "\n/* part1_: round 7 */\n"
		   "static void part1_run(float *x, int64_t n, int32_t twice, float s);\n"
		   "void part1_run(float *x, int64_t n, int32_t twice, float s) { x[0] = s; }\n\n"
		   "\n/* part2_: round 2 */\n"
		   "#pragma push_macro(\"K\")\n"
		   "static void part2_run(float *x, int64_t n, int32_t twice, float s);\n"
		   " \n#include <math.h>\n#define K 2\n"
		   "void part2_run(float *x, int64_t n, int32_t twice, float s) { x[0] = K; }\n\n"
		   "#pragma pop_macro(\"K\")\n"
		   "\nvoid run(float *x, int64_t n, int32_t twice, float s)\n{\n"
		   "\tif (n == 4 && twice == 20) /* small */\n"
		   "\t\tpart2_run(x, n, twice, s);\n"
		   "\telse\n"
		   "\t\tpart1_run(x, n, twice, s);\n"
		   "}\n");
	str_release(&sc.out);
}

TEST(a_kernel_that_was_combined_before_can_be_combined_again)
{
	struct err e = { 0 };
	struct scene sc;
	scene_init(&sc);
	CHECK_OK(scene_combine(&sc, RUN " { }", RUN " { }", &e));
	AUTO_FREE char *once = str_take(&sc.out);
	CHECK_OK(scene_combine(&sc, once, RUN " { }", &e));
	CHECK(strstr(sc.out.text, "part_a1_part1_run("));
	CHECK(strstr(sc.out.text, "part_a2_run("));
	str_release(&sc.out);
}

TEST(sizes_that_the_entry_can_not_tell_apart_are_refused)
{
	struct err e = { 0 };
	struct scene sc;
	scene_init(&sc);
	sc.dims[1][0].value = 4;
	CHECK(scene_combine(&sc, RUN " { }", RUN " { }", &e) < 0);
	CHECK_TEXT(e.text, "the integers among the arguments are the same at small and large");
	str_release(&sc.out);
}

TEST(a_source_without_the_entry_in_sight_is_refused)
{
	struct err e = { 0 };
	struct scene sc;
	scene_init(&sc);
	CHECK(scene_combine(&sc, RUN " { }", "#define E run\nvoid E(float *x) { }", &e) < 0);
	CHECK_TEXT(e.text, "the source of round 2 defines no run in sight");
	AUTO_STR struct str many = STR_INIT;
	for (int i = 0; i <= CSCOPE_MAX_NAMES; i++)
		str_addf(&many, "int n%d;\n", i);
	CHECK(scene_combine(&sc, many.text, RUN " { }", &e) < 0);
	CHECK_TEXT(e.text, "the source of round 7 declares more than 1024 names");
	str_release(&sc.out);
}

TEST_MAIN()
