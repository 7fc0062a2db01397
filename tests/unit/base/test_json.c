#include "base/json.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* Text of strangers: what is sound stays, what is not reads U+FFFD. */

#define LOST "\xEF\xBF\xBD"

static const struct {
	const char *text;
	const char *mended;      /* NULL: as it is */
	const char *without_nul; /* NULL: as mended */
} rows[] = {
	{ "", NULL, NULL },
	{ "{\"a\":1}", NULL, NULL },
	{ "µ漢🙂", NULL, NULL },
	{ "\xff", LOST, NULL },
	{ "a\xc3", "a" LOST, NULL },
	{ "\xc3(", LOST "(", NULL },
	{ "\xed\xa0\x80", LOST LOST LOST, NULL },
	{ "\\u00e9", NULL, NULL },
	{ "\\ud83d\\ude00", NULL, NULL },
	{ "\\ud83d", "\\ufffd", NULL },
	{ "\\ude00", "\\ufffd", NULL },
	{ "\\ud83d\\ud83d\\ude00", "\\ufffd\\ud83d\\ude00", NULL },
	{ "\\ud83dx\\ude00", "\\ufffdx\\ufffd", NULL },
	{ "\\ud83d\\n", "\\ufffd\\n", NULL },
	{ "\\\\ud83d", NULL, NULL },
	{ "\\u0000", NULL, "\\ufffd" },
	{ "\\u00", NULL, NULL },
	{ "\\ud83d\\u", "\\ufffd\\u", NULL },
	{ "\\u+123", NULL, NULL },
	{ "\\", NULL, NULL },
	{ "\\\xff", "\\" LOST, NULL },
};

static void check(const char *text, bool keeps_nul, const char *want)
{
	AUTO_STR struct str got = STR_INIT;
	json_mend(&got, text, strlen(text), keeps_nul);
	CHECK_TEXT(got.text, want);
}

TEST(text_of_strangers_is_mended_where_it_is_broken_and_nowhere_else)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *want = rows[i].mended ? rows[i].mended : rows[i].text;
		check(rows[i].text, true, want);
		check(rows[i].text, false, rows[i].without_nul ? rows[i].without_nul : want);
	}
}

/* Whatever the bytes are, strings of them parse. */
TEST(a_string_of_any_two_escapes_or_bytes_parses_once_it_is_mended)
{
	static const char *const parts[] = { "a",       "\xff",    "\xc3", "\\ud83d", "\\ude00",
					     "\\u0000", "\\u00e9", "\\\\", "\\n",     "\xe2\x82" };
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		for (size_t j = 0; j < ARRAY_LEN(parts); j++) {
			AUTO_STR struct str got = STR_INIT;
			AUTO_FREE char *text = xasprintf("\"%s%s\"", parts[i], parts[j]);
			struct err e = { 0 };
			json_mend(&got, text, strlen(text), false);
			AUTO_JSON json_t *value = json_read_text(got.text, got.len, "text", &e);
			CHECK(json_is_string(value));
		}
	}
}

/* A piece of a buffer has no end of its own. */
TEST(nothing_is_read_beyond_the_length)
{
	AUTO_STR struct str got = STR_INIT;
	json_mend(&got, "x\\ud83d\\ude00", 7, true);
	CHECK_TEXT(got.text, "x\\ufffd");
}

TEST_MAIN()
