#include "sys/gpu_smi.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* The program is a fake: a script, the only one on PATH beside the shell's. */

struct fake {
	char dir[32];
};

static void fake_open(struct fake *f, const char *script)
{
	struct err e = { 0 };
	*f = (struct fake){ .dir = "/tmp/forge-test-XXXXXX" };
	CHECK(mkdtemp(f->dir));
	AUTO_FREE char *path = path_join(f->dir, "nvidia-smi");
	AUTO_FREE char *search = xasprintf("%s:/usr/bin:/bin", f->dir);
	AUTO_FREE char *text = xasprintf("#!/bin/sh\n%s\n", script);
	CHECK_OK(file_write_text(path, text, &e));
	CHECK(chmod(path, 0755) == 0);
	CHECK(setenv("PATH", search, 1) == 0);
}

static void fake_close(struct fake *f)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(f->dir, &e));
}

TEST(the_first_device_is_told_with_its_driver)
{
	struct fake f;
	struct gpu_smi gpu;
	struct err e = { 0 };
	unsetenv("CUDA_VISIBLE_DEVICES");
	fake_open(&f, "[ $# = 2 ] || exit 3\n"
		      "echo 'NVIDIA H200, 580.159.04, 9.0'\necho 'NVIDIA A100, 580.159.04, 8.0'");
	CHECK_OK(gpu_smi_ask(&gpu, &e));
	CHECK_TEXT(gpu.name, "NVIDIA H200");
	CHECK_TEXT(gpu.driver, "580.159.04");
	CHECK_INT(gpu.major, 9);
	CHECK_INT(gpu.minor, 0);
	fake_close(&f);
}

TEST(the_first_visible_device_is_asked_for)
{
	struct fake f;
	struct gpu_smi gpu;
	struct err e = { 0 };
	CHECK(setenv("CUDA_VISIBLE_DEVICES", "GPU-7f,0", 1) == 0);
	fake_open(&f, "echo \"$3 $4, 1, 12.0\"");
	CHECK_OK(gpu_smi_ask(&gpu, &e));
	CHECK_TEXT(gpu.name, "-i GPU-7f");
	CHECK_INT(gpu.major, 12);
	fake_close(&f);
}

static const struct {
	const char *script;
	const char *message;
} failures[] = {
	{ "echo 'No devices were found'; exit 6", "(exit 6: No devices were found)" },
	{ "echo 'NVIDIA-SMI has failed' >&2; exit 9", "NVIDIA-SMI has failed" },
	{ "true", "tells of no device" },
	{ "echo 'NVIDIA H200, 580.159.04'", "tells of no device" },
	{ "echo 'NVIDIA H200, 580.159.04, [N/A]'", "tells of no device" },
	{ "echo 'NVIDIA H200, , 9.0'", "tells of no device" },
	{ "echo 'NVIDIA H200, 580.159.04, 9'", "tells of no device" },
};

TEST(what_is_no_answer_is_an_error_with_its_words)
{
	unsetenv("CUDA_VISIBLE_DEVICES");
	for (size_t i = 0; i < ARRAY_LEN(failures); i++) {
		struct fake f;
		struct gpu_smi gpu;
		struct err e = { 0 };
		fake_open(&f, failures[i].script);
		CHECK(gpu_smi_ask(&gpu, &e) < 0);
		printf("# %s\n", e.text);
		CHECK(strstr(e.text, failures[i].message));
		fake_close(&f);
	}
}

TEST(a_machine_without_the_program_has_no_driver)
{
	struct gpu_smi gpu;
	struct err e = { 0 };
	CHECK(setenv("PATH", "/nowhere", 1) == 0);
	CHECK(gpu_smi_ask(&gpu, &e) < 0);
	CHECK(strstr(e.text, "no nvidia-smi on PATH"));
}

TEST_MAIN()
