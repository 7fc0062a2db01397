#include "model/ceilings.h"

#include <math.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "test.h"

static const char page[] =
	"{\"version\":1,\"fingerprint\":\"00ff\",\"device\":\"D\",\"arch\":\"sm_90a\",\"compiler\":"
	"\"C\","
	"\"date\":\"2026-11-30T02:00:00.000Z\",\"driver\":13000,\"copy_bytes_per_s\":4e12,"
	"\"matrix_flops_per_s\":8e14,\"matrix_method\":\"wgmma\",\"f32_flops_per_s\":6e13}";

static int parse(struct ceilings *c, const char *text, struct arena *a, struct err *e)
{
	AUTO_JSON json_t *json = json_read_text(text, strlen(text), "ceilings", e);
	CHECK(json);
	return ceilings_parse(c, json, "ceilings", a, e);
}

static void check_same(const struct ceilings *c)
{
	CHECK_TEXT(c->fingerprint, "00ff");
	CHECK_TEXT(c->device, "D");
	CHECK_TEXT(c->matrix_method, "wgmma");
	CHECK_INT(c->driver, 13000);
	CHECK(c->copy_bytes_per_s == 4e12 && c->matrix_flops_per_s == 8e14 &&
	      c->f32_flops_per_s == 6e13);
}

TEST(what_is_stored_is_loaded_again)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	struct ceilings c;
	struct ceilings again;
	bool is_there = true;
	char dir[] = "/tmp/forge-test-XXXXXX";
	CHECK(mkdtemp(dir));
	setenv("FORGE_CEILINGS", dir, 1);
	CHECK_OK(ceilings_load(&again, "00ff", &a, &is_there, &e));
	CHECK(!is_there);
	CHECK_OK(parse(&c, page, &a, &e));
	CHECK_OK(ceilings_save(&c, &e));
	CHECK_OK(ceilings_load(&again, "00ff", &a, &is_there, &e));
	CHECK(is_there);
	check_same(&again);
	/* A file under the name of another device is not believed. */
	AUTO_FREE char *from = path_join(dir, "00ff.json");
	AUTO_FREE char *to = path_join(dir, "11aa.json");
	CHECK(rename(from, to) == 0);
	CHECK(ceilings_load(&again, "11aa", &a, &is_there, &e) < 0);
	CHECK(strstr(e.text, "it is of another device (00ff); remove the file"));
	CHECK_OK(tree_remove(dir, &e));
}

TEST(the_documented_example_is_read)
{
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	struct ceilings c;
	CHECK_OK(file_read("docs/format/ceilings.md", 1 << 20, &text, &e));
	const char *begin = strstr(text.text, "```json\n");
	CHECK(begin);
	begin += strlen("```json\n");
	const char *end = strstr(begin, "```");
	CHECK(end);
	AUTO_FREE char *example = xstrndup(begin, (size_t)(end - begin));
	CHECK_OK(parse(&c, example, &a, &e));
	CHECK_TEXT(c.arch, "sm_90a");
}

TEST(what_is_no_ceiling_is_refused)
{
	static const struct {
		const char *from;
		const char *to;
	} edits[] = {
		{ "\"version\":1", "\"version\":2" },
		{ "4e12", "0" },
		{ "8e14", "-1" },
		{ "6e13", "\"inf\"" },
		{ "\"driver\":13000", "\"driver\":-1" },
		{ "\"matrix_method\"", "\"method\"" },
		{ "\"date\"", "\"when\"" },
	};
	for (size_t i = 0; i < ARRAY_LEN(edits); i++) {
		AUTO_ARENA struct arena a = { 0 };
		AUTO_STR struct str text = STR_INIT;
		struct err e = { 0 };
		struct ceilings c;
		const char *at = strstr(page, edits[i].from);
		CHECK(at);
		str_add_len(&text, page, (size_t)(at - page));
		str_add(&text, edits[i].to);
		str_add(&text, at + strlen(edits[i].from));
		CHECK(parse(&c, text.text, &a, &e) < 0);
	}
}

TEST(a_call_stands_below_the_lower_ceiling)
{
	/* 4e12 bytes/s and 8e14 flops/s meet at 200 flops a byte. */
	struct roofline_place p = ceilings_place(4e12, 8e14, 4e9, 4e9, 2e6);
	CHECK(fabs(p.intensity - 1) < 1e-12 && fabs(p.ridge - 200) < 1e-9);
	CHECK(fabs(p.share - 0.5) < 1e-12); /* 1 ms of memory in 2 ms */
	p = ceilings_place(4e12, 8e14, 4e6, 8e11, 4e6);
	CHECK(fabs(p.share - 0.25) < 1e-12); /* 1 ms of arithmetic in 4 ms */
	p = ceilings_place(0, 0, 4e9, 4e9, 2e6);
	CHECK(p.share == 0 && p.ridge == 0);
	CHECK(ceilings_place(4e12, 8e14, 0, 1e9, 1e6).intensity == 0);
	CHECK(ceilings_place(4e12, 8e14, 1e9, 1e9, 0).share == 0);
}

TEST_MAIN()
