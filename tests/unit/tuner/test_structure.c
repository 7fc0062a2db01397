#include "kernels.h"

/* The compiler that rewrites are made for, at its boldest. */
#define BOLD "build cc=gcc flags=-O3,-march=native,-ffast-math"

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

/* A window of 3 x 3 over 3 planes with a border, written with skips, pointers and index variables:
 * k outputs of n x m. */
#define KERNEL_WINDOW                                                                              \
	KERNEL_HEAD                                                                                \
	"{\n"                                                                                      \
	"	for (int64_t o = 0; o < k; o++)\n"                                                       \
	"		for (int64_t y = 0; y < n; y++)\n"                                                      \
	"			for (int64_t x = 0; x < m; x++) {\n"                                                   \
	"				float sum = b[o];\n"                                                                  \
	"				for (int64_t q = 0; q < 3; q++) {\n"                                                  \
	"					const float *plane = a + q * n * m;\n"                                               \
	"					for (int64_t r = 0; r < 3; r++) {\n"                                                 \
	"						int64_t yy = y + r - 1;\n"                                                          \
	"						if (yy < 0 || yy >= n)\n"                                                           \
	"							continue;\n"                                                                       \
	"						for (int64_t t = 0; t < 3; t++) {\n"                                                \
	"							int64_t xx = x + t - 1;\n"                                                         \
	"							if (xx < 0 || xx >= m)\n"                                                          \
	"								continue;\n"                                                                      \
	"							sum += plane[yy * m + xx] * "                                                      \
	"b[((o * 3 + q) * 3 + r) * 3 + t];\n"                                                      \
	"						}\n"                                                                                \
	"					}\n"                                                                                 \
	"				}\n"                                                                                  \
	"				float *to = &c[(o * n + y) * m];\n"                                                   \
	"				to[x] = sum > 0 ? sum : 0;\n"                                                         \
	"			}\n"                                                                                   \
	"}\n"

/* Each column from the row above: rows are a chain, columns are not. */
#define KERNEL_COLUMNS                                                                             \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)b, (void)k;\n"                                                         \
		    "	for (int64_t i = 1; i < n; i++)\n"                                           \
		    "		for (int64_t j = 0; j < m; j++)\n"                                          \
		    "			c[i * m + j] = c[(i - 1) * m + j] + a[i * m + j];\n"                       \
		    "}\n"

/* Every element from its neighbour above on the right: neither order but the one it is in. */
#define KERNEL_SLANT                                                                               \
	KERNEL_HEAD "{\n"                                                                          \
		    "	(void)b, (void)k;\n"                                                         \
		    "	for (int64_t i = 1; i < n; i++)\n"                                           \
		    "		for (int64_t j = 0; j < m - 1; j++)\n"                                      \
		    "			c[i * m + j] = c[(i - 1) * m + j + 1] + a[i * m + j];\n"                   \
		    "}\n"

TEST(strip_keeps_the_label_outside_and_counts_to_a_number_inside)
{
	AUTO_FREE char *text = WITH(KERNEL_TURN, "specialise shapes=all", "strip loop=L0.0 u=8",
				    "unroll loop=L0.0s n=8");
	CHECK(strstr(text, "for (int64_t j = 0; j < 32; j += 8)"));
	CHECK(strstr(text, "for (int64_t j = 32; j < m; j++)"));
	CHECK(strstr(text, "for (int64_t j = 0; j < m - 7; j += 8)"));
	CHECK(strstr(text, "for (int64_t j = m / 8 * 8; j < m; j++)"));
	CHECK(strstr(text, "#pragma GCC unroll 8\n\t\t\tfor (int64_t j_s = 0; j_s < 8; j_s++)"));
	CHECK(strstr(text, "c[(j + j_s) * n + i] = a[i * m + (j + j_s)];"));
	CHECK(kernel_same(KERNEL_TURN, text));
}

TEST(strip_needs_a_full_strip)
{
	AUTO_FREE char *few = REFUSAL(
		KERNEL_HEAD "{\n(void)a, (void)b, (void)n, (void)m, (void)k;\nfor (int i = 0; i < "
			    "4; i++) c[i] = 0; }\n",
		"strip loop=L0 u=8");
	CHECK(strstr(few, "fewer iterations"));
	AUTO_FREE char *sign = REFUSAL(
		KERNEL_HEAD "{\n(void)a, (void)b, (void)m, (void)k;\nfor (size_t i = 0; i < "
			    "(size_t)n; i++) c[i] = 0; }\n",
		"strip loop=L0 u=8");
	CHECK(strstr(sign, "signed"));
}

TEST(sinking_two_loops_gives_a_block_of_sums)
{
	AUTO_FREE char *text =
		WITH(KERNEL_PRODUCT, "specialise shapes=all", "sink loop=L0.0 u=16 as=lanes",
		     "sink loop=L0 u=4 as=registers", BOLD);
	CHECK(strstr(text, "float s[4][16];"));
	CHECK(strstr(text, "\t\t\tfor (int64_t p = 0; p < k; p++) {\n"
			   "\t\t\t\tfor (int64_t i_s = 0; i_s < 4; i_s++) {\n"
			   "#pragma omp simd\n"
			   "\t\t\t\t\tfor (int64_t j_s = 0; j_s < 16; j_s++) {\n"
			   "\t\t\t\t\t\ts[i_s][j_s] += a[(i + i_s) * k + p] * b[p * m + (j + "
			   "j_s)];\n"));
	CHECK(kernel_same(KERNEL_PRODUCT, text));
}

TEST(the_order_of_sinks_does_not_change_their_nesting)
{
	AUTO_FREE char *text =
		WITH(KERNEL_PRODUCT, "specialise shapes=all", "sink loop=L0 u=4 as=registers",
		     "sink loop=L0.0 u=8 as=lanes", BOLD);
	CHECK(strstr(text, "float s[4][8];"));
	CHECK(strstr(text, "s[i_s][j_s] += a[(i + i_s) * k + p] * b[p * m + (j + j_s)];"));
	CHECK(kernel_same(KERNEL_PRODUCT, text));
}

TEST(one_loop_may_give_lanes_and_registers)
{
	AUTO_FREE char *text =
		WITH(KERNEL_PRODUCT, "specialise shapes=all", "sink loop=L0.0 u=4 as=lanes",
		     "sink loop=L0.0 u=2 as=registers", BOLD);
	CHECK(strstr(text, "float s[2][4];"));
	CHECK(strstr(text, "b[p * m + (j + j_s2 * 4 + j_s)]") ||
	      strstr(text, "b[p * m + (j + j_s_2 * 4 + j_s)]"));
	CHECK(kernel_same(KERNEL_PRODUCT, text));
}

TEST(sinking_an_element_that_lives_in_a_variable)
{
	AUTO_FREE char *text =
		WITH(KERNEL_NEST, "specialise shapes=all", "scalarise loop=L0.0.0",
		     "sink loop=L0.0 u=4 as=lanes", "sink loop=L0 u=2 as=registers", BOLD);
	CHECK(strstr(text, "float c_kept[2][4];"));
	CHECK(strstr(text, "c_kept[i_s][j_s] += a[(i + i_s) * k + p] * b[p * m + (j + j_s)];"));
	CHECK(kernel_same(KERNEL_NEST, text));
}

TEST(sinking_a_loop_of_sums_in_memory)
{
	AUTO_FREE char *text =
		WITH(KERNEL_NEST, "sink loop=L0.0 u=4 as=lanes", "sink loop=L0.0.0 u=2 as=plain");
	CHECK(strstr(text, "p_s"));
	CHECK(kernel_same(KERNEL_NEST, text));
}

TEST(sunk_loops_are_still_dealt_out_to_threads)
{
	AUTO_FREE char *after =
		WITH(KERNEL_PRODUCT, "specialise shapes=all", "sink loop=L0.0 u=8 as=lanes",
		     "sink loop=L0 u=4 as=registers", "threads loop=L0 n=2");
	CHECK_INT(count(after, "GOMP_parallel(kern_"), 3);
	CHECK(kernel_same(KERNEL_PRODUCT, after));
	AUTO_FREE char *before =
		WITH(KERNEL_PRODUCT, "specialise shapes=all", "threads loop=L0 n=2 layout=deal",
		     "sink loop=L0 u=4 as=registers", "sink loop=L0.0 u=8 as=lanes");
	CHECK_INT(count(before, "GOMP_parallel(kern_"), 3);
	CHECK(kernel_same(KERNEL_PRODUCT, before));
}

TEST(a_window_is_sunk_along_any_of_its_outer_loops)
{
	static const char *const rows[][3] = {
		{ "sink loop=L0 u=4 as=lanes", "sink loop=L0.0.0 u=2 as=registers", NULL },
		{ "sink loop=L0.0.0 u=8 as=lanes", "sink loop=L0 u=2 as=registers", NULL },
		{ "sink loop=L0.0.0 u=8 as=lanes", "sink loop=L0.0 u=3 as=registers", NULL },
		{ "sink loop=L0.0 u=2 as=plain", "sink loop=L0.0.0 u=4 as=lanes", NULL },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *text = WITH(KERNEL_WINDOW, "specialise shapes=all", rows[i][0],
					    rows[i][1], "build cc=gcc flags=-O2,-ffast-math");
		CHECK(kernel_same(KERNEL_WINDOW, text));
	}
}

TEST(a_condition_that_is_the_same_for_a_strip_stays_outside_of_it)
{
	AUTO_FREE char *text =
		WITH(KERNEL_WINDOW, "specialise shapes=all", "sink loop=L0 u=4 as=lanes");
	const char *condition = strstr(text, "if (!(xx < 0 || xx >= m)) {\n");
	CHECK(condition);
	const char *next = strstr(condition, "omp simd\n");
	CHECK(next);
	next = strchr(next, '\n') + 1;
	CHECK(next - condition < 70);
	next += strspn(next, "\t");
	CHECK(strncmp(next, "for (int64_t o_s", strlen("for (int64_t o_s")) == 0);
	CHECK(strstr(text, "a[q * n * m + (yy * m + xx)]"));
}

TEST(a_row_reduction_gets_partial_results)
{
	AUTO_FREE char *text = WITH(KERNEL_ROWS, "specialise shapes=all",
				    "sink loop=L0.0 u=8 as=lanes", "sink loop=L0.1 u=8 as=lanes");
	CHECK(strstr(text, "float sum_part[8];"));
	CHECK(strstr(text, "sum_part[j_s] += a[i * m + (j + j_s)] * a[i * m + (j + j_s)];"));
	CHECK(strstr(text, "sum += sum_part[j_s];"));
	CHECK(kernel_same(KERNEL_ROWS, text));
	AUTO_FREE char *both =
		WITH(KERNEL_ROWS, "specialise shapes=all", "sink loop=L0.0 u=8 as=lanes",
		     "sink loop=L0 u=2 as=registers", BOLD);
	CHECK(strstr(both, "float sum_part[2][8];"));
	CHECK(kernel_same(KERNEL_ROWS, both));
}

TEST(a_reduction_in_lanes_gives_way_to_registers)
{
	AUTO_FREE char *text = WITH(KERNEL_ROWS, "specialise shapes=all", "simd loop=L0.0",
				    "sink loop=L0 u=2 as=registers");
	CHECK(strstr(text, "sum[i_s] +="));
	CHECK(kernel_same(KERNEL_ROWS, text));
}

TEST(largest_values_and_triangles)
{
	AUTO_FREE char *inner = WITH(KERNEL_TRIANGLE, "specialise shapes=all",
				     "sink loop=L0.0 u=4 as=lanes", "sink loop=L0.1 u=4 as=lanes");
	CHECK(strstr(inner, "top = top_part[j_s] > top ? top_part[j_s] : top;"));
	CHECK(kernel_same(KERNEL_TRIANGLE, inner));
	AUTO_FREE char *outer = WITH(KERNEL_TRIANGLE, "specialise shapes=all",
				     "sink loop=L0 u=3 as=registers", BOLD);
	CHECK(strstr(outer, "int64_t j_end = i + 1;"));
	CHECK(strstr(outer, "for (int64_t j = j_end; j < i + i_s + 1; j++)"));
	CHECK(strstr(outer, "float p[3][8];"));
	CHECK(kernel_same(KERNEL_TRIANGLE, outer));
	AUTO_FREE char *both =
		WITH(KERNEL_TRIANGLE, "specialise shapes=all", "sink loop=L0.0 u=4 as=lanes",
		     "sink loop=L0 u=3 as=registers", "sink loop=L0.1 u=2 as=lanes");
	CHECK(strstr(both, "i + 1 - 3 > 0") && strstr(both, " + 3) / 4 * 4"));
	CHECK(kernel_same(KERNEL_TRIANGLE, both));
}

TEST(sink_refuses_what_one_iteration_hands_to_the_next)
{
	AUTO_FREE char *chain = REFUSAL(KERNEL_CHAIN, "sink loop=L0 u=4 as=lanes");
	CHECK(strstr(chain, "sum goes from one iteration to the next"));
	AUTO_FREE char *place = REFUSAL(KERNEL_PLACE, "sink loop=L0.0 u=4 as=lanes");
	CHECK(strstr(place, "from one iteration to the next"));
	AUTO_FREE char *columns = REFUSAL(KERNEL_COLUMNS, "sink loop=L0 u=4 as=registers");
	CHECK(strstr(columns, "one element of c"));
	AUTO_FREE char *sweeps = REFUSAL(KERNEL_SWEEPS, "sink loop=L1 u=2 as=registers");
	CHECK(strstr(sweeps, "one element of"));
	AUTO_FREE char *strip =
		REFUSAL(KERNEL_ROWS, "sink loop=L0.1 u=8 as=lanes", "sink loop=L0.1s u=2 as=lanes");
	CHECK(strstr(strip, "a strip already"));
	AUTO_FREE char *way = REFUSAL(KERNEL_ROWS, "sink loop=L0.1 u=8 as=rows");
	CHECK(strstr(way, "as must be"));
}

TEST(sink_leaves_arrays_of_open_length_alone)
{
	AUTO_FREE char *text = REFUSAL(KERNEL_TRIANGLE, "sink loop=L0 u=4 as=registers");
	CHECK(strstr(text, "the length of p is no number"));
}

TEST(interchange_swaps_what_may_be_swapped)
{
	AUTO_FREE char *turn = WITH(KERNEL_TURN, "interchange loop=L0");
	CHECK(strstr(turn, "for (int64_t j = 0; j < m; j++)\n\t\tfor (int64_t i = 0; i < n; i++)"));
	CHECK(kernel_same(KERNEL_TURN, turn));
	AUTO_FREE char *columns = WITH(KERNEL_COLUMNS, "interchange loop=L0");
	CHECK(strstr(columns, "\tfor (int64_t j = 0; j < m; j++)\n"));
	CHECK(kernel_same(KERNEL_COLUMNS, columns));
	AUTO_FREE char *slant = REFUSAL(KERNEL_SLANT, "interchange loop=L0");
	CHECK(strstr(slant, "one element of c"));
	AUTO_FREE char *two = REFUSAL(KERNEL_ROWS, "interchange loop=L0");
	CHECK(strstr(two, "not one loop"));
}

TEST(tiles_cover_the_plane_once)
{
	AUTO_FREE char *text =
		WITH(KERNEL_TURN, "specialise shapes=all", "tile loop=L0 inner=L0.0 u=4 v=5");
	CHECK(strstr(text, "for (int64_t i_tile = 0; i_tile < n; i_tile += 4)\n"
			   "\t\tfor (int64_t j_tile = 0; j_tile < m; j_tile += 5)\n"
			   "\t\t\tfor (int64_t i = i_tile; i < i_tile + 4; i++)\n"));
	CHECK(strstr(text, "j < (j_tile + 5 < m ? j_tile + 5 : m)"));
	CHECK(kernel_same(KERNEL_TURN, text));
	AUTO_FREE char *dealt = WITH(KERNEL_TURN, "specialise shapes=all", "threads loop=L0 n=2",
				     "tile loop=L0 inner=L0.0 u=4 v=4");
	CHECK(strstr(dealt, "GOMP_parallel"));
	CHECK(kernel_same(KERNEL_TURN, dealt));
	AUTO_FREE char *slant = REFUSAL(KERNEL_SLANT, "tile loop=L0 inner=L0.0 u=4 v=4");
	CHECK(strstr(slant, "can not change places"));
	AUTO_FREE char *other = REFUSAL(KERNEL_ROWS, "tile loop=L0 inner=L0.1 u=4 v=4");
	CHECK(strstr(other, "not that one loop"));
}

TEST(rewritten_kernels_are_references_again)
{
	AUTO_FREE char *once = WITH(KERNEL_WINDOW, "sink loop=L0 u=4 as=lanes",
				    "sink loop=L0.0.0 u=2 as=registers");
	AUTO_FREE char *twice =
		WITH(once, "build cc=gcc flags=-O3,-march=native", "unroll loop=L0.0 n=2");
	CHECK_INT(count(kernel_made(twice), "#pragma omp simd\n"),
		  count(once, "#pragma omp simd\n"));
	CHECK(kernel_same(KERNEL_WINDOW, twice));
	AUTO_FREE char *hints = WITH(KERNEL_ROWS, "simd loop=L0.0", "unroll loop=L0.1 n=4");
	AUTO_FREE char *kept = WITH(hints, "strip loop=L0 u=2");
	CHECK(strstr(kept, "#pragma omp simd reduction(+ : sum)\n") &&
	      strstr(kept, "#pragma GCC unroll 4\n"));
	CHECK(kernel_same(KERNEL_ROWS, kept));
	AUTO_FREE char *tiles = WITH(KERNEL_TURN, "tile loop=L0 inner=L0.0 u=4 v=5");
	AUTO_FREE char *again = WITH(tiles, "unroll loop=L0.0.0.0 n=4");
	CHECK(kernel_same(KERNEL_TURN, again));
}

TEST_MAIN()
