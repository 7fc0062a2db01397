#include "model/result.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/samples.h"
#include "test.h"

static struct case_result some_cases[] = {
	{ .shape = "s0", .group = "normal", .max_err = 0.125, .tolerance = 0.25 },
	{ .shape = "s1", .group = "spikes", .held_out = true },
};
static struct result_shape some_shapes[] = {
	{ .name = "s0", .flops = 100, .bytes = 200 },
	{ .name = "s1", .held_out = true },
};
static struct sample some_samples[] = {
	{ .shape = 0, .slot = SLOT_CANDIDATE, .calls = 4, .ns = 1000, .inner_ns = 990 },
	{ .shape = 1,
	  .round = 3,
	  .part = 5,
	  .slot = SLOT_REFERENCE_AGAIN,
	  .order = 2,
	  .calls = 1,
	  .ns = 7,
	  .wait_ns = UINT64_MAX,
	  .cpu_ns = 5,
	  .is_dropped = true },
};

static struct result some_result(void)
{
	struct result r = { 0 };
	r.job_id = "job-1";
	r.cases = some_cases;
	r.nr_cases = ARRAY_LEN(some_cases);
	r.cases[0].verdict = verdict_make(REASON_ok, "fine");
	r.cases[1].verdict = verdict_make(REASON_wrong_slice, "row 3");
	r.verdict = r.cases[1].verdict;
	r.shapes = some_shapes;
	r.nr_shapes = ARRAY_LEN(some_shapes);
	r.samples = some_samples;
	r.nr_samples = ARRAY_LEN(some_samples);
	r.cost.total_s = 2.5;
	r.is_contended = true;
	r.doc = json_pack("{s{s{sf}}s[s]}", "profile", "candidate", "vector_bits", 256.0, "notes",
			  "hello");
	return r;
}

static void save_into(const char *dir)
{
	struct err e = { 0 };
	struct result r = some_result();
	CHECK_OK(result_save(&r, dir, &e));
	json_decref(r.doc);
}

TEST(a_result_reads_back_as_it_was_written)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-result-XXXXXX";
	CHECK(mkdtemp(dir));
	save_into(dir);
	AUTO_RESULT struct result r;
	CHECK_OK(result_load(&r, dir, &e));
	CHECK_TEXT(r.job_id, "job-1");
	CHECK(!r.error && r.is_contended && r.cost.total_s == 2.5);
	CHECK_INT(r.verdict.reason, REASON_wrong_slice);
	CHECK_INT(r.nr_cases, 2);
	CHECK(r.cases[1].held_out && r.cases[0].max_err == 0.125);
	CHECK_INT(r.nr_shapes, 2);
	CHECK_INT(r.nr_samples, 2);
	AUTO_STR struct str wrote = STR_INIT;
	AUTO_STR struct str read = STR_INIT;
	samples_print(some_samples, ARRAY_LEN(some_samples), &wrote);
	samples_print(r.samples, r.nr_samples, &read);
	CHECK_TEXT(read.text, wrote.text);
	double bits = 0;
	CHECK(result_metric(&r, "candidate", "vector_bits", &bits) && bits == 256);
	CHECK(!result_metric(&r, "reference", "vector_bits", &bits));
	CHECK_OK(tree_remove(dir, &e));
}

TEST(a_result_without_samples_and_verdict_is_legal)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-result-XXXXXX";
	CHECK(mkdtemp(dir));
	struct result r = { .job_id = "j", .error = "no compiler" };
	CHECK_OK(result_save(&r, dir, &e));
	AUTO_RESULT struct result back;
	CHECK_OK(result_load(&back, dir, &e));
	CHECK_TEXT(back.error, "no compiler");
	CHECK_INT(back.verdict.state, VERDICT_NONE);
	CHECK_INT(back.nr_samples, 0);
	CHECK_OK(tree_remove(dir, &e));
}

/* Change the first `from` in a file to `to`. */
static void edit(const char *dir, const char *name, const char *from, const char *to)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, name);
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(path, 1 << 20, &text, &e));
	const char *at = strstr(text.text, from);
	CHECK(at);
	AUTO_FREE char *all =
		xasprintf("%.*s%s%s", (int)(at - text.text), text.text, to, at + strlen(from));
	CHECK_OK(file_write_text(path, all, &e));
}

TEST(a_torn_or_edited_result_is_refused)
{
	static const struct {
		const char *file;
		const char *from;
		const char *to;
	} rows[] = {
		{ "samples.csv", "1000", "1001" },
		{ "samples.csv", "s", "S" },
		{ "result.json", "\"rows\": 2", "\"rows\": 3" },
		{ "result.json", "\"version\": 1", "\"version\": 9" },
		{ "result.json", "wrong_slice", "wrong_mood" },
		{ "result.json", "\"cases\"", "\"cares\"" },
		{ "result.json", "\"tolerance\": 0.25", "\"tolerance\": true" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		char dir[] = "/tmp/forge-result-XXXXXX";
		CHECK(mkdtemp(dir));
		save_into(dir);
		edit(dir, rows[i].file, rows[i].from, rows[i].to);
		AUTO_RESULT struct result r;
		CHECK(result_load(&r, dir, &e) < 0);
		CHECK_INT(e.kind, ERR_INPUT);
		CHECK_OK(tree_remove(dir, &e));
	}
}

static int parse(const char *text, struct err *e)
{
	AUTO_ARENA struct arena a = { 0 };
	struct sample *samples = NULL;
	size_t nr = 0;
	return samples_parse(text, "x.csv", &a, &samples, &nr, e);
}

#define HEADER "shape,replicate,round,part,slot,order,calls,ns,inner_ns,wait_ns,cpu_ns,dropped\n"

TEST(a_malformed_sample_line_is_refused_with_its_number)
{
	static const char *const bad[] = {
		"0,0,0,0,candidate,0,1,10,10,0,10\n",
		"0,0,0,0,candidate,0,1,10,10,0,10,2\n",
		"0,0,0,0,candidate,0,1,10,10,0,10,0",
		"0,0,0,0,teacher,0,1,10,10,0,10,0\n",
		"0,0,-1,0,candidate,0,1,10,10,0,10,0\n",
		"4294967296,0,0,0,candidate,0,1,10,10,0,10,0\n",
		"0,0,0,0,candidate,0,1,18446744073709551616,10,0,10,0\n",
		"\n",
	};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = { 0 };
		AUTO_FREE char *text =
			xasprintf("%s0,0,0,0,reference,0,1,10,10,0,10,0\n%s", HEADER, bad[i]);
		CHECK(parse(text, &e) < 0);
		CHECK(strstr(e.text, "x.csv:3:"));
	}
	struct err e = { 0 };
	CHECK(parse("a,b\n", &e) < 0);
	CHECK_OK(parse(HEADER, &e));
}

static char *example(const char *page_path, const char *fence)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read(page_path, 1 << 20, &page, &e));
	const char *from = strstr(page.text, fence);
	CHECK(from);
	from += strlen(fence);
	const char *to = strstr(from, "```");
	CHECK(to);
	return xstrndup(from, (size_t)(to - from));
}

TEST(the_examples_of_the_format_pages_load)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-result-XXXXXX";
	CHECK(mkdtemp(dir));
	AUTO_FREE char *csv = example("docs/format/samples.md", "```csv\n");
	CHECK_OK(parse(csv, &e));
	AUTO_FREE char *json = example("docs/format/result.md", "```json\n");
	AUTO_FREE char *path = path_join(dir, "result.json");
	AUTO_FREE char *csv_path = path_join(dir, "samples.csv");
	CHECK_OK(file_write_text(path, json, &e));
	CHECK_OK(file_write_text(csv_path, csv, &e));
	AUTO_RESULT struct result r;
	CHECK_OK(result_load(&r, dir, &e));
	CHECK_INT(r.nr_samples, 4);
	CHECK_INT(r.verdict.state, VERDICT_PASS);
	CHECK_OK(tree_remove(dir, &e));
}

TEST(what_the_worker_saw_beside_the_samples_is_read)
{
	static const char text[] =
		"{\"timing\":{\"shapes\":[{\"shape\":\"a\"},{\"shape\":\"b\",\"noise_floor\":0.02}]"
		","
		"\"alone\":[{\"slowdown\":0.1},{\"slowdown\":null},{\"slowdown\":-0.2},{}]}}";
	AUTO_JSON json_t *doc = json_loads(text, 0, NULL);
	CHECK(doc);
	const struct result r = { .doc = doc };
	const struct result none = { 0 };
	double slowdowns[3] = { 0 };
	CHECK(result_noise_floor(&r, "b") == 0.02);
	CHECK(result_noise_floor(&r, "a") == 0 && result_noise_floor(&none, "b") == 0);
	CHECK_INT(result_slowdowns(&r, slowdowns, 3), 2);
	CHECK(slowdowns[0] == 0.1 && slowdowns[1] == -0.2);
	CHECK_INT(result_slowdowns(&r, slowdowns, 1), 1);
	CHECK_INT(result_slowdowns(&none, slowdowns, 3), 0);
}

TEST_MAIN()
