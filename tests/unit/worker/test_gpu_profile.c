#include "worker/gpu_profile.h"

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/proc.h"
#include "test.h"

/* What ncu left is a file that tests/fake/gpu/ncu wrote around a program that does nothing. */

struct scene {
	char dir[32];
	char *log;
	struct worker w;
};

static void scene_open(struct scene *s, const char *mode)
{
	struct err e = { 0 };
	*s = (struct scene){ .dir = "/tmp/forge-test-XXXXXX" };
	CHECK(mkdtemp(s->dir));
	s->log = path_join(s->dir, "ncu.csv");
	s->w.result.doc = json_object();
	setenv("FAKE_NCU", mode, 1);
	const char *const argv[] = {
		"tests/fake/gpu/ncu", "--csv", "--log-file", s->log, "true", NULL
	};
	const struct proc_spec spec = { .argv = argv };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(proc_run(&r, &spec, &e));
}

static void scene_close(struct scene *s)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(s->dir, &e));
	json_decref(s->w.result.doc);
	free(s->log);
}

static const json_t *part(const struct scene *s, const char *name)
{
	return json_object_get(json_object_get(s->w.result.doc, "profile"), name);
}

static bool take(struct scene *s, const char *said, const char *why)
{
	const struct gpu_counted c = { PARTY_CANDIDATE, s->log, said, why };
	return gpu_profile_take(&s->w, &c);
}

TEST(a_table_becomes_metrics_of_its_party)
{
	struct scene s;
	scene_open(&s, "ok");
	CHECK(take(&s, "", ""));
	const json_t *m = part(&s, "candidate");
	CHECK(json_number_value(json_object_get(m, "ncu_kernels")) == 2);
	CHECK(json_number_value(json_object_get(m, "ncu_kernel_ns")) == 20000);
	CHECK(json_number_value(json_object_get(m, "ncu_dram_read_bytes")) == 67e6);
	/* 67 + 33.5 MB in 20 us */
	CHECK(json_number_value(json_object_get(m, "ncu_dram_gbytes_per_s")) == 5025);
	CHECK(!part(&s, "reference"));
	CHECK(!json_object_get(part(&s, "ncu"), "trouble"));
	scene_close(&s);
}

TEST(a_table_counts_whatever_else_went_wrong)
{
	struct scene s;
	scene_open(&s, "ok");
	CHECK(take(&s, "", "the process ended without an answer"));
	CHECK(!json_object_get(part(&s, "ncu"), "trouble"));
	scene_close(&s);
}

TEST(what_has_no_number_is_named)
{
	struct scene s;
	scene_open(&s, "nan");
	CHECK(take(&s, "", ""));
	CHECK(!json_object_get(part(&s, "candidate"), "ncu_sm_pct"));
	const json_t *missing = json_object_get(part(&s, "ncu"), "missing");
	bool is_named = false;
	for (size_t i = 0; i < json_array_size(missing); i++)
		is_named |= str_equal(json_string_value(json_array_get(missing, i)),
				      "sm__throughput.avg.pct_of_peak_sustained_elapsed");
	CHECK(is_named);
	scene_close(&s);
}

TEST(troubles_are_named_and_told_in_a_note)
{
	static const struct {
		const char *mode;
		const char *said;
		const char *why;
		const char *trouble;
		const char *text;
	} rows[] = {
		{ "permission", "", "", "permission",
		  "candidate: this user may not read the counters" },
		{ "no_profiler", "", "forge-gpu ended without an answer", "no_profiler",
		  "the profiler of the driver can not be loaded here" },
		{ "garbage", "", "", "unknown", "candidate: ncu: no table" },
		{ "silent", "==ERROR== The application returned an error code (9).", "", "unknown",
		  "ncu failed (The application returned an error code (9).)" },
		{ "silent", "", "crashed: illegal address", "unknown",
		  "candidate: crashed: illegal address" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scene s;
		scene_open(&s, rows[i].mode);
		CHECK(!take(&s, rows[i].said, rows[i].why));
		const json_t *ncu = part(&s, "ncu");
		CHECK_TEXT(json_text_or(ncu, "trouble", ""), rows[i].trouble);
		const char *text = json_text_or(ncu, "text", "");
		if (!strstr(text, rows[i].text))
			printf("# %s\n", text);
		CHECK(strstr(text, rows[i].text));
		CHECK(json_array_size(json_object_get(s.w.result.doc, "notes")) == 1);
		CHECK(!part(&s, "candidate"));
		scene_close(&s);
	}
}

TEST(no_log_at_all_is_a_trouble_too)
{
	struct scene s;
	scene_open(&s, "ok");
	CHECK(unlink(s.log) == 0);
	CHECK(!take(&s, "", ""));
	CHECK_TEXT(json_text_or(part(&s, "ncu"), "trouble", ""), "unknown");
	scene_close(&s);
}

/* A job of so many replicates; a party that has a name is a module with that source. */
static struct worker job_of(unsigned replicates, const char *reference, const char *candidate)
{
	static char name[] = "kernel.py";
	static char *path[] = { name };
	const char *const sources[] = { reference, candidate };
	struct worker w = { .job = { .replicates = replicates } };
	for (unsigned p = 0; p < 2; p++) {
		if (!sources[p])
			continue;
		w.builds[p].so_paths = path;
		w.builds[p].nr_so = 1;
		w.builds[p].source = digest_text(sources[p]);
	}
	return w;
}

TEST(a_kernel_is_always_played_and_a_module_where_it_decides)
{
	static const struct {
		unsigned replicates;
		const char *reference;
		const char *candidate;
		bool has_reference;
		bool has_candidate;
	} rows[] = {
		{ 2, NULL, NULL, true, true }, { 2, "a", NULL, false, true },
		{ 8, "a", NULL, false, true }, { 16, "a", NULL, true, true },
		{ 2, "a", "b", false, false }, { 8, "a", "b", false, true },
		{ 16, "a", "b", true, true },  { 8, "a", "a", true, false },
		{ 16, NULL, "b", true, true },
	};
	setenv("FORGE_NCU_UNBOXED", "1", 1);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct worker w =
			job_of(rows[i].replicates, rows[i].reference, rows[i].candidate);
		printf("# row %zu\n", i);
		CHECK(!gpu_profile_left_out(&w, PARTY_REFERENCE) == rows[i].has_reference);
		CHECK(!gpu_profile_left_out(&w, PARTY_CANDIDATE) == rows[i].has_candidate);
	}
}

TEST(no_host_code_of_a_candidate_runs_without_its_box_unless_that_is_allowed)
{
	unsetenv("FORGE_NCU_UNBOXED");
	struct worker w = job_of(16, "a", "b");
	CHECK(strstr(gpu_profile_left_out(&w, PARTY_CANDIDATE), "without its box"));
	CHECK(!gpu_profile_left_out(&w, PARTY_REFERENCE));
	w = job_of(16, "a", NULL);
	CHECK(!gpu_profile_left_out(&w, PARTY_CANDIDATE));
}

TEST_MAIN()
