#include "build/gpu_facts.h"

/* Asked of the driver, of the management library and of the programs themselves; there is no table
 * of devices. Whatever is missing is told by the layer that would use it. */

#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/cuda_toolkit.h"
#include "build/gpu_measure.h"
#include "build/ncu_tool.h"
#include "sys/gpu.h"
#include "sys/nvml.h"
#include "sys/proc.h"

#define VERSION_NS (20 * NS_PER_S)
#define DRIVER_PARAMS "/proc/driver/nvidia/params"

enum { PARAMS_BYTES = 1 << 16 };

static json_t *lack(const char *why, const char *cost)
{
	json_t *obj = json_pack("{s:s}", "lack", why);
	if (cost)
		json_object_set_new(obj, "cost", json_string(cost));
	return obj;
}

static json_t *device_json(const struct gpu *gpu)
{
	char arch[16];
	gpu_arch(gpu, arch);
	return json_pack("{s:s, s:s, s:i, s:i, s:i, s:I, s:i, s:s}", "name", gpu->name, "arch",
			 arch, "devices", gpu->nr, "multiprocessors", gpu->nr_sm, "l2_bytes",
			 gpu->l2_bytes, "memory_bytes", (json_int_t)gpu->memory_bytes, "driver",
			 gpu->driver, "bus", gpu->bus);
}

static json_t *throttle_json(const struct nvml_state *s)
{
	AUTO_STR struct str names = STR_INIT;
	AUTO_STR struct str text = STR_INIT;
	if (!s->has_throttle)
		return json_null();
	nvml_throttle_names(s->throttle, &names);
	nvml_throttle_text(s->throttle, &text);
	return json_pack("{s:s, s:s}", "names", names.text, "text", text.text);
}

static json_t *state_json(const struct gpu *gpu)
{
	struct nvml_state s;
	struct err why = { 0 };
	if (nvml_probe(&s, gpu->bus, NULL, &why) < 0)
		return lack(why.text,
			    "clocks and what holds them back are not known while a kernel "
			    "is timed");
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "driver", s.driver,
			 "sm_mhz", (int)s.sm_mhz, "sm_max_mhz", (int)s.sm_max_mhz, "memory_mhz",
			 (int)s.memory_mhz, "memory_max_mhz", (int)s.memory_max_mhz,
			 "temperature_c", (int)s.temperature_c, "power_mw", (int)s.power_mw,
			 "power_limit_mw", (int)s.power_limit_mw, "throttle", throttle_json(&s));
}

/* What a program says; "" when it does not answer. */
static void ask(const char *const *argv, struct str *out)
{
	const struct proc_spec spec = { .argv = argv, .deadline_ns = VERSION_NS };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err ignored = { 0 };
	if (proc_run(&r, &spec, &ignored) == 0 && proc_result_is_ok(&r))
		str_add(out, r.out.text);
}

static json_t *toolkit_json(void)
{
	struct err why = { 0 };
	AUTO_STR struct str said = STR_INIT;
	AUTO_FREE char *root = cuda_toolkit_find(&why);
	if (!root)
		return lack(why.text, NULL);
	AUTO_FREE char *nvcc = path_join(root, "bin/nvcc");
	const char *const argv[] = { nvcc, "--version", NULL };
	ask(argv, &said);
	const char *at = strstr(said.text, "release ");
	return json_pack("{s:s, s:o}", "path", root, "release",
			 at ? json_stringn(at, strcspn(at, "\n")) : json_null());
}

/* Since 2019 the driver keeps counters for root unless it was loaded otherwise. */
static bool are_counters_kept(void)
{
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	return geteuid() != 0 && file_read(DRIVER_PARAMS, PARAMS_BYTES, &text, &ignored) == 0 &&
	       strstr(text.text, "RmProfilingAdminOnly: 1");
}

static json_t *ncu_json(void)
{
	static const char cost[] = "profiles of CUDA kernels have what the compiler tells, and no "
				   "counters";
	struct err why = { 0 };
	AUTO_STR struct str version = STR_INIT;
	AUTO_FREE char *path = ncu_tool_find(&why);
	if (!path || ncu_tool_version(path, &version, &why) < 0)
		return lack(why.text, cost);
	if (are_counters_kept())
		return lack("the driver keeps counters for root (RmProfilingAdminOnly); run the "
			    "worker as root, or load it with NVreg_RestrictProfilingToAdminUsers=0",
			    cost);
	return json_pack("{s:s, s:s}", "path", path, "release", version.text);
}

/* "3.12.3 torch=2.11.0 triton=3.6.0": packages are looked up, not imported. */
static json_t *python_json(void)
{
	static const char script[] =
		"import sys, importlib.metadata as m\n"
		"def v(n):\n"
		"    try:\n"
		"        return m.version(n)\n"
		"    except m.PackageNotFoundError:\n"
		"        return '-'\n"
		"print(sys.version.split()[0], v('torch'), v('triton'), v('nvidia-cutlass-dsl'))\n";
	const char *const argv[] = { "python3", "-c", script, NULL };
	AUTO_STR struct str said = STR_INIT;
	AUTO_STRV struct strv words = { 0 };
	AUTO_FREE char *path = proc_find("python3");
	ask(argv, &said);
	strv_split(&words, said.text, " \n");
	if (!path || words.nr != 4)
		return lack("no python3 that answers", "Python tasks can not be run");
	json_t *obj = json_pack("{s:s, s:s}", "path", path, "python", words.items[0]);
	static const char *const packages[] = { "torch", "triton", "cutlass_dsl" };
	for (size_t i = 0; i < ARRAY_LEN(packages); i++) {
		const char *version = words.items[i + 1];
		json_object_set_new(obj, packages[i],
				    str_equal(version, "-") ? json_null() : json_string(version));
	}
	return obj;
}

static json_t *ceilings_json(const struct gpu *gpu, bool may_measure)
{
	static const char cost[] = "profiles have no place below the roofline, and nothing is too "
				   "fast to be true";
	AUTO_GPU_CEILINGS struct gpu_ceilings known = { 0 };
	struct err why = { 0 };
	if (gpu_measure_ceilings(gpu, may_measure, &known, &why) < 0)
		return lack(why.text, cost);
	if (!known.is_there)
		return lack("not measured yet (forge doctor measures them once)", cost);
	json_t *obj = ceilings_to_json(&known.c);
	if (known.trouble)
		json_object_set_new(obj, "trouble", json_string(known.trouble));
	return obj;
}

json_t *gpu_facts(bool may_measure)
{
	struct gpu gpu;
	struct err why = { 0 };
	const bool is_there = gpu_probe(&gpu, NULL, &why) == 0;
	json_t *obj = json_object();
	json_object_set_new(obj, "device", is_there ? device_json(&gpu) : lack(why.text, NULL));
	json_object_set_new(obj, "state", is_there ? state_json(&gpu) : lack("no device", NULL));
	json_object_set_new(obj, "toolkit", toolkit_json());
	json_object_set_new(obj, "ncu", ncu_json());
	json_object_set_new(obj, "python", python_json());
	json_object_set_new(obj, "ceilings",
			    is_there ? ceilings_json(&gpu, may_measure) : lack("no device", NULL));
	return obj;
}
