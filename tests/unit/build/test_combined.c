#include "model/combine.h"

/* What combine writes goes through the compilers and the screens, and calls the right part. The
 * loader calls a kernel with x = 1..8, n = 8 and s = 3 and prints y[1]. */

#include "fixture.h"

/* Every kind of name twice, with other meanings, and what a source may set for its rest. */
static const char doubles[] =
	"#include <math.h>\n#include <string.h>\n#include <forge/kernel.h>\n"
	"#define FACTOR 2\n#define min(a, b) ((a) < (b) ? (a) : (b))\n#undef INFINITY\n"
	"#pragma GCC optimize(\"O1\")\n"
	"enum { WIDE = 4 };\n"
	"typedef float lanes __attribute__((vector_size(4 * WIDE)));\n"
	"struct step { float scale; };\n"
	"static const float table[] __attribute__((aligned(64))) = { 1, FACTOR };\n"
	"static float scaled(struct step s, float x) { return s.scale * x * table[1] / table[1]; "
	"}\n"
	"static float (*const steps[])(struct step, float) = { scaled };\n" KERNEL
	"{\n\tconst struct step own = { s };\n\tlanes last = { 0 };\n"
	"\tmemset(y, 0, (size_t)n * sizeof(*y));\n"
	"\tfor (int64_t i = 0; i < min(n, 100); i++)\n\t\ty[i] = steps[0](own, x[i]);\n"
	"\ty[0] += last[0];\n}\n";
static const char halves[] =
	"#include <forge/kernel.h>\n#include <math.h>\n"
	"#define FACTOR 0.5f\n#define min 3\n"
	"enum { WIDE = 8, WIDER };\n"
	"typedef double lanes;\n"
	"struct step { int unused; double by; };\n"
	"static const double table[4] = { min, 0, 0, FACTOR };\n"
	"static double scaled(const float *x, int64_t i);\n"
	"static double scaled(const float *x, int64_t i) { return (double)x[i] * table[3]; }\n"
	"static int steps(void) { return INFINITY > WIDER ? WIDER : WIDE; }\n" KERNEL
	"{\n\tconst struct step own = { steps(), table[3] };\n\tlanes sum = own.by;\n\t(void)s;\n"
	"\tfor (int64_t i = 0; i < n; i++)\n\t\ty[i] = (float)(scaled(x, i) + sum - "
	"table[3]);\n}\n";

struct pair {
	struct fixture f;
	struct dim dims[2];
	struct shape shapes[2];
	struct str text;
};

static void pair_init(struct pair *p, int64_t served)
{
	fixture_init(&p->f, 1);
	p->text = (struct str)STR_INIT;
	p->dims[0] = (struct dim){ "n", served };
	p->dims[1] = (struct dim){ "n", 1000 };
	p->shapes[0] = (struct shape){ .name = "served", .dims = { &p->dims[0], 1 } };
	p->shapes[1] = (struct shape){ .name = "other", .dims = { &p->dims[1], 1 } };
	p->f.task.shapes.items = p->shapes;
	p->f.task.shapes.nr = 2;
}

static void pair_release(struct pair *p)
{
	str_release(&p->text);
	fixture_release(&p->f);
}

/* `special` serves the shape, `general` the rest. */
static void pair_build(struct pair *p, const char *build, const char *general, const char *special,
		       struct build *b)
{
	static const size_t part_of[] = { 1, 0 };
	const struct combine_part parts[] = { { "round 1", general }, { "round 2", special } };
	const struct combine_spec spec = { .task = &p->f.task,
					   .build = build,
					   .parts = parts,
					   .nr_parts = 2,
					   .part_of = part_of };
	struct err e = { 0 };
	CHECK_OK(combine_write(&spec, &p->text, &e));
	CHECK_OK(file_write_text(p->f.source_path, p->text.text, &e));
	CHECK_OK(build_run(b, &p->f.spec, &e));
}

static void check_dispatch(const char *build)
{
	static const struct {
		int64_t served;
		const char *general;
		const char *special;
		const char *want;
	} rows[] = { { 8, doubles, halves, "1 1f80 1f80\n" },
		     { 9, doubles, halves, "6 1f80 1f80\n" },
		     { 8, halves, doubles, "6 1f80 1f80\n" },
		     { 9, halves, doubles, "1 1f80 1f80\n" },
		     { 8, halves, halves, "1 1f80 1f80\n" } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct pair p;
		AUTO_BUILD struct build b;
		pair_init(&p, rows[i].served);
		pair_build(&p, build, rows[i].general, rows[i].special, &b);
		check_passes(&b);
		CHECK_TEXT(b.flags, build);
		check_called(&p.f, b.so_paths[0], rows[i].want);
		pair_release(&p);
	}
}

TEST(two_kernels_in_one_file_do_not_meet)
{
	check_dispatch("gcc -O2 -march=native");
}

TEST(nor_do_they_with_the_other_compiler)
{
	if (!has_program("clang"))
		SKIP("no clang");
	check_dispatch("clang -O3");
}

/* Names that macros paste are out of sight: the compiler says so, nothing is quietly wrong. */
TEST(what_the_renaming_does_not_see_is_a_second_definition)
{
	static const char pasted[] =
		HEAD "#define NAMED(a) a##_of\n"
		     "static float NAMED(half)(float x) { return x / 2; }\n" KERNEL
		     "{ for (int64_t i = 0; i < n; i++) y[i] = half_of(x[i]) * s; }\n";
	struct pair p;
	AUTO_BUILD struct build b;
	pair_init(&p, 8);
	pair_build(&p, "gcc -O2", pasted, pasted, &b);
	CHECK_INT(b.verdict.reason, REASON_compile_failed);
	CHECK(strstr(b.log, "redefinition"));
	pair_release(&p);
}

TEST_MAIN()
