#include "kernels.h"

/* Rows that move data: every one is tried by running what it made beside the original. */

/* Why the last of these rows does not apply. */
static char *refusal(const char *source, const char *const *rows)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	struct err e = { 0 };
	kernel_init(&k, source, &kernel_task, &a);
	for (; rows[1]; rows++)
		CHECK(kernel_apply(&k, rows[0], &e));
	CHECK(!kernel_apply(&k, rows[0], &e));
	return xstrdup(e.text);
}

#define REFUSAL(source, ...) refusal(source, (const char *const[]){ __VA_ARGS__, NULL })
#define WITH(source, ...) kernel_with(source, (const char *const[]){ __VA_ARGS__, NULL })

/* Strips of 16 columns by 4 rows as another row would have made them; the buffers overlap in the
 * array, so that little data fills much memory. */
#define KERNEL_BANDS                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)n, (void)m, (void)k;\n"                                                \
		    "	for (int64_t i = 0; i < 1000; i++) {\n"                                      \
		    "		float sum = 0;\n"                                                           \
		    "		for (int64_t j = 0; j < 100; j++)\n"                                        \
		    "			sum += a[i + j] * b[j];\n"                                                 \
		    "		c[i] = sum;\n"                                                              \
		    "	}\n"                                                                         \
		    "}\n"

#define KERNEL_STRIPS                                                                              \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)m, (void)k;\n"                                                         \
		    "	for (int j = 0; j < 64; j += 16)\n"                                          \
		    "		for (int64_t i = 0; i < n; i++) {\n"                                        \
		    "			float sum[16] = { 0 };\n"                                                  \
		    "			const float *row = b + i * 20;\n"                                          \
		    "			for (int p = 3; p < 20; p += 2)\n"                                         \
		    "				for (int q = j; q < j + 16; q++)\n"                                       \
		    "					sum[q - j] += row[p] * a[q * 48 + p];\n"                                 \
		    "			for (int q = 0; q < 16; q++)\n"                                            \
		    "				c[i * 64 + j + q] = sum[q];\n"                                            \
		    "		}\n"                                                                        \
		    "}\n"

TEST(pack_copies_what_a_loop_reads)
{
	AUTO_FREE char *entry =
		WITH(KERNEL_NEST, "specialise shapes=all", "pack array=b loop=entry");
	CHECK(strstr(entry, "_Alignas(64) float b_packed[165];"));
	CHECK(strstr(entry, "a[i * k + p] * b_packed[j * 5 + p];"));
	CHECK(strstr(entry, "b_packed[jp * 5 + pp] = b[jp + pp * 33];"));
	CHECK(strstr(entry, "b[p * m + j]")); /* the general body */
	CHECK(kernel_same(KERNEL_NEST, entry));
	AUTO_FREE char *inside = WITH(KERNEL_NEST, "specialise shapes=all", "pack array=a loop=L0",
				      "pack array=b loop=L0.0");
	CHECK(strstr(inside, "a_packed[pp] = a[") &&
	      strstr(inside, "b_packed[pp_2] = b[j + pp_2 * 33]"));
	CHECK(kernel_same(KERNEL_NEST, inside));
	AUTO_FREE char *again = WITH(inside, "build cc=gcc flags=-O1");
	CHECK(kernel_same(KERNEL_NEST, again));
}

TEST(pack_follows_strips_and_local_pointers)
{
	AUTO_FREE char *inner = WITH(KERNEL_STRIPS, "specialise shapes=all", "pack array=a loop=L0",
				     "pack array=b loop=L0.0");
	CHECK(strstr(inner, "float a_packed[144];") && strstr(inner, "float b_packed[9];"));
	CHECK(strstr(inner, "b[i * 20 + 3 + pp_2 * 2]"));
	CHECK(kernel_same(KERNEL_STRIPS, inner));
	AUTO_FREE char *entry = WITH(KERNEL_STRIPS, "specialise shapes=all",
				     "pack array=a loop=entry", "build cc=gcc flags=-O3");
	CHECK(strstr(entry, "float a_packed[576];"));
	CHECK(kernel_same(KERNEL_STRIPS, entry));
}

TEST(pack_goes_by_tiles_where_the_order_turns)
{
	static const char source[] = KERNEL_HEAD
		"{\n(void)b, (void)n, (void)m, (void)k;\nfor (int i = 0; i < 48; i++)\nfor (int j "
		"= 0; j < 40; j++)\nc[i * 40 + j] = a[j * 48 + i];\n}\n";
	AUTO_FREE char *text = WITH(source, "pack array=a loop=entry", "threads loop=L0p n=2");
	CHECK(strstr(text, "for (int64_t jps = 0; jps < 8; jps++)"));
	CHECK(strstr(text, "float *a_packed, int64_t first"));
	CHECK(kernel_same(source, text));
}

TEST(pack_asks_for_a_big_buffer_and_gives_it_back)
{
	AUTO_FREE char *text =
		WITH(KERNEL_BANDS, "specialise shapes=none", "pack array=a loop=entry",
		     "threads loop=L0p n=2", "threads loop=L0 n=2");
	CHECK(strstr(text, "#include <stdlib.h>\n"));
	CHECK(strstr(text, "float *restrict a_packed = aligned_alloc(64, 100032 * sizeof(float))"));
	CHECK(strstr(text, "\tfree(a_packed);\n}"));
	CHECK(kernel_same(KERNEL_BANDS, text));
	AUTO_FREE char *again = WITH(text, "build cc=gcc flags=-O3,-fopenmp");
	CHECK(kernel_same(KERNEL_BANDS, again));
}

TEST(pack_reads_nothing_that_was_not_read)
{
	AUTO_FREE char *open = REFUSAL(KERNEL_NEST, "pack array=b loop=L0");
	CHECK(strstr(open, "not understood"));
	AUTO_FREE char *none =
		REFUSAL(KERNEL_NEST, "specialise shapes=all", "pack array=x loop=L0");
	CHECK(strstr(none, "not read there"));
	AUTO_FREE char *written =
		REFUSAL(KERNEL_NEST, "specialise shapes=all", "pack array=c loop=L0");
	CHECK(strstr(written, "is written there"));
	AUTO_FREE char *constant =
		REFUSAL(KERNEL_NEST, "specialise shapes=all", "pack array=b loop=L0.0.0");
	CHECK(strstr(constant, "no loop inside"));
	AUTO_FREE char *under =
		REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 9; i++) if (b[i] > 0) c[i] = a[i]; }",
			"pack array=a loop=entry");
	CHECK(strstr(under, "under a condition"));
	AUTO_FREE char *jump = REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 9; i++) { if (b[i] > 0) "
						   "continue; c[i] = a[i]; } }",
				       "pack array=a loop=entry");
	CHECK(strstr(jump, "a jump"));
	AUTO_FREE char *ways =
		REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 9; i++) c[i] = a[i] + a[2 * i]; }",
			"pack array=a loop=entry");
	CHECK(strstr(ways, "more than one way"));
	AUTO_FREE char *big =
		REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 3000; i++) for (int j = 0; "
				    "j < 3000; j++) c[j] = a[i * 3000 + j]; }",
			"pack array=a loop=entry");
	CHECK(strstr(big, "too big"));
}

TEST_MAIN()
