#include "model/verdict.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "page.h"
#include "test.h"

TEST(every_reason_has_a_state_and_reads_back)
{
	for (int i = REASON_NONE; i < REASON_NR; i++) {
		enum reason reason;
		CHECK_INT(reason_parse(reason_name((enum reason)i), &reason), 0);
		CHECK_INT(reason, i);
		CHECK(*reason_text(reason));
		CHECK((reason_state(reason) == VERDICT_NONE) == (reason == REASON_NONE));
	}
	enum reason reason;
	CHECK_INT(reason_parse("fine", &reason), -1);
	CHECK_INT(reason_parse(NULL, &reason), -1);
}

TEST(only_one_reason_passes)
{
	int nr = 0;
	for (int i = REASON_NONE; i < REASON_NR; i++)
		nr += reason_state((enum reason)i) == VERDICT_PASS;
	CHECK_INT(nr, 1);
	CHECK_INT(reason_state(REASON_ok), VERDICT_PASS);
}

TEST(every_reason_stands_in_the_format_page)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/verdict.md", 1 << 20, &page, &e));
	for (int i = REASON_NONE + 1; i < REASON_NR; i++) {
		AUTO_FREE char *row = xasprintf("| `%s` | %s |", reason_name((enum reason)i),
						verdict_state_name(reason_state((enum reason)i)));
		if (!strstr(page.text, row))
			printf("# docs/format/verdict.md lacks: %s\n", row);
		CHECK(strstr(page.text, row) != NULL);
	}
}

TEST(the_worked_example_of_the_page_loads)
{
	struct err e = { 0 };
	struct verdict v;
	AUTO_FREE char *text = page_block("docs/format/verdict.md", "json", 0);
	AUTO_JSON json_t *json = json_read_text(text, strlen(text), "doc", &e);
	CHECK_OK(verdict_from_json(json, "doc", &v, &e));
	CHECK_INT(v.reason, REASON_wrong_slice);
	CHECK_TEXT(v.shape, "odd");
}

static struct verdict some_verdict(void)
{
	struct verdict v = verdict_make(REASON_wrong_slice, "row %d of %d", 3, 7);
	snprintf(v.shape, sizeof(v.shape), "odd");
	snprintf(v.group, sizeof(v.group), "normal");
	snprintf(v.output, sizeof(v.output), "y");
	return v;
}

TEST(a_verdict_prints_as_one_line)
{
	char line[200];
	struct verdict v = some_verdict();
	verdict_print(&v, line, sizeof(line));
	CHECK_TEXT(line, "fail wrong_slice: odd/normal: output y: row 3 of 7");
	v = verdict_make(REASON_ok, "%s", "");
	verdict_print(&v, line, sizeof(line));
	CHECK_TEXT(line, "pass ok");
	v = (struct verdict){ 0 };
	verdict_print(&v, line, sizeof(line));
	CHECK_TEXT(line, "none none");
}

TEST(printing_into_a_short_buffer_cuts)
{
	char line[8];
	struct verdict v = some_verdict();
	verdict_print(&v, line, sizeof(line));
	CHECK_TEXT(line, "fail wr");
}

TEST(a_verdict_reads_back_from_json)
{
	struct err e = { 0 };
	struct verdict v = some_verdict();
	struct verdict back;
	AUTO_JSON json_t *json = verdict_to_json(&v);
	CHECK_OK(verdict_from_json(json, "doc", &back, &e));
	CHECK_INT(back.state, VERDICT_FAIL);
	CHECK_INT(back.reason, REASON_wrong_slice);
	CHECK_TEXT(back.shape, "odd");
	CHECK_TEXT(back.group, "normal");
	CHECK_TEXT(back.output, "y");
	CHECK_TEXT(back.detail, "row 3 of 7");
}

TEST(a_long_detail_is_cut_visibly)
{
	struct verdict v = verdict_make(REASON_crashed, "%0400d", 1);
	CHECK_INT(strlen(v.detail), sizeof(v.detail) - 1);
	CHECK(str_ends(v.detail, "..."));
}

TEST(text_that_is_not_utf8_still_becomes_json)
{
	struct err e = { 0 };
	struct verdict back;
	struct verdict v = verdict_make(REASON_compile_failed, "x \xFFy");
	AUTO_JSON json_t *json = verdict_to_json(&v);
	CHECK_OK(verdict_from_json(json, "doc", &back, &e));
	CHECK_TEXT(back.detail, "x \\xffy");
}

static void check_refused(const char *text, const char *message)
{
	struct err e = { 0 };
	struct verdict v;
	AUTO_JSON json_t *json = json_read_text(text, strlen(text), "doc", &e);
	CHECK(json != NULL);
	CHECK(verdict_from_json(json, "doc", &v, &e) < 0);
	CHECK_TEXT(e.text, message);
}

TEST(a_verdict_that_does_not_fit_the_table_is_refused)
{
	check_refused("{\"state\":\"pass\",\"reason\":\"crashed\",\"shape\":\"\",\"group\":\"\","
		      "\"output\":\"\",\"detail\":\"\"}",
		      "doc: state \"pass\" does not go with reason \"crashed\"");
	check_refused("{\"state\":\"pass\",\"reason\":\"good\"}",
		      "doc: unknown verdict reason \"good\"");
	check_refused("{\"state\":\"pass\"}", "doc: no member \"reason\"");
	check_refused("{\"state\":\"pass\",\"reason\":\"ok\",\"shape\":7}",
		      "doc: member \"shape\" is not a string");
	check_refused("{\"state\":\"pass\",\"reason\":\"ok\",\"shape\":\"\",\"group\":\"\","
		      "\"output\":\"0123456789012345678901234567890123456789\",\"detail\":\"\"}",
		      "doc: member \"output\" is longer than 31 bytes");
}

TEST_MAIN()
