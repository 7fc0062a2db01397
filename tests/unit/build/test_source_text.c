#include "build/source_text.h"

#include <string.h>

#include "base/mem.h"
#include "build/build.h"
#include "fixture.h"

#define BIDI "\xe2\x80\xae"
#define ZERO_WIDTH "\xe2\x80\x8b"

/* Source, its length when it holds a NUL, and a part of the verdict's detail; NULL: it passes. */
static const struct row {
	const char *text;
	size_t len;
	const char *detail;
} rows[] = {
	{ "int x; /* µ × ≥ 漢字 */\n", 0, NULL },
	{ "int x;\r\nint y;\r\n", 0, NULL },
	{ "\fint x; // \t tab\n", 0, NULL },
	{ "\xef\xbb\xbfint x;\n", 0, NULL },
	{ "// \xe2\x9a\xa0\xef\xb8\x8f careful\n", 0, NULL },
	{ "// what?\?!\n// which?\?/ of them\n", 0, NULL },
	{ "// goes on \\\nint hidden;\n", 0, NULL },
	{ "int x; /* " BIDI "*/", 0, "line 1, column 11: the bidirectional character U+202E" },
	{ "int a;\nint \xe2\x81\xa6x;\n", 0,
	  "line 2, column 5: the bidirectional character U+2066" },
	{ "int x" ZERO_WIDTH "y;\n", 0, "the invisible character U+200B" },
	{ "int x; \xef\xbb\xbf\n", 0, "the invisible character U+FEFF" },
	{ "// \xf3\xa0\x81\x81\n", 0, "the invisible character U+E0041" },
	{ "// \xe2\x80\xa8 int x;\n", 0, "the control character U+2028" },
	{ "// \033[2J\n", 0, "the control character U+001B" },
	{ "// verdict: wrong \r pass\n", 0, "the control character U+000D" },
	{ "int x;\0int y;\n", 14, "the control character U+0000" },
	{ "// caf\xe9\n", 0, "the byte 0xe9 is no UTF-8" },
	{ "// \xc0\xaf\n", 0, "the byte 0xc0 is no UTF-8" },
	{ "// joined?\?/\nint hidden;\n", 0, "line 1: the trigraph" },
	{ "// joined?\?/ \t\nint hidden;\n", 0, "line 1: the trigraph" },
};

TEST(a_source_is_what_it_looks_like)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len = rows[i].len ? rows[i].len : strlen(rows[i].text);
		struct verdict v = source_text_check(rows[i].text, len);
		if ((rows[i].detail != NULL) != (v.reason == REASON_forbidden_text))
			printf("# row %zu: %s\n", i, v.detail);
		CHECK_INT(v.reason, rows[i].detail ? REASON_forbidden_text : REASON_NONE);
		if (rows[i].detail)
			CHECK(strstr(v.detail, rows[i].detail) != NULL);
	}
}

TEST(a_build_refuses_such_a_source_before_it_compiles)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O2", HEAD "/* " BIDI " */" SCALE, &b);
	CHECK_INT(b.verdict.reason, REASON_forbidden_text);
	CHECK_INT(b.verdict.state, VERDICT_POLICY);
	CHECK_INT(b.nr_so, 0);
	fixture_release(&f);
}

/* Of the two builds the compiler sees, the screens judge the one that it compiled. */
TEST(joined_lines_hide_nothing_from_the_build)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	fixture_build(&f, "gcc -O2",
		      HEAD "// not code \\\nstatic int state; int *p = &state;\n" SCALE, &b);
	CHECK_INT(b.verdict.state, VERDICT_NONE);
	build_release(&b);
	fixture_build(&f, "gcc -O2", HEAD "// code follows\nint state;\n" SCALE, &b);
	CHECK_INT(b.verdict.reason, REASON_writable_static);
	fixture_release(&f);
}

TEST(lines_are_joined_as_the_compiler_joins_them)
{
	AUTO_STR struct str out = STR_INIT;
	source_text_joined("a\\\nb\\ \t\r\nc\nd\\e\n", 20, &out);
	CHECK_TEXT(out.text, "abc\nd\\e\n");
	str_clear(&out);
	source_text_joined("a\\\nb\nc\nd\n", 3, &out);
	CHECK_TEXT(out.text, "ab\nc\n");
}

TEST_MAIN()
