#include "agent/ndjson.h"

#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static void note(void *ctx, const struct ndjson_item *item)
{
	static const char *const names[] = { "object", "text", "warning", "broken" };
	str_addf(ctx, "%s %s\n", names[item->kind], item->text);
}

/* What is said of these bytes, fed in pieces of `step` bytes. */
static char *said_of(const char *bytes, size_t len, size_t step, size_t max_line)
{
	struct str out = STR_INIT;
	struct ndjson n;
	ndjson_init(&n);
	n.max_line = max_line;
	for (size_t i = 0; i < len; i += step)
		ndjson_feed(&n, bytes + i, len - i < step ? len - i : step, note, &out);
	ndjson_end(&n, note, &out);
	ndjson_release(&n);
	return str_take(&out);
}

static const struct {
	const char *bytes;
	const char *want;
} rows[] = {
	{ "{\"a\":1}\n", "object {\"a\":1}\n" },
	{ "{\"a\":1}", "object {\"a\":1}\n" },
	{ "{\"a\":1}\r\n\r\n\n", "object {\"a\":1}\n" },
	{ "\xEF\xBB\xBF{\"a\":1}\n", "object {\"a\":1}\n" },
	{ "[Sandbox] hello\n{\"a\":1}\n", "text [Sandbox] hello\nobject {\"a\":1}\n" },
	{ "{\"a\":\"\xff\"}\n", "object {\"a\":\"\xEF\xBF\xBD\"}\n" },
	{ "{\"a\":\"\\ud83d\\ude00 \\ud83d x \\ude00\"}\n",
	  "object {\"a\":\"\\ud83d\\ude00 \\ufffd x \\ufffd\"}\n" },
	{ "{\"a\":\"\\\\ud83d\"}\n", "object {\"a\":\"\\\\ud83d\"}\n" },
	{ "{\"a\":\"\\u0000b\"}\n", "object {\"a\":\"\\u0000b\"}\n" },
	{ "{\"a\":1,\"a\":2}\n", "object {\"a\":1,\"a\":2}\n" },
	{ "{\"a\":123456789012345678901234567890}\n",
	  "object {\"a\":123456789012345678901234567890}\n" },
};

TEST(lines_are_the_same_however_their_bytes_are_cut)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len = strlen(rows[i].bytes);
		for (size_t step = 1; step <= len; step++) {
			AUTO_FREE char *got = said_of(rows[i].bytes, len, step, 0);
			CHECK_TEXT(got, rows[i].want);
		}
	}
}

TEST(a_zero_byte_in_a_line_is_a_broken_line_and_no_end)
{
	static const char bytes[] = "{\"a\":\0001}\n{\"b\":1}\n{\"c\":1}\n";
	AUTO_FREE char *got = said_of(bytes, sizeof(bytes) - 1, 3, 0);
	CHECK(str_starts(got, "warning a line of its output is no JSON"));
	CHECK(strstr(got, "object {\"b\":1}\nobject {\"c\":1}\n"));
}

TEST(a_line_nested_too_deep_is_no_line)
{
	AUTO_STR struct str deep = STR_INIT;
	str_add(&deep, "{\"a\":");
	for (int i = 0; i < NDJSON_MAX_DEPTH; i++)
		str_add(&deep, "[");
	for (int i = 0; i < NDJSON_MAX_DEPTH; i++)
		str_add(&deep, "]");
	str_add(&deep, "}\n{\"b\":1}\n{\"b\":2}\n");
	AUTO_FREE char *got = said_of(deep.text, deep.len, deep.len, 0);
	CHECK(strstr(got, "nested deeper than 128"));
	CHECK(strstr(got, "object {\"b\":1}"));
}

TEST(one_long_line_is_skipped_and_a_second_ends_it)
{
	static const char bytes[] = "0123456789\n{\"a\":1}\n0123456789\n{\"b\":1}\n";
	for (size_t step = 1; step < sizeof(bytes); step++) {
		AUTO_FREE char *got = said_of(bytes, sizeof(bytes) - 1, step, 8);
		CHECK_TEXT(got, "warning a line of its output was too long and was skipped\n"
				"object {\"a\":1}\n"
				"warning a line of its output was too long and was skipped\n"
				"broken its output has lines that are too long\n");
	}
}

TEST(more_than_twenty_broken_lines_are_no_protocol)
{
	AUTO_STR struct str bytes = STR_INIT;
	for (int i = 0; i < 100; i++)
		str_add(&bytes, "{\"a\":1}\n");
	for (int i = 0; i < NDJSON_MAX_MALFORMED; i++)
		str_add(&bytes, "{torn\n");
	AUTO_FREE char *twenty = said_of(bytes.text, bytes.len, bytes.len, 0);
	CHECK(!strstr(twenty, "broken too many"));
	str_add(&bytes, "{torn\n{\"b\":1}\n");
	AUTO_FREE char *more = said_of(bytes.text, bytes.len, bytes.len, 0);
	CHECK(strstr(more, "broken too many"));
	CHECK(!strstr(more, "\"b\":1"));
}

TEST(half_of_all_lines_broken_are_no_protocol)
{
	AUTO_FREE char *got = said_of("{torn\n{torn\n{\"a\":1}\n", 20, 20, 0);
	CHECK(strstr(got, "broken most lines"));
}

TEST_MAIN()
