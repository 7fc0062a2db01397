#include "cmd/doctor_gpu.h"

/* Only tasks for a GPU need one, so none is no lack; on a machine that has one, every lack comes
 * with its price. */

#include "base/json.h"
#include "base/str.h"
#include "build/gpu_facts.h"
#include "report/text.h"

json_t *doctor_gpu(bool may_measure)
{
	return gpu_facts(may_measure);
}

/* True when there is none, and said so. */
static bool add_lack(const char *label, const json_t *part, struct str *out)
{
	const char *why = json_text_or(part, "lack", NULL);
	const char *cost = json_text_or(part, "cost", NULL);
	str_addf(out, "  %-9s", label);
	if (!why)
		return false;
	str_addf(out, "none: %s%s%s\n", why, cost ? "; " : "", cost ? cost : "");
	return true;
}

static void add_device(const json_t *device, struct str *out)
{
	if (add_lack("device", device, out))
		return;
	str_addf(out, "%s (%s), %lld multiprocessors, L2 ", json_text_or(device, "name", ""),
		 json_text_or(device, "arch", ""),
		 (long long)json_int_or(device, "multiprocessors", 0));
	text_bytes((double)json_int_or(device, "l2_bytes", 0), out);
	str_add(out, ", memory ");
	text_bytes((double)json_int_or(device, "memory_bytes", 0), out);
	const int64_t nr = json_int_or(device, "devices", 1);
	if (nr > 1)
		str_addf(out, "; the first of %lld (FK_GPU names another)", (long long)nr);
	str_add(out, "\n");
}

static void add_driver(const json_t *device, const json_t *state, struct str *out)
{
	const int64_t cuda = json_int_or(device, "driver", 0);
	str_addf(out, "  driver   %s, for CUDA up to %lld.%lld\n",
		 json_text_or(state, "driver", "?"), (long long)cuda / 1000,
		 (long long)cuda % 1000 / 10);
}

static void add_clock(const json_t *state, struct str *out)
{
	const json_t *throttle = json_object_get(state, "throttle");
	const char *why = json_text_or(throttle, "text", "");
	if (add_lack("clock", state, out))
		return;
	str_addf(out, "%lld of %lld MHz, memory %lld of %lld MHz; %lld C, %.0f of %.0f W",
		 (long long)json_int_or(state, "sm_mhz", 0),
		 (long long)json_int_or(state, "sm_max_mhz", 0),
		 (long long)json_int_or(state, "memory_mhz", 0),
		 (long long)json_int_or(state, "memory_max_mhz", 0),
		 (long long)json_int_or(state, "temperature_c", 0),
		 (double)json_int_or(state, "power_mw", 0) / 1e3,
		 (double)json_int_or(state, "power_limit_mw", 0) / 1e3);
	if (!json_is_object(throttle))
		str_add(out, "; the driver does not say what holds the clock back\n");
	else if (*why)
		str_addf(out, "; held back by %s: times taken now are not the device's best\n",
			 why);
	else
		str_add(out, "; nothing holds it back\n");
}

static void add_tool(const char *label, const json_t *tool, struct str *out)
{
	if (!add_lack(label, tool, out))
		str_addf(out, "%s, %s\n", json_text_or(tool, "path", ""),
			 json_text_or(tool, "release", "of unknown version"));
}

static void add_package(const json_t *python, const char *name, struct str *out)
{
	const char *version = json_text_or(python, name, NULL);
	str_addf(out, ", %s %s", name, version ? version : "none");
}

static void add_python(const json_t *python, struct str *out)
{
	if (add_lack("python", python, out))
		return;
	str_addf(out, "%s", json_text_or(python, "python", ""));
	add_package(python, "torch", out);
	add_package(python, "triton", out);
	str_add(out, json_text_or(python, "torch", NULL)
			     ? "\n"
			     : "; without torch Python tasks can not be "
			       "run\n");
}

static void add_ceilings(const json_t *c, int64_t driver, struct str *out)
{
	const char *trouble = json_text_or(c, "trouble", NULL);
	if (add_lack("ceilings", c, out))
		return;
	str_addf(
		out,
		"copy %.3g TB/s (read and written), matrix units %.3g TFLOP/s (bf16, %s), f32 %.3g "
		"TFLOP/s; of %.10s\n",
		json_real_or(c, "copy_bytes_per_s", 0) / 1e12,
		json_real_or(c, "matrix_flops_per_s", 0) / 1e12,
		json_text_or(c, "matrix_method", ""), json_real_or(c, "f32_flops_per_s", 0) / 1e12,
		json_text_or(c, "date", ""));
	if (json_int_or(c, "driver", driver) != driver)
		str_add(out,
			"           measured under another driver; remove their file to have it "
			"done again (docs/format/ceilings.md)\n");
	if (trouble)
		str_addf(out, "           not stored, so every job measures them again: %s\n",
			 trouble);
}

void doctor_gpu_print(const json_t *gpu, struct str *out)
{
	const json_t *device = json_object_get(gpu, "device");
	const json_t *state = json_object_get(gpu, "state");
	str_add(out, "gpu, for CUDA and Python tasks\n");
	add_device(device, out);
	const bool has_device = !json_object_get(device, "lack");
	if (has_device) {
		add_driver(device, state, out);
		add_clock(state, out);
	}
	add_tool("nvcc", json_object_get(gpu, "toolkit"), out);
	if (!has_device)
		return;
	add_tool("ncu", json_object_get(gpu, "ncu"), out);
	add_python(json_object_get(gpu, "python"), out);
	add_ceilings(json_object_get(gpu, "ceilings"), json_int_or(device, "driver", 0), out);
}
