#include "base/toml.h"

/* What the public suite does not look at: places, the API, limits, messages. */

#include <math.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml_fields.h"
#include "test.h"

static const struct toml *parse(struct arena *a, const char *text)
{
	struct err e = { 0 };
	const struct toml *root = toml_parse(text, strlen(text), "t", a, &e);
	if (!root)
		printf("# %s\n", e.text);
	CHECK(root != NULL);
	return root;
}

static void check_refused(const char *text, const char *message)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena a = { 0 };
	CHECK(toml_parse(text, strlen(text), "t", &a, &e) == NULL);
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK_TEXT(e.text, message);
}

TEST(every_value_knows_its_line_and_column)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct toml *root = parse(&a, "a = 1\n\n[b]\r\n  c = [2,\n 3]\n");
	CHECK_INT(root->members[0].line, 1);
	CHECK_INT(root->members[0].value->col, 5);
	const struct toml *b = toml_get(root, "b");
	CHECK_INT(b->line, 3);
	const struct toml *c = toml_get(b, "c");
	CHECK_INT(b->members[0].line, 4);
	CHECK_INT(b->members[0].col, 3);
	CHECK_INT(c->line, 4);
	CHECK_INT(c->col, 7);
	CHECK_INT(c->items[1]->line, 5);
	CHECK_INT(c->items[1]->col, 2);
}

TEST(members_keep_their_order)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct toml *root = parse(&a, "z = 1\na = 2\nm.x = 3\nk = 4\nb = 5\n");
	const char *const want[] = { "z", "a", "m", "k", "b" };
	CHECK_INT(root->nr_members, 5);
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		CHECK_TEXT(root->members[i].key, want[i]);
}

TEST(get_of_what_is_not_there_or_no_table_is_null)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct toml *root = parse(&a, "a = 1\n");
	CHECK(toml_get(root, "b") == NULL);
	CHECK(toml_get(toml_get(root, "a"), "x") == NULL);
}

TEST(an_empty_document_and_a_byte_order_mark_are_fine)
{
	AUTO_ARENA struct arena a = { 0 };
	CHECK_INT(parse(&a, "")->nr_members, 0);
	CHECK_INT(parse(&a, "\xEF\xBB\xBF"
			    "a = 1")
			  ->nr_members,
		  1);
}

TEST(integers_reach_both_ends_of_64_bits)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct toml *root = parse(&a, "a = 9223372036854775807\nb = -9223372036854775808\n"
					    "c = 0x7fff_ffff_ffff_ffff\nd = -0\ne = +1_0\n");
	CHECK(toml_get(root, "a")->integer == INT64_MAX);
	CHECK(toml_get(root, "b")->integer == INT64_MIN);
	CHECK(toml_get(root, "c")->integer == INT64_MAX);
	CHECK_INT(toml_get(root, "d")->integer, 0);
	CHECK_INT(toml_get(root, "e")->integer, 10);
}

TEST(an_integer_that_does_not_fit_is_refused)
{
	check_refused("a = 9223372036854775808", "t:1:5: the integer does not fit 64 bits");
	check_refused("a = -9223372036854775809", "t:1:5: the integer does not fit 64 bits");
	check_refused("a = 0x8000000000000000", "t:1:5: the integer does not fit 64 bits");
}

TEST(special_floats_keep_their_sign)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct toml *root = parse(&a, "a = -inf\nb = nan\nc = -0.0\nd = 1e400\n");
	CHECK(toml_get(root, "a")->real < 0 && isinf(toml_get(root, "a")->real));
	CHECK(isnan(toml_get(root, "b")->real));
	CHECK(signbit(toml_get(root, "c")->real));
	CHECK(isinf(toml_get(root, "d")->real));
}

TEST(dates_are_kept_in_one_form)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct toml *root = parse(&a, "a = 1979-05-27 07:32:00z # c\nb = 1979-05-27 # d\n"
					    "c = 1979-05-27t00:32:00.999999-07:00\nd = 07:32:60\n");
	CHECK_TEXT(toml_get(root, "a")->text, "1979-05-27T07:32:00Z");
	CHECK_INT(toml_get(root, "a")->type, TOML_OFFSET_DATETIME);
	CHECK_TEXT(toml_get(root, "b")->text, "1979-05-27");
	CHECK_TEXT(toml_get(root, "c")->text, "1979-05-27T00:32:00.999999-07:00");
	CHECK_INT(toml_get(root, "d")->type, TOML_LOCAL_TIME);
}

TEST(a_string_may_hold_nul_and_says_its_length)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct toml *value = toml_get(parse(&a, "a = \"x\\u0000y\"\n"), "a");
	CHECK_INT(value->len, 3);
	CHECK(memcmp(value->text, "x\0y", 4) == 0);
}

TEST(a_message_says_what_is_wrong_and_where)
{
	check_refused("a = 1\na = 2\n", "t:2:1: a is already defined");
	check_refused("[a]\nb.c = 1\n[a.b]\n", "t:3:4: b is already defined");
	check_refused("a = {b = 1}\n[a.c]\n",
		      "t:2:2: a is an inline table; it can not be added to");
	check_refused("a = [1]\n[[a]]\n", "t:2:3: a is already defined, and not by [[...]]");
	check_refused("a = \"x\n", "t:1:5: the string is not closed; it needs \" on the same line");
	check_refused("\n a = \"\"\"x\n\ny", "t:2:6: the string is not closed; it needs \"\"\"");
	check_refused("a = 2021-02-29", "t:1:5: 2021-02-29 is not a date or time");
	check_refused("a = b", "t:1:5: b is not a value; text needs quotes");
	check_refused("a = 01",
		      "t:1:5: 01 is not a number; no leading zeros, '_' only between digits");
	check_refused("a = \"\\x41\"",
		      "t:1:6: unknown escape; known: \\b \\t \\n \\f \\r \\\" \\\\ "
		      "\\uXXXX \\UXXXXXXXX");
	check_refused("a = \"\\ud800\"", "t:1:6: U+D800 is not a Unicode scalar value");
	check_refused("a = \"\xC0\x80\"", "t:1:6: this is not UTF-8");
	check_refused("a = 1 b = 2", "t:1:7: expected the end of the line");
	check_refused("# \x01", "t:1:3: control character 0x01; write \\u0001");
	check_refused("a = {b = 1,}", "t:1:12: expected a key; other characters need quotes");
}

TEST(depth_is_limited_and_the_limit_is_reachable)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena a = { 0 };
	char text[300] = "a = ";
	memset(text + 4, '[', 128);
	memset(text + 4 + 128, ']', 128);
	CHECK(toml_parse(text, strlen(text), "t", &a, &e) != NULL);
	memset(text + 4, '[', 129);
	CHECK(toml_parse(text, strlen(text), "t", &a, &e) == NULL);
	CHECK_TEXT(e.text, "t:1:133: nested more than 128 levels deep");
}

TEST(a_key_has_a_limit_of_parts)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STR struct str text = STR_INIT;
	for (int i = 0; i < 127; i++)
		str_add(&text, "a.");
	str_add(&text, "a = 1");
	CHECK(toml_parse(text.text, text.len, "t", &a, &e) != NULL);
	AUTO_STR struct str more = STR_INIT;
	str_addf(&more, "a.%s", text.text);
	CHECK(toml_parse(more.text, more.len, "t", &a, &e) == NULL);
}

TEST(every_prefix_of_a_document_is_parsed_or_refused_cleanly)
{
	static const char text[] = "a = \"\"\"x\\\n y\"\"\" # c\n[t.'u'.\"v\"]\nd = 1979-05-27 "
				   "07:32:00.5+01:00\ne = {f.g = [1, 0x1F, -1.5e3], h = '''q'''}\n"
				   "[[arr]]\nz = true\n[[arr]]\n\"\\u00e9\" = inf\n";
	for (size_t len = 0; len <= strlen(text); len++) {
		struct err e = { 0 };
		AUTO_ARENA struct arena a = { 0 };
		AUTO_FREE char *exact = xmalloc(len + 1);
		memcpy(exact, text, len);
		exact[len] = 'Z'; /* whoever reads behind the end reads this */
		bool is_read = toml_parse(exact, len, "t", &a, &e) != NULL;
		CHECK(is_read || e.text[0]);
	}
}

struct target {
	const char *name;
	const char *value;
	const char **list;
	size_t nr_list;
	int64_t count;
	double ratio;
	bool flag;
};

static const struct toml_field fields[] = {
	TOML_NEEDED("name", TEXT, target, name),
	TOML_OPTION("value", VALUE, target, value),
	TOML_LIST("list", target, list),
	TOML_OPTION("count", INT, target, count),
	TOML_OPTION("ratio", REAL, target, ratio),
	TOML_OPTION("flag", BOOL, target, flag),
	TOML_NESTED("inner"),
};
static const struct toml_section section = TOML_SECTION("[x]", fields);

static int read_target(struct arena *a, const char *text, struct target *out, struct err *e)
{
	struct toml_loader l = { "t", a, e };
	return toml_read_fields(&l, &section, parse(a, text), out);
}

TEST(fields_fill_a_struct)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena a = { 0 };
	struct target t = { .count = 7, .flag = true };
	CHECK_OK(read_target(
		&a, "name = 'n'\nvalue = 2\nlist = ['a', 'b']\nratio = 3\ninner = {}\n", &t, &e));
	CHECK_TEXT(t.name, "n");
	CHECK_TEXT(t.value, "2");
	CHECK_INT(t.nr_list, 2);
	CHECK_TEXT(t.list[1], "b");
	CHECK(t.ratio == 3.0);
	CHECK_INT(t.count, 7);
	CHECK(t.flag);
}

static void check_field_refused(const char *text, const char *message)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena a = { 0 };
	struct target t = { 0 };
	CHECK(read_target(&a, text, &t, &e) < 0);
	CHECK_TEXT(e.text, message);
}

TEST(a_wrong_field_is_named_with_its_place)
{
	check_field_refused("value = 1\n", "t:1:1: [x] has no name; add it");
	check_field_refused("name = 1\n", "t:1:8: name must be a string, not an integer");
	check_field_refused("name = \"a\\u0000\"\n",
			    "t:1:8: name must be a string, not a string with NUL in it");
	check_field_refused("name = 'a'\nlist = 'b'\n",
			    "t:2:8: list must be an array of strings, not a string");
	check_field_refused("name = 'a'\nlist = ['b', 2]\n",
			    "t:2:14: list must be an array of strings, not an integer");
	check_field_refused("name = 'a'\ncount = 1.0\n",
			    "t:2:9: count must be an integer, not a float");
	check_field_refused("name = 'a'\nratio = '1'\n",
			    "t:2:9: ratio must be a number, not a string");
	check_field_refused("name = 'a'\nflag = 1\n",
			    "t:2:8: flag must be true or false, not an integer");
	check_field_refused("name = 'a'\nvalue = []\n",
			    "t:2:9: value must be a number or a string, not an array");
	check_field_refused("name = 'a'\n\nnmae = 'b'\n",
			    "t:3:1: unknown key nmae in [x]; the keys are name value list count "
			    "ratio flag inner");
	check_field_refused("name = 'a'\n\"name\\u0000\" = 'b'\n",
			    "t:2:1: unknown key name in [x]; the keys are name value list count "
			    "ratio flag inner");
}

TEST_MAIN()
