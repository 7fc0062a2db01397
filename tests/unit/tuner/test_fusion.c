#include "kernels.h"

#define ALL "specialise shapes=all"
#define FAST "build cc=gcc flags=-O3,-march=native,-ffast-math"

/* The second loop reads what the first wrote in the same place. */
#define KERNEL_TWICE                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	for (int64_t i = 0; i < n * m; i++) {\n"                                     \
		    "		float v = a[i];\n"                                                          \
		    "		c[i] = v * 2;\n"                                                            \
		    "	}\n"                                                                         \
		    "	(void)k;\n"                                                                  \
		    "	float half = b[0] * 0.5f;\n"                                                 \
		    "	for (int64_t p = 0; p < n * m; p++) {\n"                                     \
		    "		float v = c[p];\n"                                                          \
		    "		c[p] = v * half + b[p];\n"                                                  \
		    "	}\n"                                                                         \
		    "}\n"

/* The second loop reads three elements of the first, one of them ahead. */
#define KERNEL_AHEAD                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	float *t = c + 4096;\n"                                                      \
		    "	(void)b, (void)k, (void)m;\n"                                                \
		    "	for (int64_t i = 0; i < n; i++)\n"                                           \
		    "		t[i] = a[i] * 3;\n"                                                         \
		    "	for (int64_t i = 1; i < n - 1; i++)\n"                                       \
		    "		c[i] = t[i - 1] + t[i] + t[i + 1];\n"                                       \
		    "}\n"

TEST(two_loops_over_one_range_become_one)
{
	AUTO_FREE char *text = WITH(KERNEL_TWICE, "fuse loop=L0");
	CHECK_INT(count(kernel_made(text), "for ("), 1);
	CHECK(strstr(text, "float half = b[0] * 0.5f;\n\tfor (int64_t i = 0; i < n * m; i++) {"));
	CHECK(strstr(text, "float v_2 = c[i];"));
	CHECK(kernel_same(KERNEL_TWICE, text));
	AUTO_FREE char *sized = WITH(KERNEL_TWICE, ALL, "fuse loop=L0", "simd loop=L0", FAST);
	CHECK_INT(count(kernel_made(sized), "for ("), 3);
	CHECK(kernel_same(KERNEL_TWICE, sized));
}

TEST(a_loop_that_reads_ahead_is_fused_late)
{
	AUTO_FREE char *text = WITH(KERNEL_AHEAD, "fuse loop=L0");
	CHECK(strstr(text, "for (int64_t i = 2; i < n; i++)") &&
	      count(kernel_made(text), "for (") == 2);
	CHECK(kernel_same(KERNEL_AHEAD, text));
	AUTO_FREE char *far = WITH(KERNEL_AHEAD, ALL, "fuse loop=L0 shift=3", FAST);
	CHECK(kernel_same(KERNEL_AHEAD, far));
	AUTO_FREE char *early = REFUSAL(KERNEL_AHEAD, "fuse loop=L0 shift=0");
	CHECK(strstr(early, "too early for elements of c"));
}

TEST(sweeps_over_rows_are_fused_under_guards)
{
	AUTO_FREE char *text = WITH(KERNEL_SWEEPS, "fuse loop=L1.0");
	CHECK(strstr(text, "if (i < n - 1) {") && strstr(text, "if (i >= 2) {"));
	CHECK(kernel_same(KERNEL_SWEEPS, text));
	AUTO_FREE char *far = WITH(KERNEL_SWEEPS, ALL, "fuse loop=L1.0 shift=2", FAST);
	CHECK(kernel_same(KERNEL_SWEEPS, far));
}

TEST(fuse_refuses_what_needs_the_whole_first_loop)
{
	AUTO_FREE char *sum = REFUSAL(KERNEL_ROWS, "fuse loop=L0.0");
	CHECK(strstr(sum, "can not move"));
	AUTO_FREE char *none = REFUSAL(KERNEL_ROWS, "fuse loop=L0");
	CHECK(strstr(none, "no loop follows"));
	AUTO_FREE char *total =
		REFUSAL(KERNEL_HEAD "{ float s = 0; for (int64_t i = 0; i < n; i++) s += a[i]; for "
				    "(int64_t i = 0; i < n; i++) c[i] = s; }",
			"fuse loop=L0");
	CHECK(strstr(total, "needs s"));
	AUTO_FREE char *count =
		REFUSAL(KERNEL_HEAD "{ int q = 0; for (int64_t i = 0; i < n; i++) c[i] = (float)q; "
				    "q++; for (int64_t i = 0; i < n; i++) c[i] += (float)q; }",
			"fuse loop=L0");
	CHECK(strstr(count, "can not move"));
	AUTO_FREE char *bounds =
		REFUSAL(KERNEL_HEAD "{ for (int64_t i = 0; i < n; i++) c[i] = 1; for (int64_t i = "
				    "0; i < m; i++) c[i] += a[i]; }",
			"fuse loop=L0");
	CHECK(strstr(bounds, "bounds"));
	AUTO_FREE char *whole =
		REFUSAL(KERNEL_HEAD "{ for (int64_t i = 0; i < n; i++) c[i] = a[i]; for (int64_t i "
				    "= 0; i < n; i++) c[n + i] = c[n - 1 - i]; }",
			"fuse loop=L0");
	CHECK(strstr(whole, "too early"));
}

/* Steps of time with a sweep and a copy, as many as the caller says. */
#define KERNEL_TIME                                                                                \
	KERNEL_HEAD "{\n"                                                                          \
		    "	float *t = c + n * m;\n"                                                     \
		    "	(void)b;\n"                                                                  \
		    "	for (int64_t i = 0; i < n; i++)\n"                                           \
		    "		for (int64_t j = 0; j < m; j++)\n"                                          \
		    "			c[i * m + j] = a[i * m + j];\n"                                            \
		    "	for (int s = 0; s < k; s++) {\n"                                             \
		    "		for (int64_t i = 1; i < n - 1; i++)\n"                                      \
		    "			for (int64_t j = 1; j < m - 1; j++)\n"                                     \
		    "				t[i * m + j] = 0.25f * (c[(i - 1) * m + j] + "                            \
		    "c[(i + 1) * m + j] +\n"                                                       \
		    "							c[i * m + j - 1] + c[i * "                                             \
		    "m + j + 1]);\n"                                                               \
		    "		for (int64_t i = 1; i < n - 1; i++)\n"                                      \
		    "			for (int64_t j = 1; j < m - 1; j++)\n"                                     \
		    "				c[i * m + j] = t[i * m + j];\n"                                           \
		    "	}\n"                                                                         \
		    "}\n"

TEST(steps_of_time_become_one_pass)
{
	AUTO_FREE char *text = WITH(KERNEL_TIME, "cascade loop=L1");
	CHECK(strstr(text, "for (int64_t i_front = 1; i_front < n + 2 * (k - 1); i_front++)"));
	CHECK(strstr(text, "const int64_t i_at1 = i_front - 2 * s - 1;"));
	CHECK(kernel_same(KERNEL_TIME, text));
	AUTO_FREE char *sized = WITH(KERNEL_TIME, ALL, "cascade loop=L1 shift=2", FAST);
	CHECK(kernel_same(KERNEL_TIME, sized));
	AUTO_FREE char *whole = WITH(KERNEL_TIME, ALL, "cascade loop=L1", "fuse loop=L0", FAST);
	CHECK(strstr(whole, "const int64_t i_at0 = i_front_late - 2 * s;"));
	CHECK(kernel_same(KERNEL_TIME, whole));
}

TEST(a_few_steps_of_time_at_once)
{
	AUTO_FREE char *text = WITH(KERNEL_TIME, "cascade loop=L1 block=3");
	CHECK(kernel_same(KERNEL_TIME, text));
	AUTO_FREE char *sized = WITH(KERNEL_TIME, ALL, "cascade loop=L1 block=2", FAST);
	CHECK(kernel_same(KERNEL_TIME, sized));
}

/* Long enough for two parts at one of the sizes. */
#define KERNEL_LONG                                                                                \
	KERNEL_HEAD "{\n"                                                                          \
		    "	float *t = c + n * m;\n"                                                     \
		    "	(void)b;\n"                                                                  \
		    "	for (int64_t i = 0; i < n * m; i++)\n"                                       \
		    "		t[i] = c[i] = a[i];\n"                                                      \
		    "	for (int s = 0; s < k; s++) {\n"                                             \
		    "		for (int64_t i = 1; i < m - 1; i++)\n"                                      \
		    "			for (int64_t j = 1; j < n - 1; j++)\n"                                     \
		    "				t[i * n + j] = 0.25f * (c[(i - 1) * n + j] + "                            \
		    "c[(i + 1) * n + j] +\n"                                                       \
		    "							c[i * n + j - 1] + c[i * "                                             \
		    "n + j + 1]);\n"                                                               \
		    "		for (int64_t i = 1; i < m - 1; i++)\n"                                      \
		    "			for (int64_t j = 1; j < n - 1; j++)\n"                                     \
		    "				c[i * n + j] = t[i * n + j];\n"                                           \
		    "	}\n"                                                                         \
		    "}\n"
#define KERNEL_APART                                                                               \
	"#include <stdint.h>\nvoid kern(const float *a, float *b, float *c, int64_t n, int64_t "   \
	"m, "                                                                                      \
	"int64_t k)\n{\n	for (int64_t i = 0; i < n * m; i++)\n		b[i] = c[i] = "                    \
	"a[i];\n"                                                                                  \
	"	for (int s = 0; s < k; s++) {\n"                                                         \
	"		for (int64_t i = 1; i < m - 1; i++)\n			for (int64_t j = "                              \
	"0; j < n; j++)\n"                                                                         \
	"				b[i * n + j] = 0.5f * c[(i - 1) * n + j] + 0.4f * c[(i + "                            \
	"1) * n + j];\n"                                                                           \
	"		for (int64_t i = 1; i < m - 1; i++)\n			for (int64_t j = "                              \
	"0; j < n; j++)\n"                                                                         \
	"				c[i * n + j] = b[i * n + j] + 0.1f * c[i * n + j];\n	"                                \
	"}\n}\n"

TEST(parts_of_a_cascade_compute_their_surroundings_too)
{
	AUTO_FREE char *text = WITH(KERNEL_APART, ALL, "cascade loop=L1 parts=2",
				    "build cc=gcc flags=-O3,-march=native,-ffast-math");
	CHECK(strstr(text, "own_from - 5 > 1 ? own_from - 5 : 1"));
	CHECK(strstr(text, "aligned_alloc(64, "));
	CHECK(kernel_same(KERNEL_APART, text));
	AUTO_FREE char *open = REFUSAL(KERNEL_APART, "cascade loop=L1 parts=2");
	CHECK(strstr(open, "not known numbers"));
	AUTO_FREE char *many = REFUSAL(KERNEL_APART, "cascade loop=L1 parts=3");
	CHECK(strstr(many, "from 1 to 2"));
	AUTO_FREE char *alias = REFUSAL(KERNEL_LONG, ALL, "cascade loop=L1 parts=2");
	CHECK(strstr(alias, "does not apply"));
}

TEST(cascade_refuses_steps_that_are_not_alike)
{
	AUTO_FREE char *moving = REFUSAL(
		KERNEL_HEAD "{ for (int64_t s = 0; s < k; s++) for (int64_t i = 0; i < n; i++) "
			    "c[s * n + i] = a[i]; }",
		"cascade loop=L0");
	CHECK(strstr(moving, "different places"));
	AUTO_FREE char *sum = REFUSAL(
		KERNEL_HEAD "{ float r = 0; for (int64_t s = 0; s < k; s++) for (int64_t i = 0; i "
			    "< n; i++) r += a[i]; c[0] = r; }",
		"cascade loop=L0");
	CHECK(strstr(sum, "changes a variable"));
	AUTO_FREE char *early = REFUSAL(KERNEL_TIME, "cascade loop=L1 shift=0");
	CHECK(strstr(early, "too early"));
	AUTO_FREE char *rows = REFUSAL(KERNEL_ROWS, "cascade loop=L0");
	CHECK(strstr(rows, "more than loops"));
	AUTO_FREE char *whole = REFUSAL(
		KERNEL_HEAD "{ for (int64_t s = 0; s < k; s++) for (int64_t i = 0; i < n; i++) "
			    "c[i] = c[n - 1 - i] + a[i]; }",
		"cascade loop=L0");
	CHECK(strstr(whole, "too early"));
}

/* Many calls of the math library. */
#define KERNEL_CURVES                                                                              \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 0; i < n; i++)\n"                                           \
		    "		for (int64_t j = 0; j < m; j++) {\n"                                        \
		    "			float x = 20 * a[i * m + j];\n"                                            \
		    "			float y = tanhf(x + b[j]) + erff(b[j]) + powf(x, 2) + "                    \
		    "powf(b[j], 3.0f);\n"                                                          \
		    "			c[i * m + j] = y + expf(-x) * powf(x * x + 1, -0.5f) + "                   \
		    "tanhf(b[j] / 64);\n"                                                          \
		    "		}\n"                                                                        \
		    "}\n"

TEST(identities_take_the_place_of_calls)
{
	AUTO_FREE char *text = WITH(KERNEL_CURVES, "math exp=library");
	const char *made = kernel_made(text);
	CHECK(!strstr(made, "tanhf") && !strstr(made, "powf") && strstr(made, "erff"));
	CHECK(strstr(text, "+ b[j] * b[j] * b[j];") && strstr(text, "1.0f / sqrtf(x * x + 1)"));
	CHECK(kernel_same(KERNEL_CURVES, text));
}

TEST(functions_of_the_library_run_in_lanes)
{
	AUTO_FREE char *text = WITH(KERNEL_CURVES, ALL, "math exp=inline tanh=accurate", FAST);
	CHECK_INT(count(text, "static inline float forge_expf(float x)"), 1);
	CHECK(strstr(text, "forge_erff(b[j])") && strstr(text, "forge_tanhf(b[j] / 64)"));
	CHECK(kernel_same(KERNEL_CURVES, text));
	AUTO_FREE char *again = WITH(text, "build cc=gcc flags=-O1");
	CHECK(kernel_same(KERNEL_CURVES, again));
}

TEST(math_leaves_what_it_does_not_know)
{
	AUTO_FREE char *none = REFUSAL(KERNEL_ROWS, "math exp=inline");
	CHECK(strstr(none, "no function that has"));
	AUTO_FREE char *own = REFUSAL(
		"#include <math.h>\nstatic float expf(float v) { return v; }\n" KERNEL_TRIANGLE,
		"math exp=inline");
	CHECK(strstr(own, "not those of the library"));
	AUTO_FREE char *word = REFUSAL(KERNEL_TRIANGLE, "math exp=fast");
	CHECK(strstr(word, "library or inline"));
}

TEST(branches_that_choose_become_choices)
{
	AUTO_FREE char *place = WITH(KERNEL_PLACE, "ifconvert loop=L0.0");
	CHECK(strstr(place, "best = is_taken0 ? a[i * m + j] : best;"));
	CHECK(strstr(place, "where = is_taken0 ? (int)j : where;"));
	CHECK(kernel_same(KERNEL_PLACE, place));
	static const char source[] = KERNEL_HEAD
		"{\n(void)k;\nfor (int64_t i = 0; i < n; i++) {\nfloat s = 0, top = b[0];\nfor "
		"(int64_t "
		"j = 0; j < m; j++) {\nif (a[i * m + j] > 0)\ns += a[i * m + j];\nelse\ns += "
		"b[j];\nif "
		"(b[j] > top)\ntop = b[j];\nif (b[j] > 0 && a[j] > 0.1f)\ns -= b[j];\nif (c[i] < "
		"s)\nc[i] = s;\n}\nc[n + i] = s + top;\n}\n}\n";
	AUTO_FREE char *text = WITH(source, ALL, "ifconvert loop=L0.0", FAST);
	CHECK(!strstr(text, "\t\t\tif (") && strstr(text, "top = b[j] > top ? b[j] : top;"));
	CHECK(strstr(text, "s -= b[j] > 0 && a[j] > 0.1f ? b[j] : 0;"));
	CHECK(strstr(text, "c[i] = c[i] < s ? s : c[i];"));
	CHECK(kernel_same(source, text));
}

TEST(ifconvert_writes_only_what_is_read_anyway)
{
	static const char source[] = KERNEL_HEAD "{ for (int64_t i = 0; i < n; i++) if (i < 4 && "
						 "c[i] < 1) c[i] = 1; }";
	AUTO_FREE char *text = REFUSAL(source, "ifconvert loop=L0");
	CHECK(strstr(text, "no branch"));
	static const char shared[] =
		KERNEL_HEAD "{ for (int64_t i = 0; i < n; i++) if (c[i] < 1) c[i] = 1; }";
	AUTO_FREE char *dealt = REFUSAL(shared, "threads loop=L0 n=2", "ifconvert loop=L0");
	CHECK(strstr(dealt, "no branch"));
}

TEST(a_loop_that_does_several_things_becomes_several)
{
	static const char source[] = KERNEL_HEAD
		"{\nfor (int64_t i = 0; i < n; i++) {\nconst float *row = a + i * m;\nfloat s = "
		"row[0];\nc[i] = s * 2;\nfor (int64_t j = 0; j < m; j++)\ns += row[j] * b[j];\nc[n "
		"+ i] "
		"= s;\nc[2 * n + i] = c[i] + (float)k;\n}\n}\n";
	AUTO_FREE char *text = WITH(source, ALL, "distribute loop=L0", FAST);
	CHECK(strstr(text, "float s_all[8];") && strstr(text, "s_all[i] += row[j] * b[j];"));
	CHECK(strstr(text, "s_all[i] = row[0];"));
	CHECK(kernel_same(source, text));
	static const char plain[] = KERNEL_HEAD "{\n(void)k;\nfor (int64_t i = 1; i < n; i++) "
						"{\nc[i] = a[i];\nc[n + i] = c[i - 1] + "
						"b[i];\n}\n}\n";
	AUTO_FREE char *open = WITH(plain, "distribute loop=L0");
	CHECK_INT(count(kernel_made(open), "for ("), 2);
	CHECK(kernel_same(plain, open));
}

TEST(distribute_refuses_what_goes_back)
{
	AUTO_FREE char *back = REFUSAL(
		KERNEL_HEAD "{ for (int64_t i = 1; i < n; i++) { c[i] = c[n + i - 1]; c[n + i] "
			    "= a[i]; } }",
		"distribute loop=L0");
	CHECK(strstr(back, "too early"));
	AUTO_FREE char *variable = REFUSAL(KERNEL_CHAIN, "distribute loop=L0");
	CHECK(strstr(variable, "needs sum"));
	AUTO_FREE char *local = REFUSAL(KERNEL_ROWS, "distribute loop=L0");
	CHECK(strstr(local, "handed on"));
}

TEST_MAIN()
