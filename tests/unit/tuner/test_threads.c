#include "kernels.h"

#include "tuner/ir.h"

TEST(threads_move_the_body_into_a_function_of_its_own)
{
	AUTO_FREE char *text =
		WITH(KERNEL_ROWS, "specialise shapes=all", "threads loop=L0 n=2 layout=block");
	CHECK_INT(count(text, "GOMP_parallel(kern_"), 3);
	CHECK_INT(count(text, "chunk < 2;"), 3);
	CHECK(strstr(text, "forge-build: gcc -O2\n"));
	CHECK(strstr(text, "static __attribute__((noinline)) void kern_8x33_part1("));
	CHECK(strstr(text, "float *restrict c, int64_t first, int64_t last)"));
	CHECK(strstr(text, "for (int64_t i = first; i < last; i++)"));
	CHECK(kernel_same(KERNEL_ROWS, text));
}

TEST(threads_in_small_chunks_compute_the_same)
{
	AUTO_FREE char *text =
		WITH(KERNEL_TRIANGLE, "specialise shapes=all", "threads loop=L0 n=2 layout=deal");
	CHECK_INT(count(text, "chunk < 16;"), 3);
	CHECK(kernel_same(KERNEL_TRIANGLE, text));
}

TEST(threads_hand_locals_and_outer_counters_on)
{
	AUTO_FREE char *text = WITH(KERNEL_SWEEPS, "specialise shapes=all", "threads loop=L0 n=2",
				    "build cc=gcc flags=-O1");
	CHECK(kernel_same(KERNEL_SWEEPS, text));
	AUTO_FREE char *outer =
		WITH(KERNEL_HEAD
		     "{\n(void)b;\nfor (int64_t s = 0; s < k; s++) { float w = a[s]; float t[4] = "
		     "{ w };\nfor (int64_t i = 0; i < n; i++) c[s * n + i] = w + t[0] + (float)s; "
		     "}\n(void)m; }\n",
		     "threads loop=L0.0 n=2");
	CHECK(strstr(outer, "int64_t s, float w, float *t,"));
	CHECK(kernel_same(KERNEL_HEAD
			  "{\n(void)b;\nfor (int64_t s = 0; s < k; s++)\nfor (int64_t i = 0; i "
			  "< n; i++) c[s * n + i] = a[s] + a[s] + (float)s;\n(void)m; }\n",
			  outer));
}

TEST(threads_keep_numbers_that_are_known_outside)
{
	static const char source[] = KERNEL_HEAD
		"{\nint64_t w = m - 2;\n(void)b, (void)k;\nfor (int64_t i = 0; i < n; i++) for "
		"(int64_t j = 0; j < w; j++) c[i * w + j] = a[i * m + j];\n}\n";
	AUTO_FREE char *text = WITH(source, "specialise shapes=all", "threads loop=L0 n=2");
	CHECK(strstr(text, "\tconst int64_t w = 31;\n") &&
	      strstr(text, "\tconst int64_t w = 18;\n"));
	CHECK(strstr(text, "int64_t m, int64_t w,"));
	CHECK(kernel_same(source, text));
}

TEST(threads_need_a_proof)
{
	AUTO_FREE char *chain = REFUSAL(KERNEL_CHAIN, "threads loop=L0 n=2");
	CHECK(strstr(chain, "all change one variable"));
	AUTO_FREE char *time = REFUSAL(KERNEL_SWEEPS, "threads loop=L1 n=2");
	CHECK(strstr(time, "does not apply"));
	AUTO_FREE char *many = REFUSAL(KERNEL_ROWS, "threads loop=L0 n=3");
	CHECK(strstr(many, "allows 2"));
	AUTO_FREE char *twice =
		REFUSAL(KERNEL_ROWS, "threads loop=L0 n=2", "threads loop=L0.1 n=2");
	CHECK(strstr(twice, "already"));
	AUTO_FREE char *none = REFUSAL(KERNEL_ROWS, "threads loop=L7 n=2");
	CHECK(strstr(none, "no loop L7"));
}

static bool has_clang(void)
{
	AUTO_STRV struct strv argv = { 0 };
	strv_split(&argv, "sh|-c|command -v clang > /dev/null", "|");
	return kernel_run(&argv) == 0;
}

TEST(any_compiler_builds_a_team)
{
	const char *const rows[] = { "specialise shapes=all", "threads loop=L0 n=2",
				     "build cc=clang flags=-O2", NULL };
	AUTO_FREE char *text = kernel_with(KERNEL_ROWS, rows);
	CHECK(strstr(text, "forge-build: clang -O2\n") && !strstr(text, "#pragma"));
	if (!has_clang())
		SKIP("no clang");
	CHECK(kernel_same(KERNEL_ROWS, text));
}

TEST(threads_take_chunks_as_they_get_free)
{
	AUTO_FREE char *text = WITH(KERNEL_TRIANGLE, "threads loop=L0 n=2 layout=dynamic");
	CHECK(strstr(text, "__atomic_fetch_add(&share->next, 1, __ATOMIC_RELAXED)) < 32"));
	CHECK(kernel_same(KERNEL_TRIANGLE, text));
	AUTO_FREE char *bad = REFUSAL(KERNEL_ROWS, "threads loop=L0 n=2 layout=round");
	CHECK(strstr(bad, "block, deal, dynamic or grid"));
}

/* Rows by fours, the last ones guarded. */
#define KERNEL_STEPS                                                                               \
	KERNEL_HEAD "{\n(void)b, (void)k;\nfor (int64_t i = 0; i < n; i += 4)\n"                   \
		    "for (int64_t s = 0; s < 4; s++)\nif (i + s < n)\n"                            \
		    "for (int64_t j = 0; j < m; j++)\nc[(i + s) * m + j] = a[(i + s) * m + j] * "  \
		    "2;\n}\n"

TEST(chunks_start_on_whole_steps)
{
	static const char *const layouts[] = { "block", "deal", "dynamic" };
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		AUTO_FREE char *row = xasprintf("threads loop=L0 n=2 layout=%s", layouts[i]);
		AUTO_FREE char *text = WITH(KERNEL_STEPS, "specialise shapes=all", row);
		CHECK(strstr(text, "(n - first + 3) / 4;"));
		CHECK(kernel_same(KERNEL_STEPS, text));
	}
	AUTO_FREE char *wide =
		REFUSAL(KERNEL_HEAD "{\nfor (int64_t i = 0; i < n; i += 4)\nfor (int64_t s = "
				    "0; s < 5; s++)\nc[i + s] = a[i];\n}\n",
			"threads loop=L0 n=2");
	CHECK(strstr(wide, "one element of c"));
}

TEST(tables_are_handed_on_by_their_rows)
{
	static const char source[] = KERNEL_HEAD
		"{\nstatic const float table[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };\nfloat "
		"t[4][2];\n"
		"(void)b, (void)k;\nfor (int i = 0; i < 4; i++) for (int j = 0; j < 2; j++) "
		"t[i][j] = (float)(i - j);\nfor (int i = 0; i < n; i++) for (int j = 0; j < m; "
		"j++) "
		"c[i * m + j] = table[i % 2][j % 3] * t[i % 4][j % 2] + a[i * m + j];\n}\n";
	AUTO_FREE char *text = WITH(source, "specialise shapes=all", "threads loop=L1 n=2");
	CHECK(strstr(text, "const float (*restrict table)[3], float (*restrict t)[2],"));
	CHECK(strstr(text, "for (int64_t i = first; i < last; i++)"));
	CHECK(kernel_same(source, text));
	AUTO_FREE char *open =
		REFUSAL(KERNEL_HEAD "{\nfloat t[2][m]; t[0][0] = 1;\nfor (int64_t i = 0; i < n; "
				    "i++) c[i] = t[0][i % m];\n}\n",
			"threads loop=L0 n=2");
	CHECK(strstr(open, "local table"));
}

TEST(partial_results_are_combined_in_order)
{
	static const char *const layouts[] = { "block", "deal", "dynamic" };
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		AUTO_FREE char *row =
			xasprintf("threads loop=L0 n=2 reduce=all layout=%s", layouts[i]);
		AUTO_FREE char *text = WITH(KERNEL_REDUCED, "specialise shapes=all", row);
		CHECK(strstr(text, "sum += share.sum_of[chunk];"));
		CHECK(strstr(text, "scale *= share.scale_of[chunk];"));
		CHECK(strstr(text, "if (share.least_of[chunk] < least) {"));
		CHECK(strstr(text, "if (share.best_of[chunk] > best) {"));
		CHECK(strstr(text, "\twhere = share.where_of[chunk];\n"));
		CHECK(kernel_same(KERNEL_REDUCED, text));
	}
	AUTO_FREE char *plain = REFUSAL(KERNEL_REDUCED, "threads loop=L0 n=2 reduce=none");
	CHECK(strstr(plain, "all change one variable"));
}

TEST(partial_results_need_a_known_form)
{
	static const char *const bodies[] = {
		"float s = 0; for (int64_t i = 0; i < n; i++) { s += a[i]; c[i] = s; }",
		"float s = 0; for (int64_t i = 0; i < n; i++) s = a[i];",
		"float s = 0; for (int64_t i = 0; i < n; i++) s = s * b[i] + a[i];",
		"float s = 0; int w = 0; for (int64_t i = 0; i < n; i++) if (a[i] >= s) { s = "
		"a[i]; "
		"w = (int)i; } c[0] = (float)w;",
		"float s = 0; int w = 0; for (int64_t i = 0; i < n; i++) if (a[i] > s) { s = a[i]; "
		"w++; } c[0] = (float)w;",
		"float s = 0; int w = 0; for (int64_t i = 0; i < n; i++) if (a[i] > s) { s = b[i]; "
		"w = (int)i; } c[0] = (float)w;",
		"float s = 0; int w = 0; for (int64_t i = 0; i < n; i++) { if (a[i] > s) { s = "
		"a[i]; "
		"w = (int)i; } c[i] = (float)w; }",
		"float s = 0; int w = 0; for (int64_t i = 0; i < n; i++) if (a[i] > s) { w = "
		"(int)i; "
		"} c[0] = (float)w;",
	};
	for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
		AUTO_FREE char *source = xasprintf("%s{ %s }\n", KERNEL_HEAD, bodies[i]);
		AUTO_FREE char *why = REFUSAL(source, "threads loop=L0 n=2 reduce=all");
		CHECK(strstr(why, "from one iteration to the next"));
	}
	AUTO_FREE char *clash =
		REFUSAL(KERNEL_HEAD "{ float s = 0; for (int64_t i = 0; i < n; i++) { s += a[i]; "
				    "c[0] = a[i]; } c[1] = s; }",
			"threads loop=L0 n=2 reduce=all");
	CHECK(strstr(clash, "one element of c"));
}

/* A triangle whose rest declares, as a scalar, what the strips hold as an array. */
static const char stairs[] =
	KERNEL_HEAD "{\n"
		    "	for (int64_t h = 0; h < n; h++)\n"
		    "		for (int64_t i = 0; i < m; i++) {\n"
		    "			float sum = 0;\n"
		    "			for (int64_t j = 0; j <= i; j++) {\n"
		    "				float dot = 0;\n"
		    "				for (int64_t p = 0; p < k; p++)\n"
		    "					dot += a[h * k + p] * b[p * m + j];\n"
		    "				sum += dot;\n"
		    "			}\n"
		    "			c[h * m + i] = sum;\n"
		    "		}\n"
		    "}\n";

TEST(strips_of_a_triangle_can_be_dealt_out)
{
	AUTO_FREE char *text =
		WITH(stairs, "specialise shapes=all", "sink loop=L0.0 u=4 as=registers",
		     "threads loop=L0 n=2 layout=block");
	CHECK_INT(count(text, "GOMP_parallel(kern_"), 3);
	CHECK(kernel_same(stairs, text));
}

TEST_MAIN()
