#include "kernels.h"

/* Strips that go beyond the end of a loop: only where nobody looks at what is there, and where all
 * that is read there is there. */

/* A triangle: `first` computes p[j], `rest` comes behind its loop. */
#define KERNEL_ROWS_OF(first, rest)                                                                \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		float p[n];\n"                                                              \
		    "		float sum = 0;\n" first rest "		c[i] = sum;\n"                     \
		    "	}\n"                                                                         \
		    "}\n"
#define FIRST_PLAIN                                                                                \
	"		for (int64_t j = 0; j <= i; j++)\n"                                                     \
	"			p[j] = a[i * m] * b[j];\n"
#define REST_PLAIN                                                                                 \
	"		for (int64_t j = 0; j < i + 1; j++)\n"                                                  \
	"			sum += p[j] * b[j];\n"

static bool goes_beyond(const char *source)
{
	AUTO_FREE char *beyond =
		WITH(source, "specialise shapes=all", "sink loop=L0.0 u=4 as=lanes rest=beyond");
	AUTO_FREE char *loop = WITH(source, "specialise shapes=all", "sink loop=L0.0 u=4 as=lanes");
	CHECK(kernel_same(source, beyond));
	return strcmp(kernel_made(beyond), kernel_made(loop)) != 0;
}

TEST(a_strip_goes_beyond_an_end_that_grows_with_the_loop_around)
{
	AUTO_FREE char *text =
		WITH(KERNEL_TRIANGLE, "specialise shapes=all", "distribute loop=L0.0",
		     "sink loop=L0.0 u=4 as=lanes rest=beyond", "vectors bits=128");
	CHECK(strstr(text, "for (int64_t j = 0; j < i + 1; j += 4)"));
	CHECK(kernel_same(KERNEL_TRIANGLE, text));
	CHECK(goes_beyond(KERNEL_ROWS_OF(FIRST_PLAIN, REST_PLAIN)));
	AUTO_FREE char *wide =
		WITH(KERNEL_ROWS_OF(FIRST_PLAIN, REST_PLAIN), "specialise shapes=all",
		     "sink loop=L0.0 u=4 as=lanes rest=beyond", "sink loop=L0 u=3 as=registers",
		     "vectors bits=128");
	CHECK(kernel_same(KERNEL_ROWS_OF(FIRST_PLAIN, REST_PLAIN), wide));
}

TEST(what_counts_or_is_looked_at_later_stays_within)
{
	CHECK(!goes_beyond(KERNEL_TRIANGLE));
	CHECK(!goes_beyond(KERNEL_ROWS_OF(FIRST_PLAIN, "		sum = p[i];\n")));
	CHECK(!goes_beyond(KERNEL_ROWS_OF("		for (int64_t j = 0; j < n; j++)\n"
					  "			p[j] = 0;\n" FIRST_PLAIN,
					  "		for (int64_t j = 0; j < n; j++)\n"
					  "			sum += p[j];\n")));
	CHECK(!goes_beyond(KERNEL_ROWS_OF("		for (int64_t j = 0; j < n; j++)\n"
					  "			p[j] = 1;\n"
					  "		for (int64_t j = 0; j <= i; j++)\n"
					  "			p[j] = p[j] * b[j];\n",
					  REST_PLAIN)));
}

TEST(what_is_read_beyond_must_be_there)
{
	CHECK(!goes_beyond(KERNEL_ROWS_OF("		for (int64_t j = 0; j <= i; j++)\n"
					  "			p[j] = a[i + j] * b[j];\n",
					  REST_PLAIN)));
	CHECK(!goes_beyond(KERNEL_ROWS_OF("		for (int64_t j = 0; j <= i; j++) {\n"
					  "			float s = 0;\n"
					  "			for (int64_t t = j; t <= i; t++)\n"
					  "				s += b[t];\n"
					  "			p[j] = s;\n"
					  "		}\n",
					  REST_PLAIN)));
}

TEST(what_divides_stays_within)
{
	CHECK(!goes_beyond(KERNEL_ROWS_OF("		for (int64_t j = 0; j <= i; j++)\n"
					  "			p[j] = (float)(7 / (i + 1 - j));\n",
					  REST_PLAIN)));
}

TEST(only_what_runs_for_the_largest_end_says_what_is_there)
{
	CHECK(!goes_beyond(
		KERNEL_ROWS_OF("		if (i < 5)\n" FIRST_PLAIN,
			       "		for (int64_t j = 0; j < i + 1 && i < 5; j++)\n"
			       "			sum += p[j];\n")));
	CHECK(!goes_beyond(KERNEL_HEAD "{\n"
				       "	(void)b, (void)m, (void)k;\n"
				       "	for (int64_t i = 0; i < n; i++)\n"
				       "		for (int64_t j = 0; j <= i; j++)\n"
				       "			c[j] = a[i];\n"
				       "}\n"));
}

TEST_MAIN()
