#include "model/shape.h"

#include "folder.h"
#include "model/shape_line.h"

TEST(the_worked_example_of_the_page_loads)
{
	struct err e = { 0 };
	AUTO_ARENA struct arena a = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FREE char *path = path_join(f.path, "shapes.json");
	struct shapes s;
	CHECK_OK(shapes_load(&s, path, &a, &e));
	CHECK_INT(s.nr, 3);
	const struct shape *held = shapes_find(&s, "held");
	CHECK(held->held_out && !s.items[0].held_out);
	CHECK_INT(dims_find(&held->dims, "n")->value, 300007);
	CHECK_INT(held->nr_groups, 4);
	CHECK_TEXT(held->groups[0].name, "normal");
	CHECK_TEXT(held->groups[3].name, "special");
	CHECK(held->groups[0].is_timed && !held->groups[3].is_timed);
	CHECK_TEXT(s.items[0].groups[1].purpose, "terms of opposite sign and nearly equal size");
	CHECK(json_object_get(held->groups[2].inputs, "y") != NULL);
	CHECK(shapes_find(&s, "none") == NULL);
	shapes_release(&s);
}

struct bad_row {
	const char *from;
	const char *to;
	unsigned line;
	const char *message;
};

static const struct bad_row bad[] = {
	{ "\"version\": 1", "\"version\": 2", 2,
	  "version 2 is not known; this program reads version 1" },
	{ "\"version\": 1", "\"version\": \"1\"", 2, "no \"version\"; write \"version\": 1" },
	{ "\"version\": 1", "\"version\": 1, \"sizes\": []", 2,
	  "unknown member \"sizes\"; the members here are: version shapes groups" },
	{ "\"name\": \"odd\"", "\"nmae\": \"odd\"", 5,
	  "unknown member \"nmae\"; the members here are: name dims held_out groups" },
	{ "\"name\": \"odd\", ", "", 5, "no \"name\"; give it one, a string" },
	{ "\"name\": \"odd\"", "\"name\": 7", 5, "no \"name\"; give it one, a string" },
	{ "\"odd\"", "\"large\"", 5, "a second shape named large; rename one of them" },
	{ "\"odd\"", "\"a/b\"", 5,
	  "the name \"a/b\" is not plain; use 1 to 47 letters, digits and _ . + -" },
	{ "\"odd\"", "\"\"", 5,
	  "the name \"\" is not plain; use 1 to 47 letters, digits and _ . + -" },
	{ "{\"n\": 99991}", "{}", 5,
	  "shape odd has no \"dims\"; give an object of names and whole numbers" },
	{ "99991", "1.5", 5, "the dim n must be a whole number" },
	{ "{\"n\": 99991}", "{\"2n\": 1}", 5, "the dim \"2n\" is not an identifier" },
	{ "\"held_out\": true", "\"held_out\": 1", 6, "\"held_out\" must be true or false" },
	{ "\"timed\": false", "\"timed\": \"no\"", 7, "\"timed\" must be true or false" },
	{ "\"special\"", "\"cancel\"", 7, "a second group named cancel; rename one of them" },
	{ "\"groups\": [{\"name\": \"special\"", "\"groups\": 3, \"x\": [{\"name\": \"special\"", 7,
	  "unknown member \"x\"; the members here are: name dims held_out groups" },
	{ "\"purpose\": \"ordinary values\"", "\"purpose\": []", 11,
	  "\"purpose\" must be a string" },
	{ "\"inputs\": {\"x\": {\"kind\": \"normal\", \"mean\": 0",
	  "\"timed\": true, \"y\": {\"x\": {"
	  "\"kind\": 0, \"mean\": 0",
	  12, "unknown member \"y\"; the members here are: name purpose timed inputs" },
	{ "{\"kind\": \"normal\", \"mean\": 0, \"std\": 1}", "{\"mean\": 0}", 12,
	  "the generator of x must be an object with a \"kind\"" },
	{ "{\"kind\": \"normal\", \"mean\": 0, \"std\": 1}", "3", 12,
	  "the generator of x must be an object with a \"kind\"" },
};

TEST(a_wrong_file_is_refused_with_its_line_and_a_cure)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = { 0 };
		struct shapes s;
		AUTO_ARENA struct arena a = { 0 };
		AUTO_FOLDER struct folder f = folder_of_example();
		folder_replace(&f, "shapes.json", bad[i].from, bad[i].to);
		AUTO_FREE char *path = path_join(f.path, "shapes.json");
		AUTO_FREE char *want = xasprintf("%s:%u:1: %s", path, bad[i].line, bad[i].message);
		CHECK(shapes_load(&s, path, &a, &e) < 0);
		CHECK_TEXT(e.text, want);
		CHECK(s.doc == NULL && s.nr == 0);
	}
}

TEST(an_empty_or_missing_list_of_shapes_is_refused)
{
	static const char *const texts[] = { "{\"version\":1,\"shapes\":[]}", "{\"version\":1}",
					     "{\"version\":1,\"shapes\":{}}" };
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err e = { 0 };
		struct shapes s;
		AUTO_ARENA struct arena a = { 0 };
		AUTO_FOLDER struct folder f = folder_of_example();
		folder_write(&f, "shapes.json", texts[i]);
		AUTO_FREE char *path = path_join(f.path, "shapes.json");
		CHECK(shapes_load(&s, path, &a, &e) < 0);
		CHECK(str_ends(e.text, "no \"shapes\"; give an array of at least two shapes"));
	}
}

TEST(a_file_that_is_no_object_or_no_json_is_refused)
{
	struct err e = { 0 };
	struct shapes s;
	AUTO_ARENA struct arena a = { 0 };
	AUTO_FOLDER struct folder f = folder_of_example();
	AUTO_FREE char *path = path_join(f.path, "shapes.json");
	folder_write(&f, "shapes.json", "[1]\n");
	CHECK(shapes_load(&s, path, &a, &e) < 0);
	CHECK(str_ends(e.text, "this must be an object with the members: version shapes groups"));
	folder_write(&f, "shapes.json", "{\"version\":1,\n\"version\":1}");
	CHECK(shapes_load(&s, path, &a, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	folder_remove(&f, "shapes.json");
	CHECK(shapes_load(&s, path, &a, &e) < 0);
}

TEST(a_pointer_finds_the_line_of_a_key_or_of_the_closest_parent)
{
	static const char text[] =
		"{\n\"a\": {\"x\\\"}\": 1,\n \"b\": [1, {}, [\n2],\n{\"c\": \"}\",\n"
		"\"d\": null}]},\n\"e\": true}\n";
	static const struct {
		const char *pointer;
		unsigned line;
	} rows[] = { { "", 1 },         { "/a", 2 },       { "/a/b", 3 },
		     { "/a/b/2", 3 },   { "/a/b/2/0", 4 }, { "/a/b/3", 5 },
		     { "/a/b/3/d", 6 }, { "/e", 7 },       { "/a/b/3/none", 5 },
		     { "/a/b/9", 3 },   { "/none", 1 },    { "/e/x", 7 } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_INT(shape_line_in_text(text, rows[i].pointer), rows[i].line);
	CHECK_INT(shape_line_in_text("", "/a"), 1);
	CHECK_INT(shape_line_in_text("{\"a\"", "/a/b"), 1);
	CHECK_INT(shape_line("/nowhere/at/all", "/a"), 1);
}

TEST_MAIN()
