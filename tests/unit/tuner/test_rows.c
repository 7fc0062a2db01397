#include "kernels.h"

#include "tuner/ir.h"

TEST(row_values_are_read_strictly)
{
	static const struct {
		const char *text;
		const char *reason;
	} bad[] = {
		{ "", "empty" },
		{ "paint loop=L0", "no kind" },
		{ "threads loop=L0", "needs n=" },
		{ "threads loop=L0 n=2 n=3", "twice" },
		{ "threads loop=L0 n=2 colour=red", "knows only" },
		{ "simd L0", "key=value" },
		{ "simd loop=", "key=value" },
	};
	AUTO_ARENA struct arena a = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct row row;
		struct err e = { 0 };
		CHECK(row_parse(&row, bad[i].text, &a, &e) < 0 && strstr(e.text, bad[i].reason));
	}
}

TEST(a_later_row_replaces_one_of_its_kind_and_loop)
{
	AUTO_ARENA struct arena a = { 0 };
	struct row old;
	struct row same;
	struct row other;
	struct err e = { 0 };
	CHECK_OK(row_parse(&old, "unroll loop=L0 n=4", &a, &e));
	CHECK_OK(row_parse(&same, "unroll loop=L0 n=8", &a, &e));
	CHECK_OK(row_parse(&other, "unroll loop=L1 n=8", &a, &e));
	CHECK(row_supersedes(&same, &old) && !row_supersedes(&other, &old));
	CHECK_OK(row_parse(&old, "build cc=gcc flags=-O2", &a, &e));
	CHECK_OK(row_parse(&same, "build cc=clang flags=-O3", &a, &e));
	CHECK(row_supersedes(&same, &old));
}

TEST(build_writes_the_directive_within_the_first_lines)
{
	AUTO_FREE char *text =
		WITH(KERNEL_ROWS, "build cc=gcc flags=-O3,-march=native,-ffast-math");
	const char *at = strstr(text, "forge-build: gcc -O3 -march=native -ffast-math\n");
	CHECK(at && at - text < 20);
	CHECK(kernel_same(KERNEL_ROWS, text));
}

TEST(build_takes_flags_only)
{
	AUTO_FREE char *flag = REFUSAL(KERNEL_ROWS, "build cc=gcc flags=-O3,x.c");
	CHECK(strstr(flag, "no flag"));
	AUTO_FREE char *end = REFUSAL(KERNEL_ROWS, "build cc=gcc flags=-O3*/int");
	CHECK(strstr(end, "no flag"));
	AUTO_FREE char *cc = REFUSAL(KERNEL_ROWS, "build cc=tcc flags=-O3");
	CHECK(strstr(cc, "no compiler"));
}

TEST(a_directive_of_the_source_gives_way)
{
	AUTO_FREE char *text =
		WITH("/* forge-build: clang -O1 */\n" KERNEL_ROWS, "build cc=gcc flags=-O3");
	CHECK_INT(count(text, "forge-build:"), 1);
}

TEST(specialise_keeps_a_general_body_and_chooses_by_size)
{
	AUTO_FREE char *text = WITH(KERNEL_ROWS, "specialise shapes=all");
	CHECK(strstr(text, "if (n == 8 && m == 33 && k == 5)\n\t\tkern_8x33(a, b, c);"));
	CHECK(strstr(text, "else if (n == 13 && m == 20 && k == 7)\n\t\tkern_odd(a, b, c);"));
	CHECK(strstr(text, "else\n\t\tkern_any(a, b, c, n, m, k);"));
	CHECK(strstr(text, "const int64_t m = 33;"));
	CHECK(strstr(text, "a = FORGE_ALIGNED(a);"));
	CHECK_INT(count(text, "float *restrict c"), 3);
	CHECK(kernel_same(KERNEL_ROWS, text));
}

TEST(specialise_gives_local_arrays_a_fixed_length)
{
	AUTO_FREE char *text = WITH(KERNEL_TRIANGLE, "specialise shapes=all");
	CHECK(strstr(text, "float p[8];") && strstr(text, "float p[13];") &&
	      strstr(text, "float p[n];"));
	CHECK(kernel_same(KERNEL_TRIANGLE, text));
}

TEST(specialise_leaves_a_size_that_the_body_changes_alone)
{
	AUTO_FREE char *text = WITH(KERNEL_ODD, "specialise shapes=all");
	CHECK(strstr(text, "\tint64_t k = 5;") && !strstr(text, "const int64_t k"));
	CHECK(kernel_same(KERNEL_ODD, text));
}

TEST(specialised_names_never_meet_names_of_the_source)
{
	AUTO_FREE char *text =
		WITH("static void kern_any(void) {}\n" KERNEL_ROWS, "specialise shapes=none");
	CHECK(strstr(text, "void kern_any_2("));
}

/* Names of shapes are anybody's. */
TEST(functions_of_shapes_never_share_a_name)
{
	struct dim more[2][3] = { { { "n", 9 }, { "m", 31 }, { "k", 4 } },
				  { { "n", 33 }, { "m", 8 }, { "k", 6 } } };
	struct tuner_shape shapes[] = {
		{ .name = "any", .dims = { kernel_dims[0], 3 }, .sizes = { kernel_dims[0], 3 } },
		{ .name = "plain", .dims = { kernel_dims[1], 3 }, .sizes = { kernel_dims[1], 3 } },
		{ .name = "a.b", .dims = { more[0], 3 }, .sizes = { more[0], 3 } },
		{ .name = "a-b", .dims = { more[1], 3 }, .sizes = { more[1], 3 } },
	};
	static const char *const rows[] = { "specialise shapes=all", NULL };
	struct tuner_task task = kernel_task;
	task.shapes = shapes;
	task.nr_shapes = ARRAY_LEN(shapes);
	AUTO_FREE char *text = kernel_for(&task, KERNEL_ROWS, rows);
	CHECK(strstr(text, "void kern_any_2(") && strstr(text, "void kern_plain_2("));
	CHECK(strstr(text, "void kern_a_b(") && strstr(text, "void kern_a_b_2("));
	CHECK(kernel_same(KERNEL_ROWS, text));
}

TEST(scalarise_keeps_one_element_in_a_variable)
{
	AUTO_FREE char *text = WITH(KERNEL_NEST, "scalarise loop=L0.0.0");
	CHECK(strstr(text, "float c_kept = c[i * m + j];"));
	CHECK(strstr(text, "c_kept += a[i * k + p] * b[p * m + j];"));
	CHECK(strstr(text, "c[i * m + j] = c_kept;"));
	CHECK(kernel_same(KERNEL_NEST, text));
}

TEST(scalarise_refuses_what_moves_or_is_conditional)
{
	AUTO_FREE char *moves = REFUSAL(KERNEL_TURN, "scalarise loop=L0.0");
	CHECK(strstr(moves, "no element"));
	AUTO_FREE char *conditional = REFUSAL(
		KERNEL_HEAD "{ for (int64_t i = 0; i < n; i++) if (a[i] > 0) c[0] += a[i]; }",
		"scalarise loop=L0");
	CHECK(strstr(conditional, "no element"));
	AUTO_FREE char *two =
		REFUSAL(KERNEL_HEAD "{ for (int64_t i = 0; i < n; i++) c[0] += c[i]; }",
			"scalarise loop=L0");
	CHECK(strstr(two, "no element"));
}

TEST(printed_lines_are_wrapped_behind_commas_and_operators)
{
	AUTO_FREE char *text = WITH(KERNEL_ROWS, "specialise shapes=all", "threads loop=L0 n=2");
	AUTO_STRV struct strv lines = { 0 };
	strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.nr; i++)
		CHECK(strlen(lines.items[i]) <= 100);
}

TEST(simd_names_its_reductions)
{
	AUTO_FREE char *sum = WITH(KERNEL_ROWS, "simd loop=L0.0", "build cc=gcc flags=-O3");
	CHECK(strstr(sum, "#pragma omp simd reduction(+ : sum)\n"));
	CHECK(strstr(sum, "forge-build: gcc -O3 -fopenmp-simd\n"));
	CHECK(kernel_same(KERNEL_ROWS, sum));
	AUTO_FREE char *plain = WITH(KERNEL_ROWS, "simd loop=L0.1");
	CHECK(strstr(plain, "#pragma omp simd\n"));
	AUTO_FREE char *both = WITH(KERNEL_TRIANGLE, "simd loop=L0.1", "simd loop=L0.0");
	CHECK(strstr(both, "reduction(max : top)") && strstr(both, "reduction(+ : sum)"));
	CHECK(kernel_same(KERNEL_TRIANGLE, both));
}

TEST(simd_refuses_carried_values)
{
	AUTO_FREE char *chain = REFUSAL(KERNEL_CHAIN, "simd loop=L0");
	CHECK(strstr(chain, "from one iteration to the next"));
	AUTO_FREE char *place = REFUSAL(KERNEL_PLACE, "simd loop=L0.0");
	CHECK(strstr(place, "from one iteration to the next"));
	AUTO_FREE char *outer = REFUSAL(KERNEL_ROWS, "simd loop=L0");
	CHECK(strstr(outer, "another loop"));
}

TEST(unroll_is_spelt_for_the_compiler)
{
	AUTO_FREE char *gcc = WITH(KERNEL_TURN, "unroll loop=L0.0 n=4");
	CHECK(strstr(gcc, "#pragma GCC unroll 4\n\t\tfor (int64_t j"));
	CHECK(kernel_same(KERNEL_TURN, gcc));
	AUTO_FREE char *clang =
		WITH(KERNEL_TURN, "unroll loop=L0.0 n=4", "build cc=clang flags=-O2");
	CHECK(strstr(clang, "#pragma unroll 4\n"));
	AUTO_FREE char *lanes = REFUSAL(KERNEL_ROWS, "simd loop=L0.0", "unroll loop=L0.0 n=4");
	CHECK(strstr(lanes, "lanes"));
}

TEST(all_rows_together_compute_the_same)
{
	AUTO_FREE char *rows =
		WITH(KERNEL_ROWS, "specialise shapes=all", "threads loop=L0 n=2", "simd loop=L0.0",
		     "unroll loop=L0.1 n=4", "build cc=gcc flags=-O3,-march=native,-ffast-math");
	CHECK(kernel_same(KERNEL_ROWS, rows));
	AUTO_FREE char *nest = WITH(KERNEL_NEST, "specialise shapes=all", "threads loop=L0 n=2",
				    "scalarise loop=L0.0.0", "simd loop=L0.0.0",
				    "build cc=gcc flags=-O3,-march=native,-ffast-math");
	CHECK(strstr(nest, "reduction(+ : c_kept)"));
	CHECK(kernel_same(KERNEL_NEST, nest));
	AUTO_FREE char *turn = WITH(KERNEL_TURN, "specialise shapes=all", "threads loop=L0 n=2",
				    "build cc=gcc flags=-O3,-march=native");
	CHECK(kernel_same(KERNEL_TURN, turn));
	AUTO_FREE char *sweeps = WITH(KERNEL_SWEEPS, "specialise shapes=all", "threads loop=L0 n=2",
				      "build cc=gcc flags=-O3,-march=native");
	CHECK(kernel_same(KERNEL_SWEEPS, sweeps));
}

TEST(a_finished_kernel_is_a_reference_again)
{
	AUTO_FREE char *once = WITH(KERNEL_ROWS, "specialise shapes=all", "threads loop=L0 n=2");
	AUTO_FREE char *twice = WITH(once, "build cc=gcc flags=-O3,-march=native");
	CHECK(kernel_same(KERNEL_ROWS, twice));
}

TEST(a_source_that_is_not_read_still_builds_otherwise)
{
	static const char source[] =
		"#define FLIP 1\n" KERNEL_HEAD "{\n#if FLIP\n	c[0] = a[0];\n"
		"#endif\n	(void)b, (void)n, (void)m, (void)k;\n}\n";
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	AUTO_STR struct str out = STR_INIT;
	struct err e = { 0 };
	kernel_init(&k, source, &kernel_task, &a);
	CHECK(k.unread != NULL);
	CHECK(!kernel_apply(&k, "specialise shapes=all", &e));
	CHECK(!kernel_apply(&k, "unroll loop=L0 n=2", &e));
	CHECK(kernel_apply(&k, "build cc=gcc flags=-O3", &e));
	kernel_print(&k, &out);
	CHECK(strstr(out.text, source) && strstr(out.text, "forge-build: gcc -O3\n"));
	CHECK(strstr(out.text, "could not read"));
	CHECK(kernel_same(source, out.text));
}

/* The fenced block of a page that follows a heading; yours. */
static char *fence_after(const char *page, const char *mark, const char *fence)
{
	const char *at = strstr(page, mark);
	CHECK(at != NULL);
	at = strstr(at, fence);
	CHECK(at != NULL);
	at += strlen(fence);
	const char *end = strstr(at, "\n```");
	CHECK(end != NULL);
	return xstrndup(at, (size_t)(end - at) + 1);
}

TEST(the_example_of_the_format_page_is_what_happens)
{
	struct tuner_arg args[] = { { .name = "x" },
				    { .name = "y" },
				    { .name = "rows", .is_scalar = true, .is_size = true },
				    { .name = "cols", .is_scalar = true, .is_size = true } };
	struct dim dims[] = { { "rows", 64 }, { "cols", 32 } };
	struct tuner_shape shape = { .name = "s", .dims = { dims, 2 }, .sizes = { dims, 2 } };
	const struct tuner_task task = { .entry = "scale_rows",
					 .threads = 2,
					 .args = args,
					 .nr_args = 4,
					 .shapes = &shape,
					 .nr_shapes = 1 };
	static const char page_path[] = "docs/format/decision-rows.md";
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	AUTO_STR struct str page = STR_INIT;
	AUTO_STR struct str out = STR_INIT;
	AUTO_STRV struct strv rows = { 0 };
	struct err e = { 0 };
	if (!file_exists(page_path))
		SKIP("not in the root of the sources");
	CHECK_OK(file_read(page_path, 1 << 20, &page, &e));
	AUTO_FREE char *values = fence_after(page.text, "## Example", "```\n");
	AUTO_FREE char *source = fence_after(page.text, "applied to", "```c\n");
	strv_split(&rows, values, "\n");
	CHECK(rows.nr == 6);
	kernel_init(&k, source, &task, &a);
	for (size_t i = 0; i < rows.nr; i++)
		CHECK(kernel_apply(&k, rows.items[i], &e));
	kernel_print(&k, &out);
	CHECK(strstr(out.text, "forge-build: gcc -O3 -march=native -ffast-math -fopenmp-simd\n"));
	CHECK(strstr(out.text, "chunk < 16") && strstr(out.text, "reduction(+ : sum)"));
	CHECK(!strstr(out.text, "chunk < 2;"));
}

TEST_MAIN()
