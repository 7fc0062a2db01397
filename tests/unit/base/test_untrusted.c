#include "base/untrusted.h"

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/table.h"
#include "test.h"

/* What others may write, as a line, as a block and inside JSON. */
static const struct row {
	const char *text;
	const char *line;
	const char *block;
} rows[] = {
	{ "plain text, 100 %", "plain text, 100 %", "plain text, 100 %" },
	{ "µs × ≥ żółw 漢字 🙂", "µs × ≥ żółw 漢字 🙂",
	  "µs × ≥ żółw 漢字 🙂" },
	{ "a\nok: pass", "a ok: pass", "a\nok: pass" },
	{ "a\tb", "a b", "a\tb" },
	{ "a\r\nb", "a\\r b", "a\nb" },
	{ "wrong\rpass ", "wrong\\rpass ", "wrong\\rpass " },
	{ "\033[2J\033[H", "\\x1b[2J\\x1b[H", "\\x1b[2J\\x1b[H" },
	{ "\033]0;title\a", "\\x1b]0;title\\x07", "\\x1b]0;title\\x07" },
	{ "back\b\b\b\b", "back\\x08\\x08\\x08\\x08", "back\\x08\\x08\\x08\\x08" },
	{ "\x7f", "\\x7f", "\\x7f" },
	{ "\xc2\x9b"
	  "2J",
	  "\\u{009b}2J", "\\u{009b}2J" },
	{ "\xc2\x85", "\\u{0085}", "\\u{0085}" },
	{ "if (\xe2\x80\xae"
	  "admin\xe2\x80\xac)",
	  "if (\\u{202e}admin\\u{202c})", "if (\\u{202e}admin\\u{202c})" },
	{ "\xe2\x81\xa6x\xe2\x81\xa9", "\\u{2066}x\\u{2069}", "\\u{2066}x\\u{2069}" },
	{ "\xd8\x9c", "\\u{061c}", "\\u{061c}" },
	{ "a\xe2\x80\x8b"
	  "b",
	  "a\\u{200b}b", "a\\u{200b}b" },
	{ "\xef\xbb\xbf", "\\u{feff}", "\\u{feff}" },
	{ "a\xe2\x80\xa8"
	  "b\xe2\x80\xa9",
	  "a\\u{2028}b\\u{2029}", "a\\u{2028}b\\u{2029}" },
	{ "\xf3\xa0\x81\x81", "\\u{e0041}", "\\u{e0041}" },
	{ "\xff\xfe", "\\xff\\xfe", "\\xff\\xfe" },
	{ "\xc0\x80", "\\xc0\\x80", "\\xc0\\x80" },               /* an overlong NUL */
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80", "\\xed\\xa0\\x80" }, /* half of a pair */
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "\\xf4\\x90\\x80\\x80" },
	{ "cut \xe2\x82", "cut \\xe2\\x82", "cut \\xe2\\x82" },
};

TEST(nothing_that_is_more_than_text_comes_through)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str line = STR_INIT;
		AUTO_STR struct str block = STR_INIT;
		untrusted_line(&line, rows[i].text, 0);
		untrusted_block(&block, rows[i].text, 0);
		CHECK_TEXT(line.text, rows[i].line);
		CHECK_TEXT(block.text, rows[i].block);
	}
}

TEST(what_was_made_harmless_stays_as_it_is)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str twice = STR_INIT;
		untrusted_line(&twice, rows[i].line, 0);
		CHECK_TEXT(twice.text, rows[i].line);
	}
}

TEST(a_cut_says_how_much_it_cut)
{
	AUTO_STR struct str huge = STR_INIT;
	AUTO_STR struct str out = STR_INIT;
	for (size_t i = 0; i < 1 << 20; i++)
		str_add_char(&huge, 'x');
	untrusted_line(&out, huge.text, 100);
	CHECK_INT(strspn(out.text, "x"), 100);
	CHECK_TEXT(out.text + 100, "... (1048476 bytes more)");
	str_clear(&out);
	untrusted_line(&out, "five.", 5);
	CHECK_TEXT(out.text, "five.");
	/* Never inside of a character, never inside of an escape. */
	str_clear(&out);
	untrusted_line(&out, "µµ\033", 3);
	CHECK_TEXT(out.text, "µµ... (1 bytes more)");
}

TEST(a_copy_into_a_buffer_ends_in_dots_when_it_is_cut)
{
	char small[8];
	untrusted_copy(small, sizeof(small), "1234567");
	CHECK_TEXT(small, "1234567");
	untrusted_copy(small, sizeof(small), "12345678");
	CHECK_TEXT(small, "1234...");
	untrusted_copy(small, sizeof(small), "\033\033");
	CHECK_TEXT(small, "\\x1b...");
	untrusted_copy(small, sizeof(small), "µµµµ");
	CHECK_TEXT(small, "µµ...");
	untrusted_copy(small, sizeof(small), "");
	CHECK_TEXT(small, "");
}

TEST(json_that_is_written_has_the_same_value_and_no_such_character)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		json_t *text = json_string(rows[i].text);
		if (!text)
			continue; /* no UTF-8, no JSON */
		AUTO_JSON json_t *doc = json_pack("{s:o}", "text", text);
		AUTO_FREE char *line = json_line(doc);
		AUTO_STR struct str again = STR_INIT;
		untrusted_line(&again, line, 0);
		CHECK_TEXT(again.text, line);
		AUTO_JSON json_t *back = json_read_text(line, strlen(line), "line", &e);
		CHECK_TEXT(json_text_or(back, "text", "?"), rows[i].text);
	}
}

TEST(a_fence_is_longer_than_what_it_holds)
{
	AUTO_STR struct str out = STR_INIT;
	untrusted_fence(&out, "c", "int x;", 0);
	CHECK_TEXT(out.text, "```c\nint x;\n```\n");
	str_clear(&out);
	untrusted_fence(&out, "", "```\n# now mine\n`````sh\n", 0);
	CHECK_TEXT(out.text, "``````\n```\n# now mine\n`````sh\n``````\n");
}

TEST(an_error_is_one_harmless_line)
{
	struct err e = { 0 };
	err_set(&e, ERR_INPUT, "open %s", "x\033[2J\nok");
	CHECK_TEXT(e.text, "open x\\x1b[2J ok");
	err_wrap(&e, "task %s", "\xe2\x80\xae");
	CHECK_TEXT(e.text, "task \\u{202e}: open x\\x1b[2J ok");
}

TEST(a_cell_of_a_table_stays_in_its_line)
{
	AUTO_TABLE struct table t = { 0 };
	AUTO_STR struct str out = STR_INIT;
	table_init(&t, "ll");
	table_line(&t, "a\tb");
	table_add(&t, "x\n1  D1.1  ok");
	table_addf(&t, "%s", "\033[31m");
	table_print(&t, "", &out);
	CHECK_TEXT(out.text, "a              b\nx 1  D1.1  ok  \\x1b[31m\n");
}

TEST_MAIN()
