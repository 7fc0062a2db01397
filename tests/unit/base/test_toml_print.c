#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/toml_print.h"
#include "test.h"

static const char sample[] = "top = 1\n"
			     "\n[task]\nname = \"a \\\"b\\\" \\u0007\"\nhours = 0.1\nwhole = 3.0\n"
			     "\"odd key\" = true\nlist = [1, 2.5, \"x\"]\nday = 2026-11-29\n"
			     "\n[[arg]]\nname = \"x\"\nopt = { a = 1, b = [] }\n"
			     "\n[[arg]]\nname = \"y\"\n";

static struct toml *parse(const char *text, struct arena *a)
{
	struct err e = { 0 };
	struct toml *root = toml_parse(text, strlen(text), "sample", a, &e);
	if (!root)
		printf("# %s\n", e.text);
	CHECK(root);
	return root;
}

TEST(what_is_printed_parses_to_the_same_document)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STR struct str once = STR_INIT;
	AUTO_STR struct str again = STR_INIT;
	toml_print(parse(sample, &a), &once);
	CHECK_TEXT(once.text, sample);
	toml_print(parse(once.text, &a), &again);
	CHECK_TEXT(again.text, once.text);
}

TEST(a_value_after_a_table_does_not_fall_into_the_table)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STR struct str out = STR_INIT;
	struct toml *root = parse("[t]\nx = 1\n", &a);
	toml_set(root, "late", toml_new_bool(true, &a), &a);
	toml_print(root, &out);
	CHECK_TEXT(out.text, "late = true\n\n[t]\nx = 1\n");
}

TEST(members_are_replaced_appended_and_taken_away)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STR struct str out = STR_INIT;
	struct toml *root = parse("[t]\nx = 1\ny = 2\nz = 3\n", &a);
	struct toml *t = toml_subtable(root, "t", &a);
	toml_set(t, "x", toml_new_text("new", &a), &a);
	toml_set(t, "y", NULL, &a);
	toml_set(t, "missing", NULL, &a);
	toml_set(toml_subtable(root, "u", &a), "r", toml_new_real(1.05, &a), &a);
	toml_print(root, &out);
	CHECK_TEXT(out.text, "[t]\nx = \"new\"\nz = 3\n\n[u]\nr = 1.05\n");
}

TEST_MAIN()
