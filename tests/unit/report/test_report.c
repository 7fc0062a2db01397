#include "report/report.h"

#include "fixture.h"
#include "report/page.h"
#include "report/status.h"
#include "store/fold.h"

static void read_report(size_t nr_events, const char *name, struct str *out)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = fixture_dir();
	AUTO_FREE char *run = path_join(dir, "run");
	AUTO_STRV struct strv paths = { 0 };
	fixture_make(run, nr_events);
	AUTO_FREE char *best = path_join(run, "best/kernel.c");
	CHECK_OK(file_write_text(best, "void k(void);\n", &e));
	CHECK_OK(report_write(run, &paths, &e));
	CHECK(strv_has(&paths, "report.md") && strv_has(&paths, "report.html"));
	AUTO_FREE char *path = path_join(run, name);
	CHECK_OK(file_read(path, 1 << 24, out, &e));
	const char *keep = getenv("FORGE_KEEP_REPORT");
	if (keep) {
		AUTO_FREE char *copy = path_join(keep, name);
		CHECK_OK(file_copy(path, copy, &e));
	}
	fixture_remove(dir);
}

static void check_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		printf("# missing: %s\n", part);
	CHECK(strstr(text, part) != NULL);
}

TEST(the_first_lines_say_what_weakens_the_number)
{
	AUTO_STR struct str md = STR_INIT;
	read_report(0, "report.md", &md);
	const char *result = strstr(md.text, "**1.78×");
	const char *judge = strstr(md.text, "judge is not independent");
	const char *source = strstr(md.text, "granted the reference's source");
	const char *lack = strstr(md.text, "lacks landlock");
	CHECK(result && judge && source && lack);
	CHECK(judge < result && source < result && lack < result);
}

TEST(files_that_are_not_the_recorded_ones_are_told_before_the_number)
{
	AUTO_STR struct str md = STR_INIT;
	read_report(0, "report.md", &md);
	const char *result = strstr(md.text, "**1.78×");
	const char *kernel = strstr(md.text, "best/kernel.c was changed after it was recorded");
	const char *job = strstr(md.text, "jobs/confirm/result.json was changed");
	CHECK(result && kernel && job);
	CHECK(kernel < result && job < result);
}

TEST(the_report_says_how_far_it_reads_and_whose_roofline_it_means)
{
	AUTO_STR struct str md = STR_INIT;
	read_report(0, "report.md", &md);
	check_has(md.text, "events up to this report");
	check_has(md.text, "best, of one thread's roofline");
}

static const char gpu_parts[] =
	"{\"gpu\":{\"name\":\"some "
	"device\",\"arch\":\"sm_90a\",\"multiprocessors\":132,\"driver\":13000,"
	"\"driver_version\":\"580.1\",\"copy_bytes_per_s\":4e10},\"ceilings\":{\"copy_bytes_per_"
	"s\":8e10},\"timing\":{\"cold\":true,"
	"\"wait\":"
	"\"event\",\"null_ns\":[2848],\"method\":\"graph\",\"clocks\":{\"sm_mhz_low\":1755,"
	"\"sm_mhz_high\":1980,\"temperature\":60.6,\"throttle_reasons\":0,\"looks\":12}},"
	"\"profile\":"
	"{"
	"\"reference\":{\"roofline_pct\":41.5,\"ncu_dram_pct\":44.25,\"ridge_flops_per_byte\":0.5},"
	"\"candidate\":{\"roofline_pct\":81.5,\"ncu_dram_pct\":84.25,\"ridge_flops_per_byte\":0.5,"
	"\"registers\":40},\"ncu\":{\"version\":\"2025.3\",\"shape\":\"odd<&>\",\"missing\":"
	"[\"sm__a\"],\"left_out\":[\"reference: for a reason\"]}}}";

/* The job behind the headline as one of a GPU, against a module that nothing builds. */
static void make_gpu(const char *dir, const char *method)
{
	struct err e = { 0 };
	AUTO_FREE char *path = path_join(dir, "jobs/confirm/result.json");
	AUTO_JSON json_t *doc = json_read_file(path, &e);
	AUTO_JSON json_t *parts = json_read_text(gpu_parts, sizeof(gpu_parts) - 1, "parts", &e);
	json_t *build = json_object_get(json_object_get(doc, "build"), "reference");
	CHECK(doc && parts);
	json_object_update(doc, parts);
	json_object_set_new(json_object_get(doc, "timing"), "method", json_string(method));
	json_object_set_new(build, "flags", json_string(""));
	CHECK_OK(json_write_file(path, doc, &e));
}

static void read_gpu_report(const char *method, struct str *md)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = fixture_dir();
	AUTO_FREE char *run = path_join(dir, "run");
	AUTO_FREE char *path = path_join(run, "report.md");
	AUTO_FREE char *best = path_join(run, "best/kernel.c");
	AUTO_STRV struct strv paths = { 0 };
	fixture_make(run, 0);
	make_gpu(run, method);
	CHECK_OK(file_write_text(best, "void k(void);\n", &e));
	CHECK_OK(report_write(run, &paths, &e));
	CHECK_OK(file_read(path, 1 << 20, md, &e));
	fixture_remove(dir);
}

/* One run for all: the log of a run is slow to make. */
TEST(a_job_of_a_gpu_is_told_as_one)
{
	static const char *const parts[] = {
		"best, of the device's roofline",
		"replayed on the device in random order",
		"Ceilings are what this device reached",
		"| device | some device (sm_90a), 132 multiprocessors, driver 580.1, CUDA up to",
		"| machine | cpu Example 3000, 2 cores |",
		"graph: recorded launches are replayed",
		"an empty window takes 2848 ns, which is not taken off",
		"1755 to 1980 MHz in 12 looks, 61 C",
		"How they ran",
		"| `roofline_pct` | 41.5 | 81.5 |",
		/* 4 Mflop at half of the 4e10 that the ridge was made of, not of the 8e10. */
		"| faster | 26 % | 52 % |",
		"as its ceilings were measured",
		"| `ncu_dram_pct` | 44.2 | 84.2 | of the peak of device memory |",
		"| `registers` | - | 40 |",
		"of Nsight Compute 2025.3 at shape odd",
		"Without a number there: sm",
		"Not played for ncu: reference: for a reason.",
	};
	static const char *const absent[] = { "built by .", "three fresh processes",
					      "round trip", "inside of the timed window",
					      "ncu_waves",  "| device | test box |" };
	AUTO_STR struct str md = STR_INIT;
	read_gpu_report("graph", &md);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		check_has(md.text, parts[i]);
	for (size_t i = 0; i < ARRAY_LEN(absent); i++)
		CHECK(!strstr(md.text, absent[i]));
}

TEST(what_was_launched_inside_of_windows_is_marked)
{
	AUTO_STR struct str md = STR_INIT;
	read_gpu_report("direct", &md);
	const char *alert = strstr(md.text, "its host code ran inside of the timed window");
	const char *result = strstr(md.text, "**1.78×");
	CHECK(alert && result && alert < result);
}

TEST(the_report_names_every_round_and_every_fate)
{
	AUTO_STR struct str md = STR_INIT;
	read_report(0, "report.md", &md);
	static const char *const parts[] = {
		"1.78× [1.73, 1.85]",
		"confirmed by a fresh measurement",
		"wrong_slice",
		"row 3 of 7 is off by 0.2 \\| tolerance",
		"give_up: no outermost loop",
		"0.93× [0.91, 0.95]",
		"held (held out)",
		"vector_bits",
		"128 → 256",
		"forge time -k 16 --held-out",
		"forge judge",
		"gcc -O3 -march=native",
		"the reference built with gcc -O2",
		"noise floor 1.20 %",
		"| spikes | held / normal | wrong_value |",
		"samples above 15 ms",
		"empty round trip of 210 ns",
		"curriculum/v1.toml",
	};
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		check_has(md.text, parts[i]);
}

TEST(names_from_outside_can_not_become_mark_up)
{
	AUTO_STR struct str html = STR_INIT;
	AUTO_STR struct str md = STR_INIT;
	read_report(0, "report.html", &html);
	read_report(0, "report.md", &md);
	CHECK(strstr(html.text, "<script") == NULL);
	CHECK(strstr(md.text, "<script") == NULL);
	check_has(html.text, "rows&lt;script&gt;");
	check_has(html.text, "odd&lt;&amp;&gt;");
}

TEST(the_page_needs_nothing_from_outside)
{
	static const char *const forbidden[] = { "src=", "href=", "@import", "url(", "<script" };
	AUTO_STR struct str html = STR_INIT;
	read_report(0, "report.html", &html);
	for (size_t i = 0; i < ARRAY_LEN(forbidden); i++)
		CHECK(strstr(html.text, forbidden[i]) == NULL);
	check_has(html.text, "prefers-color-scheme");
}

static size_t count(const char *text, const char *part)
{
	size_t nr = 0;
	for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
		nr++;
	return nr;
}

TEST(the_page_has_three_figures_and_closes_what_it_opens)
{
	static const char *const tags[] = { "svg",   "figure", "table", "p",  "h2",  "text",
					    "title", "pre",    "ul",    "li", "div", "main" };
	AUTO_STR struct str html = STR_INIT;
	read_report(0, "report.html", &html);
	CHECK_INT(count(html.text, "<svg "), 3);
	for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
		AUTO_FREE char *plain = xasprintf("<%s>", tags[i]);
		AUTO_FREE char *with = xasprintf("<%s ", tags[i]);
		AUTO_FREE char *end = xasprintf("</%s>", tags[i]);
		CHECK_INT(count(html.text, plain) + count(html.text, with), count(html.text, end));
	}
	CHECK(strstr(html.text, "nan") == NULL);
}

TEST(every_prefix_of_a_run_has_a_report)
{
	for (size_t nr = 1; nr <= ARRAY_LEN(fixture_events); nr++) {
		AUTO_STR struct str html = STR_INIT;
		read_report(nr, "report.html", &html);
		check_has(html.text, "</html>");
		CHECK(strstr(html.text, "(null)") == NULL);
	}
}

TEST(an_unfinished_run_says_so_first)
{
	AUTO_STR struct str md = STR_INIT;
	read_report(28, "report.md", &md);
	check_has(md.text, "This run is not over: it stands in stage 5 of 7, student.");
}

TEST(status_shows_one_screen)
{
	struct err e = { 0 };
	AUTO_FREE char *dir = fixture_dir();
	AUTO_FREE char *run = path_join(dir, "run");
	fixture_make(run, 0);
	AUTO_RUN_STATE struct run_state s = { 0 };
	CHECK_OK(run_state_load(&s, run, &e));
	AUTO_STR struct str text = STR_INIT;
	status_text(&s, "RUN", &text);
	fixture_remove(dir);
	check_has(text.text, "ended: goal met\n");
	check_has(text.text, "1.80× [1.74, 1.86]  round 3, D1.1, K=8; confirmed 1.78×");
	check_has(text.text, "machine lacks landlock");
	CHECK(count(text.text, "\n") < 40);
	AUTO_JSON json_t *json = status_json(&s, "RUN");
	CHECK_INT(json_array_size(json_object_get(json, "rounds")), 5);
	CHECK(json_is_true(json_object_get(json, "is_goal_met")));
}

/* The example of docs/format/command-json.md; tests run from the root of the tree. */
static json_t *documented_status(void)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/command-json.md", 1 << 20, &page, &e));
	const char *start = strstr(page.text, "```json\n");
	CHECK(start != NULL);
	start += strlen("```json\n");
	json_t *json = json_read_text(start, strcspn(start, "\n"), "command-json.md", &e);
	if (!json)
		printf("# %s\n", e.text);
	return json;
}

TEST(the_documented_status_has_the_members_of_the_real_one)
{
	struct run_state s = { 0 };
	const char *key;
	json_t *value;
	AUTO_JSON json_t *want = documented_status();
	AUTO_JSON json_t *got = status_json(&s, "run");
	CHECK(want != NULL);
	CHECK_INT(json_object_size(want), json_object_size(got));
	json_object_foreach(got, key, value)
	{
		if (!json_object_get(want, key))
			printf("# not documented: %s\n", key);
		CHECK(json_object_get(want, key) != NULL);
	}
}

TEST(every_prefix_of_a_run_has_a_status)
{
	for (size_t nr = 1; nr <= ARRAY_LEN(fixture_events); nr++) {
		struct err e = { 0 };
		AUTO_FREE char *dir = fixture_dir();
		AUTO_FREE char *run = path_join(dir, "run");
		AUTO_STR struct str text = STR_INIT;
		AUTO_RUN_STATE struct run_state s = { 0 };
		fixture_make(run, nr);
		CHECK_OK(run_state_load(&s, run, &e));
		status_text(&s, "RUN", &text);
		AUTO_JSON json_t *json = status_json(&s, "RUN");
		fixture_remove(dir);
		check_has(text.text, "curriculum");
		CHECK(strstr(text.text, "(null)") == NULL);
		CHECK(json_is_object(json));
	}
}

TEST_MAIN()
