#include "sys/nvml.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/gpu.h"
#include "sys/proc.h"
#include "test.h"

/* The library is a fake (tests/fake/gpu/nvml.c). */

struct fake {
	char dir[32];
	char *nvml;
	char *cuda;
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
	f->nvml = path_join(f->dir, "lib/libnvidia-ml.so.1");
	f->cuda = path_join(f->dir, "lib/libcuda.so.1");
}

static void fake_remove(struct fake *f)
{
	struct err e = { 0 };
	CHECK_OK(tree_remove(f->dir, &e));
	free(f->nvml);
	free(f->cuda);
}

TEST(the_device_of_a_place_on_the_bus_tells_its_clocks)
{
	struct err e = { 0 };
	struct fake f;
	struct gpu gpu;
	struct nvml_state s;
	fake_make(&f);
	CHECK_OK(gpu_probe(&gpu, f.cuda, &e));
	CHECK_TEXT(gpu.bus, "0000:41:00.0");
	CHECK_OK(nvml_probe(&s, gpu.bus, f.nvml, &e));
	fake_remove(&f);
	CHECK_TEXT(s.driver, "580.12.34");
	CHECK_INT(s.sm_mhz, 1755);
	CHECK_INT(s.sm_max_mhz, 1980);
	CHECK_INT(s.memory_mhz, 3201);
	CHECK_INT(s.temperature_c, 61);
	CHECK_INT(s.power_mw, 699000);
	CHECK_INT(s.power_limit_mw, 700000);
	CHECK(s.has_throttle);
	CHECK_INT(s.throttle, 5);
}

TEST(an_idle_clock_is_not_held_back)
{
	AUTO_STR struct str names = STR_INIT;
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str none = STR_INIT;
	nvml_throttle_names(0x44, &names);
	CHECK_TEXT(names.text, "power_cap,hardware_thermal");
	nvml_throttle_text(0x5, &text);
	CHECK_TEXT(text.text, "the power limit");
	nvml_throttle_text(0x1, &none);
	CHECK_TEXT(none.text, "");
}

TEST(a_library_that_knows_less_leaves_it_out)
{
	struct err e = { 0 };
	struct fake f;
	struct nvml_state s;
	fake_make(&f);
	setenv("FAKE_NVML", "old", 1);
	CHECK_OK(nvml_probe(&s, "0000:41:00.0", f.nvml, &e));
	CHECK(!s.has_throttle);
	CHECK_INT(s.sm_mhz, 1755);
	setenv("FAKE_NVML", "none", 1);
	CHECK(nvml_probe(&s, "0000:41:00.0", f.nvml, &e) < 0);
	CHECK(strstr(e.text, "nvmlDeviceGetHandleByPciBusId gives 6; look at nvidia-smi"));
	CHECK_TEXT(s.driver, "580.12.34");
	fake_remove(&f);
}

TEST(a_driver_that_is_named_brings_the_library_beside_it)
{
	struct err e = { 0 };
	struct fake f;
	struct gpu gpu;
	struct nvml_state s;
	fake_make(&f);
	AUTO_FREE char *device = path_join(f.dir, "device");
	setenv("FORGE_CUDA_DRIVER", f.cuda, 1);
	CHECK_OK(file_write_text(device, "Fake 80, 575.1, 8.0\n", &e));
	CHECK_OK(gpu_probe(&gpu, NULL, &e));
	CHECK_OK(nvml_probe(&s, gpu.bus, NULL, &e));
	CHECK_TEXT(gpu.name, "Fake 80");
	CHECK_INT(gpu.major, 8);
	CHECK_TEXT(s.driver, "575.1");
	unlink(f.nvml);
	CHECK(nvml_probe(&s, gpu.bus, NULL, &e) < 0);
	CHECK_TEXT(s.driver, "");
	fake_remove(&f);
}

TEST(an_empty_description_is_no_device)
{
	struct err e = { 0 };
	struct fake f;
	struct gpu gpu;
	fake_make(&f);
	AUTO_FREE char *device = path_join(f.dir, "device");
	CHECK_OK(file_write_text(device, "", &e));
	CHECK(gpu_probe(&gpu, f.cuda, &e) < 0);
	CHECK(strstr(e.text, "sees no device"));
	fake_remove(&f);
}

TEST(no_library_is_told)
{
	struct err e = { 0 };
	struct nvml_state s;
	CHECK(nvml_probe(&s, "", "libforge-no-such-nvml.so.1", &e) < 0);
	CHECK_INT(e.kind, ERR_SYSTEM);
	CHECK(strstr(e.text, "libforge-no-such-nvml.so.1 is not there"));
}

TEST(kinds_of_devices_are_told_apart)
{
	char one[GPU_FINGERPRINT_LEN + 1];
	char other[GPU_FINGERPRINT_LEN + 1];
	struct gpu g = {
		.name = "A", .major = 9, .nr_sm = 132, .memory_bytes = UINT64_C(140) << 30
	};
	gpu_fingerprint(&g, one);
	CHECK_INT(strlen(one), GPU_FINGERPRINT_LEN);
	g.driver = 13010;
	g.memory_bytes += 1 << 20;
	gpu_fingerprint(&g, other);
	CHECK_TEXT(other, one);
	g.nr_sm = 66;
	gpu_fingerprint(&g, other);
	CHECK(!str_equal(one, other));
}

TEST_MAIN()
