#include "kernels.h"

/* Threads in a grid over two loops of a nest. */

#include "tuner/ir.h"
#include "tuner/moves.h"

#define ALL "specialise shapes=all"
#define GRID(grid) "threads loop=L0 n=2 layout=grid inner=L0.0 grid=" grid

static char *made_for(unsigned threads, const char *source, const char *const *rows)
{
	struct tuner_task task = kernel_task;
	task.threads = threads;
	return kernel_for(&task, source, rows);
}
#define MADE_FOR(threads, source, ...)                                                             \
	made_for(threads, source, (const char *const[]){ __VA_ARGS__, NULL })

/* The text with every run of blanks and ends of lines as one blank; yours. */
static char *in_one_line(const char *text)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, text, " \t\n");
	return strv_join(&words, " ");
}

/* Products of rows and columns, both loops free. */
#define KERNEL_PLANE                                                                               \
	KERNEL_HEAD "{\nfor (int64_t i = 0; i < n; i++)\nfor (int64_t j = 0; j < m; j++) {\n"      \
		    "float sum = 0;\nfor (int64_t p = 0; p < k; p++)\n"                            \
		    "sum += a[i * k + p] * b[p * m + j];\nc[i * m + j] = sum;\n}\n}\n"

TEST(a_grid_cuts_both_ranges)
{
	AUTO_FREE char *wide = WITH(KERNEL_PLANE, ALL, GRID("1x2"));
	CHECK(strstr(wide, "int64_t first, int64_t last, int64_t left, int64_t right)"));
	CHECK(strstr(wide, "for (int64_t j = left; j < right; j++)"));
	CHECK(strstr(wide, "share->width * chunk / 2") && !strstr(wide, "share->count * chunk"));
	CHECK_INT(count(wide, "GOMP_parallel(kern_"), 3);
	CHECK(kernel_same(KERNEL_PLANE, wide));
	AUTO_FREE char *tall = WITH(KERNEL_PLANE, ALL, GRID("2x1"));
	CHECK(strstr(tall, "share->count * chunk / 2") && !strstr(tall, "share->width * chunk"));
	CHECK(kernel_same(KERNEL_PLANE, tall));
}

/* More threads than rows, than columns, and than both: the sizes of the comparison go down to 1. */
TEST(grids_of_many_threads_cover_the_plane_once)
{
	static const struct {
		unsigned n;
		const char *grid;
	} grids[] = { { 4, "2x2" }, { 6, "2x3" }, { 6, "3x2" }, { 16, "4x4" }, { 64, "2x32" } };
	for (size_t i = 0; i < ARRAY_LEN(grids); i++) {
		AUTO_FREE char *row =
			xasprintf("threads loop=L0 n=%u layout=grid inner=L0.0 grid=%s", grids[i].n,
				  grids[i].grid);
		AUTO_FREE char *known = MADE_FOR(grids[i].n, KERNEL_PLANE, ALL, row);
		CHECK(kernel_same(KERNEL_PLANE, known));
		AUTO_FREE char *any = MADE_FOR(grids[i].n, KERNEL_PLANE, row);
		CHECK(kernel_same(KERNEL_PLANE, any));
	}
}

TEST(steps_and_starts_of_both_ranges_are_kept)
{
	static const char source[] = KERNEL_HEAD
		"{\n(void)b, (void)k;\nfor (int64_t i = 1; i < n; i += 3)\nfor (int64_t s = 0; s < "
		"3; s++)\nif (i + s < n)\nfor (int64_t j = 2; j < m; j += 2)\nc[(i + s) * m + j] = "
		"a[(i + s) * m + j] * 2;\n}\n";
	AUTO_FREE char *text =
		MADE_FOR(4, source, ALL, "threads loop=L0 n=4 layout=grid inner=L0.0.0 grid=2x2");
	AUTO_FREE char *line = in_one_line(text);
	CHECK(strstr(line, "share->count * (chunk / 2) / 2 * 3"));
	CHECK(strstr(line, "share->width * (chunk % 2) / 2 * 2"));
	CHECK(kernel_same(source, text));
}

/* Tiles first, copies at the head of a row: every column makes its own. */
TEST(what_belongs_to_a_row_is_made_by_every_column)
{
	AUTO_FREE char *tiled =
		WITH(KERNEL_PLANE, ALL, "tile loop=L0 inner=L0.0 u=4 v=8", GRID("1x2"));
	CHECK(kernel_same(KERNEL_PLANE, tiled));
	AUTO_FREE char *sunk =
		WITH(KERNEL_PLANE, ALL, "sink loop=L0.0 u=4 as=lanes", "pack array=b loop=L0",
		     "sink loop=L0 u=2 as=registers", GRID("1x2"), "vectors bits=256");
	CHECK(kernel_same(KERNEL_PLANE, sunk));
	static const char source[] = KERNEL_HEAD
		"{\n(void)k;\nfor (int64_t i = 0; i < n; i++) {\nfloat own[4];\nfloat top = "
		"0;\nfor "
		"(int64_t q = 0; q < 4; q++) {\nown[q] = a[i * m] * (float)q;\ntop += own[q];\n}\n"
		"for (int64_t j = 0; j < m; j++)\nc[i * m + j] = own[j % 4] * top + b[j];\n}\n}\n";
	AUTO_FREE char *own =
		WITH(source, ALL, "threads loop=L0 n=2 layout=grid inner=L0.1 grid=1x2");
	CHECK_INT(count(own, "GOMP_parallel(kern_"), 3);
	CHECK(kernel_same(source, own));
}

TEST(a_grid_needs_a_proof_for_everything_in_it)
{
	static const struct {
		const char *body;
		const char *why;
	} cases[] = {
		{ "for (int64_t i = 0; i < n; i++) for (int64_t j = 1; j < m; j++) c[i * m + j] = "
		  "c[i * m + j - 1] + a[i];",
		  "of the loop inside: two of its iterations may touch one element of c" },
		{ "for (int64_t i = 0; i < n; i++) { float s = 0; for (int64_t j = 0; j < m; j++) "
		  "s "
		  "+= a[i * m + j]; c[i] = s; }",
		  "of the loop inside: its iterations all change one variable" },
		{ "for (int64_t i = 0; i < n; i++) { for (int64_t j = 0; j < m; j++) c[i * m + j] "
		  "= "
		  "a[j]; c[n * m + i] = 1; }",
		  "every column would write c" },
		{ "for (int64_t i = 0; i < n; i++) { float s = c[i * m]; for (int64_t j = 0; j < "
		  "m; "
		  "j++) c[i * m + j] = a[j] + s; }",
		  "every column would read c while others write it" },
		{ "for (int64_t i = 0; i < n; i++) { float t[64]; for (int64_t j = 0; j < 32; j++) "
		  "t[j] = a[j]; for (int64_t j = 0; j < m; j++) c[i * m + j] = t[j % 32]; }",
		  "columns would each have a part of t" },
		{ "for (int64_t i = 0; i < n; i++) for (int64_t j = i; j < m; j++) c[i * m + j] = "
		  "a[j];",
		  "whose range is known in front of it" },
		{ "for (int64_t i = 0; i < n; i++) { int64_t w = m - 1; for (int64_t j = 0; j < w; "
		  "j++) c[i * m + j] = a[j]; }",
		  "whose range is known in front of it" },
		{ "for (int64_t i = 0; i < n; i++) { if (a[i] > 0) continue; for (int64_t j = 0; j "
		  "< m; j++) c[i * m + j] = a[j]; }",
		  "a jump may leave out" },
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_FREE char *source = xasprintf("%s{\n%s\n}\n", KERNEL_HEAD, cases[i].body);
		AUTO_FREE char *why = REFUSAL(source, GRID("1x2"));
		if (!strstr(why, cases[i].why))
			printf("# %zu: %s\n", i, why);
		CHECK(strstr(why, cases[i].why));
	}
}

/* The proof refuses it; by hand it is done all the same. */
TEST(what_every_column_does_again_is_caught)
{
	static const char source[] = KERNEL_HEAD
		"{\n(void)b, (void)k;\nfor (int64_t i = 0; i < n; i++) {\nfor (int64_t j = 0; j < "
		"m; j++)\nc[i * m + j] = a[i * m + j];\nc[n * m + i] += 8;\n}\n}\n";
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	AUTO_STR struct str out = STR_INIT;
	AUTO_FREE char *why = REFUSAL(source, GRID("1x2"));
	CHECK(strstr(why, "every column would write c"));
	kernel_init(&k, source, &kernel_task, &a);
	struct loop *l = kernel_loop(&k.variants[0], "L0")->loop;
	l->threads = 2;
	l->layout = SHARE_GRID;
	l->inner = "L0.0";
	l->columns = 2;
	kernel_print(&k, &out);
	CHECK_INT(kernel_compare(source, out.text), 1);
}

TEST(a_grid_is_asked_for_in_full)
{
	static const char *const rows[][2] = {
		{ "threads loop=L0 n=2 layout=grid inner=L0.0", "both of them" },
		{ "threads loop=L0 n=2 inner=L0.0 grid=1x2", "both of them" },
		{ "threads loop=L0 n=2 layout=grid inner=L0.0 grid=2x2", "R * C = n" },
		{ "threads loop=L0 n=2 layout=grid inner=L0.0 grid=2", "R * C = n" },
		{ "threads loop=L0 n=2 layout=grid inner=L0.0 grid=-1x-2", "R * C = n" },
		{ "threads loop=L0 n=2 layout=grid inner=L0.7 grid=1x2", "not one loop L0.7" },
		{ "threads loop=L0 n=2 layout=grid inner=L0 grid=1x2", "not one loop L0 " },
		{ "threads loop=L0 n=2 layout=grid reduce=all inner=L0.0 grid=1x2", "partial" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_FREE char *why = REFUSAL(KERNEL_PLANE, rows[i][0]);
		if (!strstr(why, rows[i][1]))
			printf("# %s: %s\n", rows[i][0], why);
		CHECK(strstr(why, rows[i][1]));
	}
	AUTO_FREE char *twice =
		REFUSAL(KERNEL_PLANE, "threads loop=L0.0 n=2 layout=block", GRID("1x2"));
	CHECK(strstr(twice, "already"));
}

/* What does not fill the lanes runs beside them at odd sizes: there a row of threads is left. */
TEST(bodies_without_a_grid_get_the_threads_all_the_same)
{
	AUTO_FREE char *text = WITH(KERNEL_PLANE, ALL, "sink loop=L0.0 u=4 as=lanes", GRID("1x2"));
	AUTO_FREE char *line = in_one_line(text);
	CHECK_INT(count(line, "GOMP_parallel(kern_"), 3);
	CHECK_INT(count(line, ", int64_t left, int64_t right)"), 1);
	CHECK(kernel_same(KERNEL_PLANE, text));
}

/* The loop that the row names is gone when the file is written. */
TEST(a_grid_whose_inner_loop_went_falls_back_to_rows)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	AUTO_STR struct str out = STR_INIT;
	struct err e = { 0 };
	kernel_init(&k, KERNEL_PLANE, &kernel_task, &a);
	CHECK(kernel_apply(&k, GRID("1x2"), &e));
	kernel_loop(&k.variants[0], "L0.0")->loop->label = "L0.0x";
	kernel_print(&k, &out);
	CHECK(!strstr(out.text, "left") && strstr(out.text, "share->count * chunk / 2"));
	CHECK(kernel_same(KERNEL_PLANE, out.text));
}

TEST(the_search_tries_columns_where_both_loops_are_free)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct ground g = { KERNEL_PLANE, &kernel_task, &a, NULL };
	const struct plan p = { .rows = { ALL }, .nr = 1 };
	AUTO_FREE struct moves *moves = xcalloc(1, sizeof(*moves));
	unsigned nr = 0;
	moves_threads(&g, &p, moves);
	for (size_t i = 0; i < moves->nr; i++)
		nr += plan_has(&moves->items[i], GRID("1x2"));
	CHECK_INT(nr, 1);
}

TEST_MAIN()
