#include "kernels.h"

/* What does not fill a strip runs in a strip that overlaps the last one: right at every size, and
 * only where running an iteration twice changes nothing. */

#define BOLD "build cc=gcc flags=-O3,-march=native,-ffast-math"

/* Whether a row is refused by words. */
#define CHECK_REFUSED(source, words, ...)                                                          \
	do {                                                                                       \
		AUTO_FREE char *why = REFUSAL(source, __VA_ARGS__);                                \
		if (!strstr(why, words))                                                           \
			printf("# %s\n", why);                                                     \
		CHECK(strstr(why, words));                                                         \
	} while (0)

/* Sums of products through a variable. */
#define KERNEL_PRODUCT                                                                             \
	KERNEL_HEAD "{\n"                                                                          \
		    "	for (int64_t i = 0; i < n; i++)\n"                                           \
		    "		for (int64_t j = 0; j < m; j++) {\n"                                        \
		    "			float s = 0;\n"                                                            \
		    "			for (int64_t p = 0; p < k; p++)\n"                                         \
		    "				s += a[i * k + p] * b[p * m + j];\n"                                      \
		    "			c[i * m + j] = s;\n"                                                       \
		    "		}\n"                                                                        \
		    "}\n"

/* One body for two loops over i and j. */
#define KERNEL_OF(body)                                                                            \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)a, (void)b, (void)k;\n"                                                \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		for (int64_t j = 0; j < m; j++) {\n" body "		}\n"                  \
		    "	}\n"                                                                         \
		    "}\n"

/* The bodies of known size. */
static char *known_bodies(const char *text)
{
	const char *made = kernel_made(text);
	const char *general = strstr(made, " kern_any(");
	CHECK(general);
	return xstrndup(made, (size_t)(general - made));
}

TEST(the_rest_is_a_strip_that_ends_with_the_loop)
{
	AUTO_FREE char *text =
		WITH(KERNEL_PRODUCT, "specialise shapes=all",
		     "sink loop=L0.0 u=16 as=lanes rest=overlap",
		     "sink loop=L0 u=6 as=registers rest=overlap", "vectors bits=256", BOLD);
	AUTO_FREE char *known = known_bodies(text);
	CHECK(strstr(known, "for (int64_t j = 0; j < 32; j += 16)"));
	CHECK(strstr(known, "for (int64_t j = 17; j < m; j += 16)"));
	CHECK(strstr(known, "for (int64_t i = 0; i < 6; i += 6)"));
	CHECK(strstr(known, "for (int64_t i = 2; i < n; i += 6)"));
	CHECK(strstr(known, "for (int64_t i = 7; i < n; i += 6)"));
	CHECK(!strstr(known, "j++") && !strstr(known, "i++"));
	CHECK(strstr(kernel_made(text) + strlen(known), "j++") &&
	      strstr(kernel_made(text) + strlen(known), "i++"));
	CHECK(kernel_same(KERNEL_PRODUCT, text));
}

/* Every way of both rows, as loops and as vector code. */
TEST(lanes_and_registers_each_have_their_own_rest)
{
	static const char *const lanes[] = { "sink loop=L0.0 u=8 as=lanes rest=loop",
					     "sink loop=L0.0 u=8 as=lanes rest=overlap" };
	static const char *const registers[] = { "sink loop=L0 u=3 as=registers",
						 "sink loop=L0 u=3 as=registers rest=overlap" };
	for (size_t i = 0; i < 8; i++) {
		AUTO_FREE char *text =
			WITH(KERNEL_PRODUCT, "specialise shapes=all", lanes[i & 1],
			     registers[i >> 1 & 1], BOLD, i & 4 ? "vectors bits=256" : NULL);
		AUTO_FREE char *known = known_bodies(text);
		CHECK_INT(strstr(known, "j++") == NULL, i & 1);
		CHECK_INT(strstr(known, "i++") == NULL, i >> 1 & 1);
		CHECK(kernel_same(KERNEL_PRODUCT, text));
	}
}

TEST(the_order_of_sinks_does_not_change_the_strips)
{
	AUTO_FREE char *text =
		WITH(KERNEL_PRODUCT, "specialise shapes=all",
		     "sink loop=L0 u=6 as=registers rest=overlap",
		     "sink loop=L0.0 u=16 as=lanes rest=overlap", "vectors bits=256", BOLD);
	AUTO_FREE char *known = known_bodies(text);
	CHECK(!strstr(known, "j++") && !strstr(known, "i++"));
	CHECK(kernel_same(KERNEL_PRODUCT, text));
	AUTO_FREE char *loops =
		WITH(KERNEL_PRODUCT, "specialise shapes=all", "sink loop=L0 u=6 as=registers",
		     "sink loop=L0.0 u=16 as=lanes rest=overlap", "vectors bits=256", BOLD);
	AUTO_FREE char *rows = known_bodies(loops);
	CHECK(!strstr(rows, "j++") && strstr(rows, "i++"));
	CHECK(kernel_same(KERNEL_PRODUCT, loops));
}

TEST(one_loop_may_have_two_such_rests)
{
	AUTO_FREE char *one = WITH(
		KERNEL_PRODUCT, "specialise shapes=all", "sink loop=L0.0 u=8 as=lanes rest=overlap",
		"sink loop=L0.0 u=2 as=registers rest=overlap", "vectors bits=256", BOLD);
	CHECK(kernel_same(KERNEL_PRODUCT, one));
}

TEST(an_iteration_may_read_what_it_has_written_itself)
{
	AUTO_FREE char *sums = WITH(KERNEL_NEST, "specialise shapes=all",
				    "sink loop=L0.0 u=8 as=lanes rest=overlap",
				    "sink loop=L0 u=3 as=registers rest=overlap");
	CHECK(!strstr(sums, "j = 32; j < m; j++"));
	CHECK(kernel_same(KERNEL_NEST, sums));
	AUTO_FREE char *rows = WITH(KERNEL_ROWS, "specialise shapes=all",
				    "sink loop=L0 u=3 as=registers rest=overlap");
	CHECK(strstr(rows, "for (int64_t i = 5; i < n; i += 3)"));
	CHECK(kernel_same(KERNEL_ROWS, rows));
	AUTO_FREE char *triangle = WITH(KERNEL_TRIANGLE, "specialise shapes=all",
					"sink loop=L0 u=3 as=registers rest=overlap", BOLD);
	CHECK(strstr(triangle, "for (int64_t i = 5; i < n; i += 3)"));
	CHECK(kernel_same(KERNEL_TRIANGLE, triangle));
}

/* A row is written, read back in another loop over the same range, and written once more. */
#define KERNEL_STAGES(end)                                                                         \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		float sum = 1;\n"                                                           \
		    "		for (int64_t j = 0; j < m; j++)\n"                                          \
		    "			c[i * m + j] = a[i * m + j] * b[j];\n"                                     \
		    "		for (int64_t p = 0; p < " end "; p++)\n"                           \
		    "			sum += c[i * m + p] * c[i * m + p];\n"                                     \
		    "		for (int64_t q = 0; q < m; q++)\n"                                          \
		    "			c[i * m + q] *= sum;\n"                                                    \
		    "	}\n"                                                                         \
		    "}\n"

TEST(what_one_loop_writes_another_one_behind_it_reads)
{
	AUTO_FREE char *text = WITH(KERNEL_STAGES("m"), "specialise shapes=all",
				    "sink loop=L0 u=3 as=registers rest=overlap");
	CHECK(strstr(text, "for (int64_t i = 5; i < n; i += 3)"));
	CHECK(kernel_same(KERNEL_STAGES("m"), text));
	CHECK_REFUSED(KERNEL_STAGES("m - 1"), "read c as it left it",
		      "sink loop=L0 u=3 as=registers rest=overlap");
	CHECK_REFUSED(KERNEL_STAGES("m"), "read c as it left it",
		      "sink loop=L0.2 u=4 as=lanes rest=overlap");
}

TEST(what_must_not_run_twice_is_refused)
{
	static const char row[] = "sink loop=L0.0 u=4 as=lanes rest=overlap";
	CHECK_REFUSED(KERNEL_ROWS, "twice in sum", row);
	CHECK_REFUSED(KERNEL_OF("c[i * m + j] += a[j];\n"), "read c as it left it", row);
	CHECK_REFUSED(KERNEL_OF("c[i * m + j] = 2 * c[i * m + j] + a[j];\n"),
		      "read c as it left it", row);
	CHECK_REFUSED(KERNEL_OF("if (a[j] > 0)\nc[i * m + j] = 1;\nc[i * m + j] *= 3;\n"),
		      "read c as it left it", row);
	CHECK_REFUSED(KERNEL_OF("c[i * m + j] *= 3;\nc[i * m + j] += 1;\n"), "read c as it left it",
		      row);
	AUTO_FREE char *loop = WITH(KERNEL_OF("c[i * m + j] += a[j];\n"), "specialise shapes=all",
				    "sink loop=L0.0 u=4 as=lanes rest=loop");
	CHECK(kernel_same(KERNEL_OF("c[i * m + j] += a[j];\n"), loop));
}

TEST(rest_is_loop_or_overlap)
{
	CHECK_REFUSED(KERNEL_PRODUCT, "rest must be loop, overlap or beyond",
		      "sink loop=L0.0 u=4 as=lanes rest=mask");
	CHECK_REFUSED(KERNEL_OF("c[i * m + j] = 1;\n"), "fewer iterations", "specialise shapes=all",
		      "strip loop=L0.0 u=4", "sink loop=L0.0s u=8 as=lanes rest=overlap");
}

TEST(a_later_row_takes_the_place_of_the_other_rest)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	struct row one;
	struct row two;
	struct row other;
	CHECK_OK(row_parse(&one, "sink loop=L0 u=4 as=lanes", &a, &e));
	CHECK_OK(row_parse(&two, "sink loop=L0 u=8 as=lanes rest=overlap", &a, &e));
	CHECK_OK(row_parse(&other, "sink loop=L0 u=4 as=registers rest=overlap", &a, &e));
	CHECK(row_supersedes(&two, &one) && row_supersedes(&one, &two));
	CHECK(!row_supersedes(&other, &two));
}

/* The overlapping strip stands behind what is dealt out, or is dealt out with what it repeats. */
TEST(threads_never_run_an_iteration_at_the_same_time)
{
	static const char *const rows[][4] = {
		{ "threads loop=L0 n=2 layout=deal", "sink loop=L0 u=3 as=registers rest=overlap" },
		{ "sink loop=L0 u=3 as=registers rest=overlap", "threads loop=L0 n=2" },
		{ "threads loop=L0 n=2", "sink loop=L0.0 u=8 as=lanes rest=overlap" },
		{ "sink loop=L0.0 u=8 as=lanes rest=overlap", "threads loop=L0 n=2" },
		{ "threads loop=L0.0 n=2", "sink loop=L0.0 u=8 as=lanes rest=overlap" },
		{ "threads loop=L0.0 n=2", "sink loop=L0 u=3 as=plain rest=overlap" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *text =
			WITH(KERNEL_PRODUCT, "specialise shapes=all", rows[i][0], rows[i][1], BOLD);
		CHECK(strstr(text, "GOMP_parallel(kern_"));
		CHECK(kernel_same(KERNEL_PRODUCT, text));
	}
	AUTO_FREE char *behind =
		WITH(KERNEL_PRODUCT, "specialise shapes=all", rows[0][0], rows[0][1], BOLD);
	const char *team = strstr(behind, "GOMP_parallel(kern_8x33");
	const char *rest = strstr(behind, "for (int64_t i = 5; i < n; i += 3)");
	CHECK(team && rest && team < rest);
}

/* k outputs at n places: sums of rows of a and b. */
#define KERNEL_OUTPUTS                                                                             \
	KERNEL_HEAD "{\n"                                                                          \
		    "	for (int64_t o = 0; o < k; o++)\n"                                           \
		    "		for (int64_t i = 0; i < n; i++) {\n"                                        \
		    "			float s = 0;\n"                                                            \
		    "			for (int64_t p = 0; p < m; p++)\n"                                         \
		    "				s += a[i * m + p] * b[o * m + p];\n"                                      \
		    "			c[o * n + i] = s;\n"                                                       \
		    "		}\n"                                                                        \
		    "}\n"

/* The main strips have the buffer, and the rest has the array or a buffer of its own. */
TEST(pack_takes_main_strips_where_the_rest_reads_elsewhere)
{
	static const char *const rests[] = { "loop", "overlap" };
	for (size_t i = 0; i < ARRAY_LEN(rests); i++) {
		AUTO_FREE char *lanes = xasprintf("sink loop=L0 u=4 as=lanes rest=%s", rests[i]);
		AUTO_FREE char *registers =
			xasprintf("sink loop=L0.0 u=3 as=registers rest=%s", rests[i]);
		AUTO_FREE char *one =
			WITH(KERNEL_OUTPUTS, "specialise shapes=all", lanes, registers,
			     "pack array=b loop=entry", "vectors bits=128", BOLD);
		CHECK(strstr(one, "&b_packed[") && strstr(one, " b[o * m + p]"));
		CHECK(kernel_same(KERNEL_OUTPUTS, one));
		AUTO_FREE char *two = WITH(KERNEL_OUTPUTS, "specialise shapes=all", lanes,
					   registers, "pack array=b loop=L0 place=front",
					   "pack array=b loop=L0r place=front", BOLD);
		CHECK(strstr(two, "b_packed[") && strstr(two, "b_packed_2["));
		CHECK(kernel_same(KERNEL_OUTPUTS, two));
	}
	AUTO_FREE char *product =
		WITH(KERNEL_PRODUCT, "specialise shapes=all",
		     "sink loop=L0.0 u=16 as=lanes rest=overlap",
		     "sink loop=L0 u=3 as=registers rest=overlap", "pack array=b loop=entry",
		     "pack array=a loop=entry", "vectors bits=256", BOLD);
	CHECK(strstr(product, "b_packed[") && strstr(product, "a_packed["));
	CHECK(kernel_same(KERNEL_PRODUCT, product));
}

/* As the triangle's sum of products, through a variable inside its loop. */
#define KERNEL_BELOW                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		float sum = 0;\n"                                                           \
		    "		for (int64_t j = 0; j <= i; j++) {\n"                                       \
		    "			float dot = 0;\n"                                                          \
		    "			for (int64_t p = 0; p < m; p++)\n"                                         \
		    "				dot += a[i * m + p] * b[j * m + p];\n"                                    \
		    "			sum += dot * dot;\n"                                                       \
		    "		}\n"                                                                        \
		    "		c[i] = sum;\n"                                                              \
		    "	}\n"                                                                         \
		    "}\n"

TEST(variables_of_a_triangle_and_of_its_rest_are_told_apart)
{
	AUTO_FREE char *text =
		WITH(KERNEL_BELOW, "specialise shapes=all",
		     "sink loop=L0 u=3 as=registers rest=overlap", "threads loop=L0 n=2", BOLD);
	CHECK(strstr(text, "float dot[3];") && strstr(text, "float dot_r = 0;"));
	CHECK(strstr(text, "GOMP_parallel(kern_8x33"));
	CHECK(kernel_same(KERNEL_BELOW, text));
}

/* Bounds that are numbers in the source. */
#define KERNEL_FIXED                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)b, (void)n, (void)m, (void)k;\n"                                       \
		    "	for (int64_t i = 2; i < 13; i++)\n"                                          \
		    "		for (int64_t j = 1; j < 30; j += 2)\n"                                      \
		    "			c[i * 40 + j] = a[i + j] * 2;\n"                                           \
		    "}\n"

TEST(kernels_with_such_a_rest_are_references_again)
{
	AUTO_FREE char *once = WITH(KERNEL_FIXED, "sink loop=L0.0 u=8 as=lanes rest=overlap",
				    "sink loop=L0 u=3 as=registers rest=overlap");
	CHECK(strstr(once, "for (int64_t j = 15; j < 30; j += 16)"));
	CHECK(strstr(once, "for (int64_t i = 10; i < 13; i += 3)"));
	CHECK(kernel_same(KERNEL_FIXED, once));
	AUTO_FREE char *twice = WITH(once, "unroll loop=L0 n=2", BOLD);
	CHECK(kernel_same(KERNEL_FIXED, twice));
}

TEST_MAIN()
