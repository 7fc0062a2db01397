#include "know/prose.h"

#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* A line, what follows it, and the numbers of it that lack a unit. */
static const struct {
	const char *line;
	const char *next;
	const char *bare;
} rows[] = {
	{ "a line of 64 bytes", "", "" },
	{ "64-byte lines, 256-bit vectors, 2x the time", "", "" },
	{ "lines of 64", "bytes each", "" },
	{ "lines of 64", "", "64" },
	{ "4, 8 or 16 bytes", "", "" },
	{ "from 4 to 8 cycles", "", "" },
	{ "from 4 to 8", "", "8" },
	{ "2-4 cycles, 16/32 lanes, 2^20 elements, 0.5 ns, 1.5x, 30%, 30 %", "", "" },
	{ "4 independent sums", "", "" },
	{ "4 very independent sums", "", "4" },
	{ "x86-64, AVX-512, L1, ymm0, fp32 and M0", "", "" },
	{ "1. first", "", "" },
	{ "  2) second", "", "" },
	{ "size 3, and 5.", "", "5" },
	{ "about (12) of them", "", "12" },
	{ "-1 is wrong", "", "-1" },
	{ "no number", "4 bytes", "" },
};

TEST(numbers_have_units)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str bare = STR_INIT;
		size_t at = 0;
		for (;;) {
			AUTO_FREE char *one = prose_bare_number(rows[i].line, rows[i].next, &at);
			if (!one)
				break;
			str_addf(&bare, "%s%s", bare.len ? " " : "", one);
		}
		printf("# %s: %s\n", rows[i].line, bare.text);
		CHECK_TEXT(bare.text, rows[i].bare);
	}
}

TEST(lines_are_text_or_code)
{
	AUTO_PROSE struct prose p;
	prose_cut(&p, "Use `a->b` here.\n```c\nx = 1;\n```\nEnd", 7);
	CHECK_INT(p.nr, 5);
	CHECK_INT(p.items[0].kind, PROSE_TEXT);
	CHECK_TEXT(p.items[0].plain, "Use        here.");
	CHECK_INT(p.items[1].kind, PROSE_FENCE);
	CHECK_TEXT(p.items[1].info, "c");
	CHECK_INT(p.items[2].kind, PROSE_CODE);
	CHECK(p.items[3].kind == PROSE_FENCE && !p.items[3].info);
	CHECK_INT(p.items[4].kind, PROSE_TEXT);
	CHECK_INT(p.items[4].number, 11);
	CHECK_INT(p.open_fence, 0);
	CHECK(prose_has_text(&p));
}

TEST(a_fence_that_nothing_closes_is_told)
{
	AUTO_PROSE struct prose p;
	prose_cut(&p, "text\n```c\nx\n", 1);
	CHECK_INT(p.open_fence, 2);
}

TEST_MAIN()
