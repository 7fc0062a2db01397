#include "model/job.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

static const struct job sample_job = {
	.id = "r1",
	.kind = JOB_TIME,
	.seed = (UINT64_C(1) << 62) - 1,
	.replicates = 8,
	.rounds = 31,
	.is_cold = true,
	.with_profile = true,
	.deadline_s = 12.5,
};

TEST(a_job_reads_back_as_it_was_written)
{
	struct err e = { 0 };
	AUTO_JSON json_t *obj = job_to_json(&sample_job);
	struct job back;
	CHECK_OK(job_from_json(obj, "job", &back, &e));
	AUTO_JSON json_t *again = job_to_json(&back);
	CHECK(json_equal(obj, again));
	CHECK_TEXT(back.id, "r1");
	CHECK(back.seed == sample_job.seed && back.kind == JOB_TIME && back.is_cold);
	CHECK(!back.held_out && back.deadline_s == 12.5);
}

TEST(a_job_survives_the_disk)
{
	struct err e = { 0 };
	char dir[] = "/tmp/forge-job-XXXXXX";
	CHECK(mkdtemp(dir));
	CHECK_OK(job_save(&sample_job, dir, &e));
	struct job back;
	CHECK_OK(job_load(&back, dir, &e));
	CHECK_INT(back.rounds, 31);
	CHECK_OK(tree_remove(dir, &e));
	CHECK(job_load(&back, dir, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
}

/* The message must name what is wrong. */
static void refuses(const char *key, json_t *value, const char *message_has)
{
	struct err e = { 0 };
	AUTO_JSON json_t *obj = job_to_json(&sample_job);
	if (value)
		json_object_set_new(obj, key, value);
	else
		json_object_del(obj, key);
	struct job j;
	CHECK(job_from_json(obj, "job.json", &j, &e) < 0);
	CHECK_INT(e.kind, ERR_INPUT);
	if (!strstr(e.text, message_has))
		printf("# %s\n", e.text);
	CHECK(strstr(e.text, message_has) && strstr(e.text, "job.json"));
}

TEST(a_wrong_job_is_refused_by_name)
{
	refuses("id", json_string(""), "id is empty");
	refuses("id",
		json_string("0123456789012345678901234567890123456789012345678901234567890123"),
		"longer");
	refuses("kind", json_string("sing"), "unknown kind \"sing\"");
	refuses("seed", json_integer(INT64_C(1) << 62), "\"seed\" is out of range");
	refuses("seed", json_integer(-1), "\"seed\" is out of range");
	refuses("replicates", json_integer(65), "\"replicates\" is out of range");
	refuses("replicates", json_integer(0), "needs replicates");
	refuses("rounds", json_real(3.5), "\"rounds\" is not an integer");
	refuses("cold", json_integer(1), "\"cold\"");
	refuses("deadline_s", json_integer(0), "deadline_s is not above 0");
	refuses("deadline_s", json_string("nan"), "\"deadline_s\" is out of range");
	refuses("call_deadline_s", json_real(-1), "\"call_deadline_s\" is out of range");
	refuses("version", json_integer(2), "version 2");
	refuses("monitor", NULL, "no member \"monitor\"");
	refuses("milestone", json_string("M1"), "unknown member \"milestone\"");
}

TEST(the_example_of_the_format_page_is_a_job)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/job.md", 1 << 20, &page, &e));
	const char *from = strstr(page.text, "```json\n");
	CHECK(from);
	from += strlen("```json\n");
	const char *to = strstr(from, "```");
	CHECK(to);
	AUTO_JSON json_t *obj = json_read_text(from, (size_t)(to - from), "job.md", &e);
	CHECK(obj);
	struct job j;
	CHECK_OK(job_from_json(obj, "job.md", &j, &e));
	CHECK_TEXT(job_kind_name(j.kind), "time");
}

TEST_MAIN()
