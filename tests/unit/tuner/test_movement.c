#include "kernels.h"

/* Rows that move data: every one is tried by running what it made beside the original. */

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
	AUTO_FREE char *big =
		REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 3000; i++) for (int j = 0; "
				    "j < 3000; j++) c[j] = a[i * 3000 + j]; }",
			"pack array=a loop=entry");
	CHECK(strstr(big, "too big"));
}

/* The border of a plane is left out. */
#define KERNEL_BORDER                                                                              \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)n, (void)m, (void)k;\n"                                                \
		    "	for (int64_t o = 0; o < 6; o++)\n"                                           \
		    "		for (int64_t i = 0; i < 100; i++) {\n"                                      \
		    "			float sum = 0;\n"                                                          \
		    "			for (int64_t p = 0; p < 5; p++) {\n"                                       \
		    "				if (i + p < 2 || i + p - 2 >= 100)\n"                                     \
		    "					continue;\n"                                                             \
		    "				sum += a[i + p - 2] * b[o * 5 + p];\n"                                    \
		    "			}\n"                                                                       \
		    "			c[i * 6 + o] = sum;\n"                                                     \
		    "		}\n"                                                                        \
		    "}\n"

TEST(pack_takes_what_is_skipped_when_the_array_holds_it)
{
	AUTO_FREE char *open = REFUSAL(KERNEL_BORDER, "pack array=b loop=L0");
	CHECK(strstr(open, "a jump"));
	kernel_args[1].elements = "30";
	AUTO_FREE char *inside = WITH(KERNEL_BORDER, "pack array=b loop=L0");
	CHECK(strstr(inside, "float b_packed[5];"));
	CHECK(kernel_same(KERNEL_BORDER, inside));
	kernel_args[1].elements = "29";
	AUTO_FREE char *beyond = REFUSAL(KERNEL_BORDER, "pack array=b loop=L0");
	CHECK(strstr(beyond, "a jump"));
}

/* Rows up to a bound that grows, at a place that a local in front of the loops says. */
#define KERNEL_GROWING                                                                             \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)n, (void)m, (void)k;\n"                                                \
		    "	for (int64_t h = 0; h < 4; h++) {\n"                                         \
		    "		int64_t g = h / 2;\n"                                                       \
		    "		for (int64_t i = 0; i < 20; i++)\n"                                         \
		    "			for (int64_t j = 0; j <= i; j++) {\n"                                      \
		    "				float sum = b[0];\n"                                                      \
		    "				for (int64_t d = 0; d < 8; d++)\n"                                        \
		    "					sum += a[(g * 20 + j) * 8 + d] * b[g * 8 "                               \
		    "+ d];\n"                                                                      \
		    "				c[(h * 20 + i) * 20 + j] = sum;\n"                                        \
		    "			}\n"                                                                       \
		    "	}\n"                                                                         \
		    "}\n"

TEST(pack_stands_in_front_and_leaves_other_reads_alone)
{
	AUTO_FREE char *head = REFUSAL(KERNEL_GROWING, "pack array=b loop=L0");
	CHECK(strstr(head, "does not apply"));
	AUTO_FREE char *open = REFUSAL(KERNEL_GROWING, "pack array=a loop=L0.0 place=front");
	CHECK(strstr(open, "no known number of trips"));
	AUTO_FREE char *inner = WITH(KERNEL_GROWING, "pack array=b loop=L0.0.0.0 place=front");
	CHECK(strstr(inner, "float sum = b[0];") && strstr(inner, "* b_packed[d];"));
	CHECK(kernel_same(KERNEL_GROWING, inner));
	kernel_args[0].elements = "320";
	AUTO_FREE char *wide = WITH(KERNEL_GROWING, "pack array=a loop=L0.0 place=front");
	CHECK(strstr(wide, "float a_packed[160];") && strstr(wide, "a_packed[j * 8 + d]"));
	CHECK(kernel_same(KERNEL_GROWING, wide));
	kernel_args[0].elements = "319";
	AUTO_FREE char *beyond = REFUSAL(KERNEL_GROWING, "pack array=a loop=L0.0 place=front");
	CHECK(strstr(beyond, "no known number of trips"));
}

TEST(guard_asks_for_blocks_and_runs_those_that_hit)
{
	AUTO_FREE char *text = WITH(KERNEL_PLACE, "specialise shapes=all", "guard loop=L0.0 u=8");
	CHECK(strstr(text, "any |= a[i * m + j_asked] > best;"));
	CHECK(strstr(text, "if (any)"));
	CHECK(strstr(text, "for (int64_t j = 1 + (m - 1) / 8 * 8; j < m; j++)"));
	CHECK(kernel_same(KERNEL_PLACE, text));
	AUTO_FREE char *fast = WITH(KERNEL_PLACE, "guard loop=L0.0 u=4",
				    "build cc=gcc flags=-O3,-march=native,-ffast-math");
	CHECK(kernel_same(KERNEL_PLACE, fast));
}

/* The condition changes with what it guards, and is no truth value by itself. */
#define KERNEL_RARE                                                                                \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)m, (void)k;\n"                                                         \
		    "	for (int64_t i = 0; i < n; i++)\n"                                           \
		    "		if (b[i] * c[0])\n"                                                         \
		    "			c[i & 3] = a[i] > 0.5f ? 0 : a[i];\n"                                      \
		    "}\n"

TEST(guard_keeps_the_order_of_what_it_guards)
{
	AUTO_FREE char *text = WITH(KERNEL_RARE, "guard loop=L0 u=4");
	CHECK(strstr(text, "any |= b[i_asked] * c[0] != 0;"));
	CHECK(kernel_same(KERNEL_RARE, text));
}

TEST(guard_refuses_conditions_with_effects)
{
	AUTO_FREE char *effect =
		REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 64; i++) if (k++ > 3) c[i] = a[i]; }",
			"guard loop=L0 u=8");
	CHECK(strstr(effect, "does more"));
	AUTO_FREE char *other = REFUSAL(KERNEL_CHAIN, "guard loop=L0 u=8");
	CHECK(strstr(other, "not one condition"));
	AUTO_FREE char *left =
		REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 64; i++) if (a[i] > 3) break; }",
			"guard loop=L0 u=8");
	CHECK(strstr(left, "left early"));
	AUTO_FREE char *few =
		REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 7; i++) if (a[i] > 3) c[i] = 0; }",
			"guard loop=L0 u=8");
	CHECK(strstr(few, "fewer"));
	AUTO_FREE char *wraps =
		REFUSAL(KERNEL_HEAD "{ for (unsigned i = 0; i < 70; i++) if (a[i] > 3) c[i] = 0; }",
			"guard loop=L0 u=8");
	CHECK(strstr(wraps, "unsigned"));
}

/* A sum of what a local says, used before and after it grows. */
#define KERNEL_RUNNING                                                                             \
	KERNEL_HEAD "{\n"                                                                          \
		    "	float sum = 2;\n"                                                            \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 3; i < n * m; i++) {\n"                                     \
		    "		float x = a[i] * b[0];\n"                                                   \
		    "		float before = sum;\n"                                                      \
		    "		sum += x * x;\n"                                                            \
		    "		c[i] = sum + before * x;\n"                                                 \
		    "	}\n"                                                                         \
		    "	c[0] = sum;\n"                                                               \
		    "}\n"

TEST(scan_cuts_a_running_sum_into_parts)
{
	AUTO_FREE char *text = WITH(KERNEL_CHAIN, "specialise shapes=all", "scan loop=L0 parts=2",
				    "threads loop=L0t n=2", "threads loop=L0c n=2");
	CHECK(strstr(text, "for (int64_t i_at = 0; i_at < 6; i_at++)"));
	CHECK(strstr(text, "const int64_t part_length = n / 2;"));
	CHECK(strstr(text, "for (int64_t i = n / 2 * 2; i < n; i++)"));
	CHECK(strstr(text, "kern_any_part2"));
	CHECK(kernel_same(KERNEL_CHAIN, text));
	AUTO_FREE char *local = WITH(KERNEL_RUNNING, "specialise shapes=all",
				     "scan loop=L0 parts=3", "threads loop=L0c n=2");
	CHECK(kernel_same(KERNEL_RUNNING, local));
}

TEST(scan_runs_rows_of_a_block_side_by_side)
{
	AUTO_FREE char *text =
		WITH(KERNEL_RUNNING, "specialise shapes=all", "scan loop=L0 u=4 block=32",
		     "build cc=gcc flags=-O3,-march=native,-ffast-math");
	CHECK(strstr(text, "#pragma GCC unroll 4\n"));
	CHECK(strstr(text, "for (int64_t i_block = 3; i_block < 259; i_block += 32)"));
	CHECK(kernel_same(KERNEL_RUNNING, text));
	AUTO_FREE char *both =
		WITH(KERNEL_RUNNING, "specialise shapes=all", "scan loop=L0 parts=2 u=2 block=16",
		     "threads loop=L0t n=2", "threads loop=L0c n=2");
	CHECK(kernel_same(KERNEL_RUNNING, both));
}

/* As KERNEL_RUNNING, but the sum is used only once it has grown. */
#define KERNEL_GROWN                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	float sum = 2;\n"                                                            \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 3; i < n * m; i++) {\n"                                     \
		    "		float x = a[i] * b[0];\n"                                                   \
		    "		sum += x * x;\n"                                                            \
		    "		c[i] = sum + x;\n"                                                          \
		    "	}\n"                                                                         \
		    "	c[0] = sum;\n"                                                               \
		    "}\n"

TEST(scan_sums_within_vectors)
{
	AUTO_FREE char *text = WITH(KERNEL_CHAIN, "specialise shapes=all", "scan loop=L0 lanes=4");
	CHECK(strstr(text, "forge_sums_4f(sum_steps);"));
	CHECK(kernel_same(KERNEL_CHAIN, text));
	AUTO_FREE char *past = WITH(KERNEL_CHAIN, "specialise shapes=all", "scan loop=L0 lanes=4",
				    "vectors bits=128", "stream array=c");
	CHECK(strstr(past, "forge_stream_4f(&c[i_block]"));
	CHECK(kernel_same(KERNEL_CHAIN, past));
	AUTO_FREE char *grown = WITH(KERNEL_GROWN, "specialise shapes=all", "scan loop=L0 lanes=8",
				     "vectors bits=256");
	CHECK(strstr(grown, "sum_steps_0"));
	CHECK(kernel_same(KERNEL_GROWN, grown));
	AUTO_FREE char *parts =
		WITH(KERNEL_GROWN, "specialise shapes=all", "scan loop=L0 parts=2 lanes=4",
		     "threads loop=L0t n=2", "threads loop=L0c n=2", "vectors bits=128");
	CHECK(strstr(parts, "i_at_block"));
	CHECK(kernel_same(KERNEL_GROWN, parts));
	AUTO_FREE char *before = REFUSAL(KERNEL_RUNNING, "scan loop=L0 lanes=4");
	CHECK(strstr(before, "in front of what is added"));
	AUTO_FREE char *odd = REFUSAL(KERNEL_CHAIN, "scan loop=L0 lanes=5");
	CHECK(strstr(odd, "no vector of so many lanes"));
	AUTO_FREE char *two = REFUSAL(KERNEL_CHAIN, "scan loop=L0 lanes=4 u=4");
	CHECK(strstr(two, "two ways"));
}

TEST(scan_needs_one_sum_of_what_does_not_change)
{
	AUTO_FREE char *unused = REFUSAL(
		KERNEL_HEAD "{ float s = 0; for (int i = 0; i < 64; i++) s += a[i]; c[0] = s; }",
		"scan loop=L0 parts=2");
	CHECK(strstr(unused, "not used"));
	AUTO_FREE char *own = REFUSAL(KERNEL_HEAD "{ float s = 0; for (int i = 0; i < 64; i++) { s "
						  "+= c[i]; c[i] = s; } }",
				      "scan loop=L0 parts=2");
	CHECK(strstr(own, "depends on what the loop changes"));
	AUTO_FREE char *self =
		REFUSAL(KERNEL_HEAD "{ float s = 0; for (int i = 0; i < 64; i++) { s "
				    "+= s * a[i]; c[i] = s; } }",
			"scan loop=L0 parts=2");
	CHECK(strstr(self, "adds to the sum"));
	AUTO_FREE char *hidden =
		REFUSAL(KERNEL_HEAD "{ float s = 0; for (int i = 0; i < 64; i++) { float t = s; s "
				    "+= t * a[i]; c[i] = s; } }",
			"scan loop=L0 parts=2");
	CHECK(strstr(hidden, "the sum itself"));
	AUTO_FREE char *skips =
		REFUSAL(KERNEL_HEAD "{ float s = 0; for (int i = 0; i < 64; i++) { "
				    "if (a[i] > 0) continue; s += a[i]; c[i] = s; } }",
			"scan loop=L0 parts=2");
	CHECK(strstr(skips, "a jump"));
	AUTO_FREE char *nothing = REFUSAL(KERNEL_CHAIN, "scan loop=L0");
	CHECK(strstr(nothing, "parts=, u= or lanes="));
	AUTO_FREE char *order =
		REFUSAL(KERNEL_HEAD "{ float s = 0; for (int i = 1; i < 64; i++) { s += a[i]; "
				    "c[i] = s + c[i - 1]; } }",
			"scan loop=L0 u=2 block=4");
	CHECK(strstr(order, "may touch one element"));
}

#define KERNEL_SCATTER                                                                             \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)k;\n"                                                                  \
		    "	for (int64_t i = 0; i < n * m; i++)\n"                                       \
		    "		if (a[i] > 0)\n"                                                            \
		    "			c[(int)(a[i] * 100) & 15] += b[i];\n"                                      \
		    "}\n"

TEST(privatise_adds_up_in_copies)
{
	kernel_args[2].elements = "16";
	AUTO_FREE char *turns =
		WITH(KERNEL_SCATTER, "specialise shapes=all", "privatise loop=L0 u=4");
	CHECK(strstr(turns, "_Alignas(64) float c_copies[4][16];"));
	CHECK(strstr(turns, "c_copies[copy][(int)(a[i_now] * 100) & 15] += b[i_now];"));
	CHECK(kernel_same(KERNEL_SCATTER, turns));
	AUTO_FREE char *blocks = WITH(KERNEL_SCATTER, "specialise shapes=all",
				      "privatise loop=L0 u=2 layout=block", "threads loop=L0c n=2");
	CHECK(strstr(blocks, "float (*restrict c_copies)[16],"));
	CHECK(kernel_same(KERNEL_SCATTER, blocks));
}

TEST(privatise_needs_a_length_and_sums_alone)
{
	AUTO_FREE char *open = REFUSAL(KERNEL_SCATTER, "privatise loop=L0 u=4");
	CHECK(strstr(open, "length of the array"));
	kernel_args[2].elements = "16";
	AUTO_FREE char *read =
		REFUSAL(KERNEL_HEAD
			"{ for (int i = 0; i < 64; i++) c[(int)a[i] & 3] += c[(int)b[i] & 3]; }",
			"privatise loop=L0 u=4");
	CHECK(strstr(read, "only added to"));
	AUTO_FREE char *taken =
		REFUSAL(KERNEL_HEAD
			"{ for (int i = 0; i < 64; i++) if ((c[(int)a[i] & 3] += 1) > 3) c[9]++; }",
			"privatise loop=L0 u=4");
	CHECK(strstr(taken, "only added to"));
	kernel_args[2].elements = "100000";
	AUTO_FREE char *big = REFUSAL(KERNEL_SCATTER, "privatise loop=L0 u=4");
	CHECK(strstr(big, "too big"));
}

/* Rows of a table that another array chooses. */
#define KERNEL_CHOSEN                                                                              \
	KERNEL_HEAD "{\n"                                                                          \
		    "	for (int64_t i = 0; i < n; i++) {\n"                                         \
		    "		int64_t from = (int64_t)(b[i] + 3);\n"                                      \
		    "		for (int64_t j = 0; j < m; j++)\n"                                          \
		    "			c[i * m + j] = a[from * m + j] * (float)k;\n"                              \
		    "	}\n"                                                                         \
		    "}\n"

TEST(prefetch_looks_at_no_iteration_behind_the_last)
{
	AUTO_FREE char *text =
		WITH(KERNEL_CHOSEN, "specialise shapes=all",
		     "prefetch array=a loop=L0 ahead=4 lines=2", "threads loop=L0 n=2");
	CHECK(strstr(text, "int64_t i_later = i + 4 < n ? i + 4 : i;"));
	CHECK(strstr(text, "for (int64_t line = 0; line < 32; line += 16)"));
	CHECK(strstr(text, "__builtin_prefetch(&a[(int64_t)(b[i_later] + 3) * m + 0 + line]);"));
	CHECK(kernel_same(KERNEL_CHOSEN, text));
	AUTO_FREE char *plain = WITH(KERNEL_TURN, "prefetch array=a loop=L0 ahead=2",
				     "prefetch array=a loop=L0.0 ahead=8");
	CHECK(strstr(plain, "__builtin_prefetch(&a[(i + 2) * m"));
	CHECK(strstr(plain, "__builtin_prefetch(&a[i * m + (j + 8)]);"));
	CHECK(kernel_same(KERNEL_TURN, plain));
}

TEST(prefetch_computes_no_address_from_what_is_not_read)
{
	AUTO_FREE char *empty = REFUSAL(KERNEL_CHOSEN, "prefetch array=a loop=L0 ahead=4");
	CHECK(strstr(empty, "not every iteration"));
	AUTO_FREE char *skipped =
		REFUSAL(KERNEL_HEAD "{ for (int i = 0; i < 64; i++) { if (a[i] > 0) continue; c[i] "
				    "= b[(int)a[i]]; } }",
			"prefetch array=b loop=L0 ahead=4");
	CHECK(strstr(skipped, "not every iteration"));
	AUTO_FREE char *same = REFUSAL(KERNEL_ROWS, "prefetch array=b loop=L0 ahead=4");
	CHECK(strstr(same, "the same in all"));
}

TEST_MAIN()
