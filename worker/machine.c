#include "worker/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "build/backend.h"
#include "build/gpu_facts.h"
#include "sys/cpu.h"
#include "sys/gpu.h"
#include "sys/nvml.h"
#include "sys/perf.h"
#include "sys/proc.h"
#include "sys/sandbox.h"
#include "worker/roofline.h"

#define PROBE_NS (200 * NS_PER_MS)
#define COMPILER_NS (10 * NS_PER_S)

static void set_size(json_t *obj, const char *key, size_t bytes)
{
	json_object_set_new(obj, key, json_integer((json_int_t)bytes));
}

static json_t *cpu_to_json(void)
{
	struct cpu_info cpu;
	cpu_read(&cpu);
	json_t *obj = json_object();
	json_object_set_new(obj, "cpu", json_string(cpu.model));
	json_object_set_new(obj, "vendor", json_string(cpu.vendor));
	json_object_set_new(obj, "isa", json_string(cpu.isa));
	json_object_set_new(obj, "governor", json_string(cpu.governor));
	json_object_set_new(obj, "kernel", json_string(cpu.kernel));
	json_object_set_new(obj, "virtual", json_boolean(cpu.is_virtual));
	json_object_set_new(obj, "can_flush", json_boolean(cpu_can_flush()));
	set_size(obj, "cores", cpu.nr_usable);
	set_size(obj, "family", cpu.family);
	set_size(obj, "model_nr", cpu.model_nr);
	set_size(obj, "l1d_bytes", cpu.l1d_bytes);
	set_size(obj, "l2_bytes", cpu.l2_bytes);
	set_size(obj, "l3_bytes", cpu.l3_bytes);
	set_size(obj, "memory_bytes", cpu.memory_bytes);
	return obj;
}

static json_t *counters_to_json(void)
{
	json_t *list = json_array();
	for (unsigned i = 0; i < PERF_NR_EVENTS; i++)
		if (perf_event_is_available((enum perf_event)i))
			json_array_append_new(list,
					      json_string(perf_event_name((enum perf_event)i)));
	return list;
}

json_t *machine_to_json(const struct roofline *r)
{
	json_t *obj = cpu_to_json();
	json_object_set_new(obj, "counters", counters_to_json());
	if (!r->f32_method)
		return obj;
	json_object_set_new(obj, "read_bytes_per_s", json_number(r->read_bytes_per_s));
	json_object_set_new(obj, "f32_flops_per_s", json_number(r->f32_flops_per_s));
	json_object_set_new(obj, "f32_method", json_string(r->f32_method));
	return obj;
}

static json_t *mechanisms_to_json(void)
{
	struct sandbox_lacks lacks = { 0 };
	sandbox_probe(&lacks);
	json_t *list = json_array();
	for (unsigned i = 0; i < SANDBOX_NR_MECHANISMS; i++) {
		enum sandbox_mechanism m = (enum sandbox_mechanism)i;
		json_array_append_new(list, json_pack("{s:s,s:b,s:b,s:s}", "mechanism",
						      sandbox_mechanism_name(m), "available",
						      !sandbox_lacks_has(&lacks, m), "grave",
						      sandbox_lack_is_grave(&lacks, m), "cost",
						      sandbox_mechanism_cost(m)));
	}
	return list;
}

/* What lessons of the knowledge base are held against, beside the processor. */
static json_t *compiler_to_json(void)
{
	static const char *const argv[] = { "gcc", "--version", NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = COMPILER_NS };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err ignored = { 0 };
	if (proc_run(&r, &spec, &ignored) < 0 || !proc_result_is_ok(&r))
		return json_string("");
	return json_stringn(r.out.text, strcspn(r.out.text, "\n"));
}

/* The line by which one nvcc differs from another; "" where there is none. */
static json_t *nvcc_to_json(void)
{
	struct err ignored = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	AUTO_FREE char *root = backend_cuda.toolkit(&ignored);
	AUTO_FREE char *nvcc = root ? xasprintf("%s/bin/nvcc", root) : NULL;
	const char *const argv[] = { nvcc, "--version", NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = COMPILER_NS };
	if (!nvcc || proc_run(&r, &spec, &ignored) < 0 || !proc_result_is_ok(&r))
		return json_string("");
	const char *line = backend_cuda.version_line(r.out.text);
	return json_stringn(line, strcspn(line, "\n"));
}

/* What lessons about a GPU are held against. Only where there is a driver: nobody else waits for
 * nvcc. */
static json_t *gpu_to_json(const struct gpu *gpu)
{
	struct nvml_state state;
	struct err why = { 0 };
	char capability[32];
	if (nvml_probe(&state, gpu->bus, NULL, &why) < 0 && !*state.driver)
		return json_pack("{s:s}", "lack", why.text);
	snprintf(capability, sizeof(capability), "%d.%d", gpu->major, gpu->minor);
	return json_pack("{s:s, s:s, s:s, s:o}", "name", gpu->name, "capability", capability,
			 "driver", state.driver, "compiler", nvcc_to_json());
}

static void add_gpu(json_t *obj)
{
	struct gpu gpu;
	struct err why = { 0 };
	const bool is_there = gpu_probe(&gpu, NULL, &why) == 0;
	json_object_set_new(obj, "gpu",
			    is_there ? gpu_to_json(&gpu) : json_pack("{s:s}", "lack", why.text));
	if (is_there)
		json_object_set_new(obj, "gpu_facts", gpu_facts(true));
}

static json_t *arch_to_json(void)
{
	struct utsname name;
	return json_string(uname(&name) == 0 ? name.machine : "");
}

json_t *machine_probe(void)
{
	struct roofline r = { 0 };
	roofline_measure(&r, PROBE_NS);
	json_t *obj = machine_to_json(&r);
	json_object_set_new(obj, "version", json_integer(1));
	json_object_set_new(obj, "arch", arch_to_json());
	json_object_set_new(obj, "compiler", compiler_to_json());
	json_object_set_new(obj, "sandbox", mechanisms_to_json());
	add_gpu(obj);
	return obj;
}
