#include "build/gpu_measure.h"

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/ncu_tool.h"
#include "sys/gpu.h"
#include "sys/proc.h"
#include "test.h"

/* The compiler and ncu are fakes (tests/fake/gpu), what they make is run as the real thing is. */

static const struct gpu device = {
	.name = "Fake 90", .driver = 13000, .nr = 1, .major = 9, .nr_sm = 132
};

struct fake {
	char dir[32];
	char *log;
	char *ceilings;
};

static void fake_make(struct fake *f)
{
	struct err e = { 0 };
	*f = (struct fake){ .dir = "/tmp/forge-test-XXXXXX" };
	CHECK(mkdtemp(f->dir));
	const char *const argv[] = { "tests/fake/gpu/make", f->dir, NULL };
	const struct proc_spec spec = { .argv = argv };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK(proc_result_is_ok(&r));
	f->log = path_join(f->dir, "log");
	f->ceilings = path_join(f->dir, "ceilings");
	setenv("CUDA_HOME", f->dir, 1);
	setenv("FAKE_LOG", f->log, 1);
	setenv("FORGE_CEILINGS", f->ceilings, 1);
}

static void fake_remove(struct fake *f)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(f->dir, &e));
	free(f->log);
	free(f->ceilings);
}

static void check_log(const struct fake *f, const char *want)
{
	struct err e = { 0 };
	AUTO_STR struct str text = STR_INIT;
	CHECK_OK(file_read(f->log, 1 << 16, &text, &e));
	CHECK_TEXT(text.text, want);
}

TEST(ceilings_are_measured_once_and_then_read)
{
	struct err e = { 0 };
	struct fake f;
	struct gpu_ceilings none;
	fake_make(&f);
	CHECK_OK(gpu_measure_ceilings(&device, false, &none, &e));
	CHECK(!none.is_there);
	for (int i = 0; i < 2; i++) {
		AUTO_GPU_CEILINGS struct gpu_ceilings k = { 0 };
		CHECK_OK(gpu_measure_ceilings(&device, true, &k, &e));
		CHECK(k.is_there && !k.trouble);
		CHECK(k.c.copy_bytes_per_s == 4.1e12 && k.c.matrix_flops_per_s == 7.9e14);
		CHECK_TEXT(k.c.matrix_method, "wgmma");
		CHECK_TEXT(k.c.arch, "sm_90a");
		CHECK_TEXT(k.c.compiler, "Cuda compilation tools, release 13.0, V13.0.88");
	}
	check_log(&f, "compiled\n");
	fake_remove(&f);
}

TEST(ceilings_that_can_not_be_stored_are_used_all_the_same)
{
	struct err e = { 0 };
	struct fake f;
	AUTO_GPU_CEILINGS struct gpu_ceilings k = { 0 };
	fake_make(&f);
	AUTO_FREE char *below_a_file = path_join(f.log, "x");
	CHECK_OK(file_write_text(f.log, "", &e));
	setenv("FORGE_CEILINGS", below_a_file, 1);
	CHECK_OK(gpu_measure_ceilings(&device, true, &k, &e));
	CHECK(k.is_there && k.c.f32_flops_per_s == 6e13);
	CHECK(k.trouble);
	fake_remove(&f);
}

TEST(what_can_not_be_measured_says_why)
{
	static const struct {
		const char *variable;
		const char *value;
		const char *why;
	} rows[] = {
		{ "FAKE_NVCC", "broken",
		  "nvcc: exit 1: nvcc fatal   : Unsupported gpu architecture" },
		{ "FAKE_CEILINGS", "copy_bytes_per_s 4e12", "no matrix_flops_per_s" },
		{ "FAKE_CEILINGS", "copy_bytes_per_s fast", "copy_bytes_per_s of fast is no rate" },
		{ "FAKE_CEILINGS", "copy_bytes_per_s 1e12\ncopy_bytes_per_s 1e12", "told twice" },
		{ "FAKE_CEILINGS", "copy_bytes_per_s nan", "is no rate" },
		{ "FAKE_CEILINGS", "warp_speed 9", "nobody asked for \"warp_speed 9\"" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_GPU_CEILINGS struct gpu_ceilings k = { 0 };
		struct err e = { 0 };
		struct fake f;
		fake_make(&f);
		setenv(rows[i].variable, rows[i].value, 1);
		CHECK(gpu_measure_ceilings(&device, true, &k, &e) < 0);
		unsetenv(rows[i].variable);
		if (!strstr(e.text, rows[i].why))
			printf("# %s\n", e.text);
		CHECK(strstr(e.text, rows[i].why));
		CHECK(!file_exists(f.ceilings));
		fake_remove(&f);
	}
}

TEST(ncu_is_found_and_its_version_is_held)
{
	struct err e = { 0 };
	struct fake f;
	AUTO_STR struct str version = STR_INIT;
	fake_make(&f);
	AUTO_FREE char *own = path_join(f.dir, "bin/ncu");
	setenv("FORGE_NCU", own, 1);
	AUTO_FREE char *path = ncu_tool_find(&e);
	CHECK_TEXT(path, own);
	CHECK_OK(ncu_tool_version(path, &version, &e));
	CHECK_TEXT(version.text, "2025.3.1.0");
	setenv("FAKE_NCU", "old", 1);
	CHECK(ncu_tool_version(path, &version, &e) < 0);
	CHECK(strstr(e.text, "2019.1.0"));
	setenv("FORGE_NCU", "/nowhere/ncu", 1);
	CHECK(!ncu_tool_find(&e));
	CHECK(strstr(e.text, "FORGE_NCU=/nowhere/ncu is no program"));
	fake_remove(&f);
}

TEST(clocks_are_left_alone_and_all_metrics_are_asked_for)
{
	AUTO_STRV struct strv argv = { 0 };
	const struct ncu_call call = { .path = "/x/ncu", .log = "/t/log.csv", .is_cold = true };
	ncu_tool_command(&call, &argv);
	AUTO_FREE char *text = strv_join(&argv, " ");
	CHECK(strstr(text, "/x/ncu --csv --log-file /t/log.csv "));
	CHECK(strstr(text, " --clock-control none "));
	CHECK(strstr(text, " --cache-control all "));
	CHECK(strstr(text, "dram__bytes_read.sum,"));
}

TEST(complaints_of_ncu_are_told_with_their_cure)
{
	static const struct {
		const char *said;
		const char *name;
		const char *text;
	} rows[] = {
		{ "==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM - The user does not have "
		  "permission\n",
		  "permission",
		  "NVreg_RestrictProfilingToAdminUsers=0 (ERR_NVGPUCTRPERM - The user" },
		{ "==ERROR== Failed to initialize the profiler: LibraryNotLoaded", "no_profiler",
		  "can not be loaded here" },
		{ "==WARNING== No kernels were profiled.", "no_kernel", "no kernel ran under ncu" },
		{ "==ERROR== The moon is full\n==ERROR== twice", "unknown",
		  "ncu failed (The moon is full)" },
		{ "", "unknown", "ncu failed" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_STR struct str out = STR_INIT;
		CHECK_TEXT(ncu_tool_trouble(rows[i].said), rows[i].name);
		ncu_tool_explain(rows[i].said, &out);
		if (!strstr(out.text, rows[i].text))
			printf("# %s\n", out.text);
		CHECK(strstr(out.text, rows[i].text));
	}
}

TEST(troubles_of_ncu_stand_in_the_page)
{
	static const char *const names[] = {
#define NCU_TROUBLE(name, said, text) #name,
#include "build/ncu_troubles.def"
#undef NCU_TROUBLE
	};
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/profile.md", 1 << 20, &page, &e));
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *word = xasprintf("`%s`", names[i]);
		CHECK(strstr(page.text, word));
	}
}

TEST(the_documented_profile_holds_numbers)
{
	struct err e = { 0 };
	AUTO_STR struct str page = STR_INIT;
	CHECK_OK(file_read("docs/format/profile.md", 1 << 20, &page, &e));
	const char *begin = strstr(page.text, "```json\n");
	CHECK(begin);
	begin += strlen("```json\n");
	const char *end = strstr(begin, "```");
	CHECK(end);
	AUTO_JSON json_t *profile = json_read_text(begin, (size_t)(end - begin), "profile", &e);
	CHECK(profile && json_object_size(profile) == 3);
	const char *name = NULL;
	json_t *value = NULL;
	json_object_foreach(json_object_get(profile, "candidate"), name, value)
		CHECK(json_is_number(value));
	CHECK(json_is_string(json_object_get(json_object_get(profile, "ncu"), "version")));
}

TEST_MAIN()
