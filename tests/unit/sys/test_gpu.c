#include "sys/gpu.h"

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/proc.h"
#include "test.h"

/* Drivers are fakes: a shared object made here, which has the few entry points that are asked. */

#define GOOD_BODY                                                                                  \
	"#include <string.h>\n#include <stddef.h>\n"                                               \
	"#ifndef NR\n#define NR 2\n#endif\n"                                                       \
	"int cuInit(unsigned f) { return f ? 1 : 0; }\n"                                           \
	"int cuDriverGetVersion(int *v) { *v = 13000; return 0; }\n"                               \
	"int cuDeviceGetCount(int *n) { *n = NR; return 0; }\n"                                    \
	"int cuDeviceGet(int *d, int i) { *d = i + 7; return 0; }\n"                               \
	"int cuDeviceGetName(char *s, int n, int d) { strncpy(s, \"Fake 90\", n);"                 \
	" return d != 7; }\n"                                                                      \
	"int cuDeviceTotalMem_v2(size_t *b, int d) { *b = 1UL << 37; return d != 7; }\n"           \
	"int cuDeviceGetAttribute(int *v, int a, int d) {\n"                                       \
	"	*v = a == 75 ? 9 : a == 76 ? 0 : a == 16 ? 132 : a == 38 ? 62914560 : -1;\n"             \
	"	return d != 7; }\n"

struct driver {
	char dir[32];
	char *path;
};

static void driver_make(struct driver *d, const char *source)
{
	struct err e = { 0 };
	*d = (struct driver){ .dir = "/tmp/forge-test-XXXXXX" };
	CHECK(mkdtemp(d->dir));
	d->path = path_join(d->dir, "libcuda.so.1");
	AUTO_FREE char *text = path_join(d->dir, "fake.c");
	CHECK_OK(file_write_text(text, source, &e));
	const char *const argv[] = { "gcc", "-w", "-shared", "-fPIC", "-o", d->path, text, NULL };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = argv };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK(proc_result_is_ok(&r));
}

static void driver_remove(struct driver *d)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(d->dir, &e));
	free(d->path);
}

TEST(the_driver_tells_what_the_first_device_is)
{
	struct err e = { 0 };
	struct driver d;
	struct gpu gpu;
	char arch[16];
	driver_make(&d, GOOD_BODY);
	CHECK_OK(gpu_probe(&gpu, d.path, &e));
	driver_remove(&d);
	CHECK_TEXT(gpu.name, "Fake 90");
	CHECK_INT(gpu.driver, 13000);
	CHECK_INT(gpu.nr, 2);
	CHECK_INT(gpu.nr_sm, 132);
	CHECK_INT(gpu.l2_bytes, 60 << 20);
	CHECK_INT(gpu.memory_bytes, INT64_C(1) << 37);
	gpu_arch(&gpu, arch);
	CHECK_TEXT(arch, "sm_90a");
}

TEST(trouble_with_a_driver_is_told_with_its_cure)
{
	static const struct {
		const char *source;
		const char *why;
	} rows[] = {
		{ "#define NR 0\n" GOOD_BODY, "sees no device; look at nvidia-smi" },
		{ "#define cuInit other\n" GOOD_BODY "#undef cuInit\nint cuInit(unsigned f) "
		  "{ return 100; }\n",
		  "sees no device" },
		{ "#define cuInit other\n" GOOD_BODY "#undef cuInit\nint cuInit(unsigned f) "
		  "{ return 803; }\n",
		  "cuInit gives 803; driver and kernel module are of different versions" },
		{ "#define cuInit other\n" GOOD_BODY "#undef cuInit\nint cuInit(unsigned f) "
		  "{ return *(volatile int *)8; }\n",
		  "crashed or did not answer" },
		{ "int nothing;\n", "cuInit gives -1" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		struct driver d;
		struct gpu gpu;
		driver_make(&d, rows[i].source);
		CHECK(gpu_probe(&gpu, d.path, &e) < 0);
		driver_remove(&d);
		CHECK_INT(e.kind, ERR_SYSTEM);
		if (!strstr(e.text, rows[i].why))
			printf("# %s\n", e.text);
		CHECK(strstr(e.text, rows[i].why));
	}
}

TEST(a_machine_without_a_driver_says_what_is_missing)
{
	struct err e = { 0 };
	struct gpu gpu;
	CHECK(gpu_probe(&gpu, "libforge-no-such-driver.so.1", &e) < 0);
	CHECK(strstr(e.text, "no NVIDIA driver: libforge-no-such-driver.so.1 is not there"));
	CHECK(strstr(e.text, "install the driver"));
}

TEST(targets_follow_from_the_compute_capability)
{
	static const struct {
		int major;
		int minor;
		const char *want;
	} rows[] = {
		{ 8, 6, "sm_86" }, { 9, 0, "sm_90a" }, { 10, 0, "sm_100a" }, { 12, 1, "sm_121a" }
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char arch[16];
		const struct gpu gpu = { .major = rows[i].major, .minor = rows[i].minor };
		gpu_arch(&gpu, arch);
		CHECK_TEXT(arch, rows[i].want);
	}
}

TEST_MAIN()
