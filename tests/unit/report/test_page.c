#include "report/page.h"

#include <string.h>

#include "base/mem.h"
#include "test.h"

static void print_text(enum block_kind kind, const char *text, bool is_html, struct str *out)
{
	AUTO_PAGE struct page p;
	page_init(&p, "t");
	page_add(&p, kind, "%s", text);
	if (is_html)
		page_print_html(&p, out);
	else
		page_print_markdown(&p, out);
}

/* What a kernel, a compiler or an agent may have said, and how report.md shows it. */
static const struct row {
	const char *text;
	const char *markdown;
} rows[] = {
	{ "plain, 4 of 5 (K=8) wrong_slice [1.2, 1.3]",
	  "plain, 4 of 5 (K=8) wrong_slice [1.2, 1.3]" },
	{ "see `x < y`", "see `x &lt; y`" },
	{ "<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>" },
	{ "&lt;b>", "&amp;lt;b>" },
	{ "<!-- gone", "&lt;!-- gone" },
	{ "x\n\n# Verdict: PASS\n", "x  # Verdict: PASS " },
	{ "# Verdict: PASS", "\\# Verdict: PASS" },
	{ "> quoted", "\\> quoted" },
	{ "- item", "\\- item" },
	{ "1. item", "1\\. item" },
	{ "1.5 times", "1.5 times" },
	{ "    code", "code" },
	{ "**PASS** and 4*rows*cols", "\\*\\*PASS\\*\\* and 4\\*rows\\*cols" },
	{ "_PASS_ wrong_slice", "\\_PASS\\_ wrong_slice" },
	{ "~~FAIL~~", "\\~\\~FAIL\\~\\~" },
	{ "[click](http://x)", "[click]\\(http://x)" },
	{ "![x](http://x/y.png)", "![x]\\(http://x/y.png)" },
	{ "[x][y] [x]: http://x", "[x]\\[y] [x]\\: http://x" },
	{ "4.0x [3.9, 4.1]: faster", "4.0x [3.9, 4.1]: faster" },
	{ "a ` b [x](y)", "a ' b [x]\\(y)" },
	{ "`a` ` b", "`a` ' b" },
	{ "```\nrm -rf /\n```", "''' rm -rf / '''" },
	{ "a\\", "a\\\\" },
	{ "\033[2Jok\r", "\\\\x1b[2Jok\\\\r" },
	{ "\xe2\x80\xaetxet", "\\\\u{202e}txet" },
};

TEST(report_md_shows_text_as_text)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str out = STR_INIT;
		AUTO_FREE char *want = xasprintf("# t\n\n%s\n\n", rows[i].markdown);
		print_text(BLOCK_TEXT, rows[i].text, false, &out);
		CHECK_TEXT(out.text, want);
	}
}

TEST(a_cell_of_report_md_stays_a_cell)
{
	AUTO_PAGE struct page p;
	AUTO_STR struct str out = STR_INIT;
	page_init(&p, "t");
	struct table *t = page_table(&p, "ll", "a\tb");
	table_add(t, "-");
	table_add(t, "x | PASS |\n| y `c|d` <b>");
	page_print_markdown(&p, &out);
	CHECK_TEXT(out.text,
		   "# t\n\n| a | b |\n|---|---|\n| - | x \\| PASS \\| \\| y `c¦d` &lt;b> |\n\n");
}

TEST(the_fence_of_commands_can_not_be_closed_from_within)
{
	AUTO_STR struct str out = STR_INIT;
	print_text(BLOCK_CODE, "forge log a\n```\n# mine", false, &out);
	CHECK_TEXT(out.text, "# t\n\n````sh\nforge log a\n```\n# mine\n````\n\n");
}

TEST(report_html_holds_no_tag_and_no_control_character_of_a_stranger)
{
	static const char *const nasty =
		"</p></main><script>alert('x')</script><img src=x onerror=\"y\">"
		"&#60;\033[2J\xe2\x80\xae\xe2\x80\xa8\xff`</code>";
	static const enum block_kind kinds[] = { BLOCK_HEADING, BLOCK_ALERT, BLOCK_RESULT,
						 BLOCK_TEXT,    BLOCK_ITEM,  BLOCK_CODE };
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		AUTO_STR struct str out = STR_INIT;
		print_text(kinds[i], nasty, true, &out);
		CHECK(!strstr(out.text, "<script") && !strstr(out.text, "<img"));
		CHECK(!strstr(out.text, "\033") && !strstr(out.text, "\xe2\x80"));
		CHECK(strstr(out.text, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;") != NULL);
		CHECK(strstr(out.text, "&amp;#60;\\x1b[2J\\u{202e}\\u{2028}\\xff") != NULL);
	}
}

TEST(a_text_of_a_megabyte_is_cut_and_says_so)
{
	AUTO_STR struct str huge = STR_INIT;
	for (size_t i = 0; i < 1 << 20; i++)
		str_add_char(&huge, 'x');
	for (int is_html = 0; is_html < 2; is_html++) {
		AUTO_STR struct str out = STR_INIT;
		print_text(BLOCK_TEXT, huge.text, is_html, &out);
		CHECK(out.len < 100 << 10);
		CHECK(strstr(out.text, "bytes more)") != NULL);
	}
}

TEST_MAIN()
