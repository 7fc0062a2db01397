#include "model/noise.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

static const char page[] =
	"{\"version\":1,\"fingerprint\":\"00ff\",\"cpu\":\"C\",\"kernel\":\"6.1\",\"date\":"
	"\"2026-11-30T02:00:00.000Z\",\"classes\":["
	"{\"class\":\"l1\",\"threads\":1,\"trials\":400,\"called\":0,\"floor\":0.012},"
	"{\"class\":\"l1\",\"threads\":2,\"trials\":400,\"called\":1,\"floor\":0.034}]}";

static int parse(struct noise *n, const char *text, struct arena *a, struct err *e)
{
	AUTO_JSON json_t *json = json_read_text(text, strlen(text), "noise", e);
	CHECK(json);
	return noise_parse(n, json, "noise", a, e);
}

TEST(what_is_printed_is_read_back)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	struct noise n;
	CHECK_OK(parse(&n, page, &a, &e));
	AUTO_JSON json_t *json = noise_to_json(&n);
	struct noise again;
	CHECK_OK(noise_parse(&again, json, "noise", &a, &e));
	CHECK_INT(again.nr, 2);
	CHECK_TEXT(again.fingerprint, "00ff");
	CHECK_TEXT(again.kernel, "6.1");
	CHECK_INT(again.rows[1].called, 1);
	CHECK(again.rows[1].floor == 0.034);
}

TEST(the_documented_example_is_read)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read("docs/format/noise.md", 1 << 20, &text, &e));
	const char *begin = strstr(text.text, "```json\n");
	CHECK(begin);
	begin += strlen("```json\n");
	const char *end = strstr(begin, "```");
	CHECK(end);
	AUTO_FREE char *example = xstrndup(begin, (size_t)(end - begin));
	struct noise n;
	CHECK_OK(parse(&n, example, &a, &e));
	CHECK(n.nr > 0);
}

TEST(a_class_is_where_the_operands_fit)
{
	const struct noise_caches c = noise_caches_of(32768, 1 << 20, 1 << 24);
	const struct noise_caches unknown = { 0 };
	CHECK_INT(noise_class_of(32768, &c), NOISE_L1);
	CHECK_INT(noise_class_of(32769, &c), NOISE_LLC);
	CHECK_INT(noise_class_of((1 << 24) + 1, &c), NOISE_DRAM);
	CHECK_INT(noise_class_of(1, &unknown), NOISE_DRAM);
	CHECK_INT(noise_caches_of(32768, 1 << 20, 0).last, 1 << 20);
	CHECK_INT(noise_caches_of(32768, 1 << 20, (size_t)260 << 20).last, 32 << 20);
}

TEST(a_kernel_of_more_threads_takes_the_floor_of_the_most_measured)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	struct noise n;
	CHECK_OK(parse(&n, page, &a, &e));
	CHECK(noise_floor(&n, NOISE_L1, 1) == 0.012);
	CHECK(noise_floor(&n, NOISE_L1, 2) == 0.034);
	CHECK(noise_floor(&n, NOISE_L1, 8) == 0.034);
	CHECK(noise_floor(&n, NOISE_DRAM, 1) == 0);
}

TEST(a_row_replaces_the_one_of_its_class_and_threads)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	struct noise n;
	CHECK_OK(parse(&n, page, &a, &e));
	struct noise_row row = { .class = NOISE_L1, .threads = 2, .trials = 10, .floor = 0.5 };
	CHECK_OK(noise_put(&n, &row, &e));
	CHECK_INT(n.nr, 2);
	CHECK(noise_floor(&n, NOISE_L1, 2) == 0.5);
	row.class = NOISE_DRAM;
	CHECK_OK(noise_put(&n, &row, &e));
	CHECK_INT(n.nr, 3);
}

TEST(what_is_no_floor_is_refused)
{
	static const struct {
		const char *from;
		const char *to;
	} edits[] = {
		{ "\"version\":1", "\"version\":2" },
		{ "\"l1\"", "\"l9\"" },
		{ "0.012", "1.5" },
		{ "0.012", "-0.1" },
		{ "\"called\":0", "\"called\":401" },
		{ "\"threads\":1", "\"threads\":0" },
		{ "\"kernel\"", "\"colonel\"" },
	};
	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		AUTO_ARENA struct arena a = { 0 };
		struct err e = { 0 };
		struct noise n;
		const char *at = strstr(page, edits[i].from);
		CHECK(at);
		AUTO_FREE char *text = xasprintf("%.*s%s%s", (int)(at - page), page, edits[i].to,
						 at + strlen(edits[i].from));
		CHECK(parse(&n, text, &a, &e) < 0);
		CHECK(str_starts(e.text, "noise: "));
	}
}

static void use_folder(char dir[40])
{
	snprintf(dir, 40, "/tmp/forge-noise-XXXXXX");
	CHECK(mkdtemp(dir));
	setenv("FORGE_NOISE", dir, 1);
}

TEST(a_floor_is_found_where_it_was_saved)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	struct noise n;
	bool is_there = true;
	char dir[40];
	use_folder(dir);
	CHECK_OK(noise_load(&n, "00ff", &a, &is_there, &e));
	CHECK(!is_there && n.nr == 0);
	CHECK_OK(parse(&n, page, &a, &e));
	CHECK_OK(noise_save(&n, &e));
	struct noise got;
	CHECK_OK(noise_load(&got, "00ff", &a, &is_there, &e));
	CHECK(is_there);
	CHECK_INT(got.nr, 2);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_file_of_another_machine_is_an_error_that_names_the_cure)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	struct noise n;
	bool is_there = false;
	char dir[40];
	use_folder(dir);
	AUTO_FREE char *path = path_join(dir, "abcd.json");
	CHECK_OK(file_write_text(path, page, &e));
	CHECK(noise_load(&n, "abcd", &a, &is_there, &e) < 0);
	CHECK(strstr(e.text, "another machine"));
	CHECK(strstr(e.text, "remove the file"));
	CHECK_OK(tree_remove(dir, &e));
}

TEST_MAIN()
