#include "mcp/fit.h"

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static char *temp_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/forge-fit-XXXXXX", tmp ? tmp : "/tmp");
	CHECK(mkdtemp(dir));
	return dir;
}

static size_t line_len(const json_t *obj)
{
	AUTO_FREE char *line = json_line(obj);
	return strlen(line);
}

static char *repeated(const char *word, size_t times)
{
	struct str s = STR_INIT;
	for (size_t i = 0; i < times; i++)
		str_add(&s, word);
	return str_take(&s);
}

TEST(a_short_result_is_told_whole)
{
	AUTO_JSON json_t *obj = json_pack("{s:s, s:i}", "text", "short", "left", 3);
	AUTO_JSON json_t *shown = fit_result(obj, "/nowhere");
	CHECK(json_equal(obj, shown));
}

TEST(of_a_long_one_the_long_texts_lose_their_middle_and_the_whole_lies_in_a_file)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = temp_dir();
	AUTO_FREE char *listing = repeated("mov\n", 20000);
	AUTO_JSON json_t *obj =
		json_pack("{s:s, s:i, s:{s:s}}", "listing", listing, "left", 3, "a", "b", "c");
	AUTO_JSON json_t *shown = fit_result(obj, dir);
	CHECK(line_len(shown) <= FIT_BYTES);
	CHECK(line_len(shown) > FIT_BYTES / 4);
	CHECK_INT(json_int_or(shown, "left", 0), 3);
	CHECK(str_starts(json_text_or(shown, "listing", ""), "mov\nmov\n"));
	CHECK(str_ends(json_text_or(shown, "listing", ""), "mov\nmov\n"));
	CHECK(json_int_or(shown, "left_out_bytes", 0) > 50000);
	AUTO_JSON json_t *whole = json_read_file(json_text_or(shown, "whole", ""), &e);
	CHECK(json_equal(whole, obj));
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_result_of_a_thousand_short_texts_is_shown_as_cut_text)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = temp_dir();
	json_t *list = json_array();
	for (int i = 0; i < 20000; i++)
		json_array_append_new(list, json_string("\"quoted\""));
	AUTO_JSON json_t *obj = json_pack("{s:o}", "items", list);
	AUTO_JSON json_t *shown = fit_result(obj, dir);
	CHECK(line_len(shown) <= FIT_BYTES);
	CHECK(json_is_string(json_object_get(shown, "text")));
	CHECK(json_text_or(shown, "whole", NULL) != NULL);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(where_no_file_can_be_written_none_is_named)
{
	AUTO_FREE char *text = repeated("x", 100000);
	AUTO_JSON json_t *obj = json_pack("{s:s}", "text", text);
	AUTO_JSON json_t *shown = fit_result(obj, "/proc/no-such-folder");
	CHECK(line_len(shown) <= FIT_BYTES);
	CHECK(json_object_get(shown, "whole") == NULL);
}

TEST(characters_that_json_spells_out_count_as_they_are_written)
{
	AUTO_FREE char *text = repeated("\x01\x02", 40000);
	AUTO_JSON json_t *obj = json_pack("{s:s}", "text", text);
	AUTO_JSON json_t *shown = fit_result(obj, "/proc/no-such-folder");
	CHECK(line_len(shown) <= FIT_BYTES);
}

TEST_MAIN()
