#include "cmd/doctor_facts.h"

/* Facts come from the layers that will use them in a run (sys/, engine/), not from a second opinion
 * of our own: what doctor calls there is there. */

#include <string.h>

#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/cpu.h"
#include "sys/perf.h"
#include "sys/proc.h"
#include "sys/sandbox.h"

#define VERSION_DEADLINE_NS (UINT64_C(5) * 1000 * 1000 * 1000)

static json_t *count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *load_json(void)
{
	struct cpu_load load = { 0 };
	cpu_load_read(&load);
	double steal = load.total_ticks ? (double)load.steal_ticks / (double)load.total_ticks : 0;
	json_t *obj = json_object();
	json_object_set_new(obj, "psi_some_avg10",
			    load.has_psi ? json_number(load.psi_some_avg10) : json_null());
	json_object_set_new(obj, "steal_pct_since_boot", json_number(100 * steal));
	return obj;
}

json_t *doctor_machine(void)
{
	struct cpu_info cpu = { 0 };
	cpu_read(&cpu);
	json_t *obj = json_object();
	json_object_set_new(obj, "model", json_string(cpu.model));
	json_object_set_new(obj, "isa", json_string(cpu.isa));
	json_object_set_new(obj, "kernel", json_string(cpu.kernel));
	json_object_set_new(obj, "governor", json_string(cpu.governor));
	json_object_set_new(obj, "is_virtual", json_boolean(cpu.is_virtual));
	json_object_set_new(obj, "cores_online", count(cpu.nr_online));
	json_object_set_new(obj, "cores_usable", count(cpu.nr_usable));
	json_object_set_new(obj, "l1d_bytes", count(cpu.l1d_bytes));
	json_object_set_new(obj, "l2_bytes", count(cpu.l2_bytes));
	json_object_set_new(obj, "l3_bytes", count(cpu.l3_bytes));
	json_object_set_new(obj, "memory_bytes", count(cpu.memory_bytes));
	json_object_set_new(obj, "can_flush", json_boolean(cpu_can_flush()));
	json_object_set_new(obj, "load", load_json());
	return obj;
}

/* First line of "PROGRAM --version"; null when it does not answer. */
static json_t *version_of(const char *path)
{
	const char *const argv[] = { path, "--version", NULL };
	const struct proc_spec spec = { .argv = argv, .deadline_ns = VERSION_DEADLINE_NS };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct err ignored = { 0 };
	if (proc_run(&r, &spec, &ignored) < 0 || !proc_result_is_ok(&r))
		return json_null();
	return json_stringn(r.out.text, strcspn(r.out.text, "\n"));
}

static json_t *program_json(const char *name, const char *use)
{
	AUTO_FREE char *path = proc_find(name);
	json_t *obj = json_object();
	json_object_set_new(obj, "name", json_string(name));
	json_object_set_new(obj, "use", json_string(use));
	json_object_set_new(obj, "path", path ? json_string(path) : json_null());
	json_object_set_new(obj, "version", path ? version_of(path) : json_null());
	return obj;
}

json_t *doctor_programs(void)
{
	static const struct {
		const char *name;
		const char *use;
	} rows[] = {
		{ "gcc", "compiles references, judges and candidates; nothing works without it" },
		{ "clang", "a second compiler for candidates; without it they have gcc only" },
		{ "objdump", "static facts of object code; without it mechanism rows stay open" },
		{ "bwrap", "jail of compilers and agents; without it they see your files" },
	};
	json_t *list = json_array();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		json_array_append_new(list, program_json(rows[i].name, rows[i].use));
	return list;
}

/* Not the runner's, so no mechanism of sys/; to the user it is one more. */
static json_t *agent_box_json(void)
{
	bool is_there = agent_sandbox_works();
	return json_pack("{s:s, s:s, s:b, s:b, s:b, s:s}", "mechanism", "agent_sandbox", "what",
			 "sandbox of agents (bwrap)", "is_there", is_there, "is_essential", true,
			 "is_grave", !is_there, "cost",
			 "agents see your files; only their manners keep them to their workspace");
}

json_t *doctor_sandbox(void)
{
	struct sandbox_lacks lacks = { 0 };
	json_t *list = json_array();
	sandbox_probe(&lacks);
	for (int i = 0; i < SANDBOX_NR_MECHANISMS; i++) {
		enum sandbox_mechanism m = (enum sandbox_mechanism)i;
		json_t *obj = json_object();
		json_object_set_new(obj, "mechanism", json_string(sandbox_mechanism_name(m)));
		json_object_set_new(obj, "what", json_string(sandbox_mechanism_what(m)));
		json_object_set_new(obj, "is_there", json_boolean(!sandbox_lacks_has(&lacks, m)));
		json_object_set_new(obj, "is_essential",
				    json_boolean(sandbox_mechanism_is_essential(m)));
		json_object_set_new(obj, "is_grave",
				    json_boolean(sandbox_lack_is_grave(&lacks, m)));
		json_object_set_new(obj, "cost", json_string(sandbox_mechanism_cost(m)));
		json_array_append_new(list, obj);
	}
	json_array_append_new(list, agent_box_json());
	return list;
}

json_t *doctor_counters(void)
{
	json_t *list = json_array();
	for (int i = 0; i < PERF_NR_EVENTS; i++) {
		enum perf_event event = (enum perf_event)i;
		json_t *obj = json_object();
		json_object_set_new(obj, "name", json_string(perf_event_name(event)));
		json_object_set_new(obj, "text", json_string(perf_event_text(event)));
		json_object_set_new(obj, "is_there", json_boolean(perf_event_is_available(event)));
		json_array_append_new(list, obj);
	}
	return list;
}
