#include "cmd/cmd.h"

/* What this machine can do for a run, and what each lack costs. Exit 1 only when runs are
 * impossible (no compiler, no worker); lacks are told, they are no error. */

#include <stdio.h>

#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/version.h"
#include "cmd/doctor_agents.h"
#include "cmd/doctor_facts.h"
#include "cmd/doctor_gpu.h"
#include "cmd/doctor_hosts.h"
#include "cmd/hand.h"
#include "cmd/term.h"
#include "report/text.h"
#include "sys/sandbox.h"

static const char *yes_no(const json_t *obj)
{
	return json_bool_or(obj, "is_there", false) ? "yes" : "NO";
}

static void add_size(const json_t *m, const char *label, const char *key, struct str *out)
{
	str_addf(out, "%s", label);
	int64_t bytes = json_int_or(m, key, 0);
	if (bytes)
		text_bytes((double)bytes, out);
	else
		str_add(out, "unknown");
}

static void add_caches(const json_t *m, struct str *out)
{
	str_add(out, "  caches   ");
	add_size(m, "L1d ", "l1d_bytes", out);
	add_size(m, ", L2 ", "l2_bytes", out);
	add_size(m, ", L3 ", "l3_bytes", out);
	add_size(m, "; memory ", "memory_bytes", out);
	str_add(out, "\n");
}

static void add_load(const json_t *m, struct str *out)
{
	const json_t *load = json_object_get(m, "load");
	const json_t *psi = json_object_get(load, "psi_some_avg10");
	str_add(out, "  load     ");
	if (json_is_number(psi))
		str_addf(out, "tasks waited for a CPU %.1f %% of the last 10 s",
			 json_number_value(psi));
	else
		str_add(out, "no pressure information (/proc/pressure/cpu): contention shows in "
			     "the samples only");
	str_addf(out, "; steal %.2f %% since boot\n",
		 json_real_or(load, "steal_pct_since_boot", 0));
}

static void add_governor(const json_t *m, struct str *out)
{
	const char *governor = json_text_or(m, "governor", "");
	str_add(out, "  clock    ");
	if (!*governor)
		str_add(out, "no governor to read (a virtual machine, or none)\n");
	else if (str_equal(governor, "performance"))
		str_add(out, "governor performance\n");
	else
		str_addf(out,
			 "governor %s: clocks move while measuring; 'performance' lowers the "
			 "noise floor\n",
			 governor);
}

static void add_machine(const json_t *m, struct str *out)
{
	str_addf(out,
		 "machine\n  cpu      %s%s, %lld of %lld cores usable\n  isa      %s\n"
		 "  kernel   Linux %s\n",
		 json_text_or(m, "model", "unknown"),
		 json_bool_or(m, "is_virtual", false) ? " (virtual)" : "",
		 (long long)json_int_or(m, "cores_usable", 0),
		 (long long)json_int_or(m, "cores_online", 0), json_text_or(m, "isa", ""),
		 json_text_or(m, "kernel", ""));
	add_caches(m, out);
	add_governor(m, out);
	add_load(m, out);
	if (!json_bool_or(m, "can_flush", false))
		str_add(out, "  flush    NO: cold timing falls back to reading a large buffer\n");
}

static void add_programs(const json_t *list, struct str *out)
{
	AUTO_TABLE struct table t = { 0 };
	size_t i;
	json_t *row;
	table_init(&t, "ll");
	json_array_foreach(list, i, row)
	{
		bool is_there = json_is_string(json_object_get(row, "path"));
		table_add(&t, json_text_or(row, "name", ""));
		if (is_there)
			table_add(&t, json_text_or(row, "version", "found"));
		else
			table_addf(&t, "NO: %s", json_text_or(row, "use", ""));
	}
	str_add(out, "programs\n");
	table_print(&t, "  ", out);
}

/* What the lack costs, and by which name it is accepted. */
static void add_lack(struct table *t, const json_t *row, bool is_there)
{
	AUTO_FREE char *name = sandbox_lack_name(json_text_or(row, "mechanism", ""));
	if (is_there)
		table_add(t, "");
	else if (json_bool_or(row, "is_grave", false))
		table_addf(t, "%s: %s; runs are refused without --accept %s", name,
			   json_text_or(row, "cost", ""), name);
	else
		table_addf(t, "%s: %s; runs go on and say so", name, json_text_or(row, "cost", ""));
}

static void add_sandbox(const json_t *list, struct str *out)
{
	AUTO_TABLE struct table t = { 0 };
	size_t i;
	json_t *row;
	table_init(&t, "lll");
	json_array_foreach(list, i, row)
	{
		bool is_there = json_bool_or(row, "is_there", false);
		table_add(&t, json_text_or(row, "what", ""));
		table_add(&t, yes_no(row));
		add_lack(&t, row, is_there);
	}
	str_add(out, "sandbox\n");
	table_print(&t, "  ", out);
}

static void add_counters(const json_t *list, struct str *out)
{
	AUTO_TABLE struct table t = { 0 };
	size_t i;
	size_t nr_lacking = 0;
	json_t *row;
	table_init(&t, "ll");
	json_array_foreach(list, i, row)
	{
		nr_lacking += !json_bool_or(row, "is_there", false);
		table_add(&t, json_text_or(row, "text", ""));
		table_add(&t, yes_no(row));
	}
	str_add(out, "counters\n");
	table_print(&t, "  ", out);
	if (nr_lacking)
		str_add(out, "  mechanism rows use static facts of the object code where a "
			     "counter is missing\n");
}

static void add_noise(const json_t *noise, struct str *out)
{
	str_add(out, "noise, a kernel against itself\n");
	if (!json_is_object(noise)) {
		str_add(out, "  not measured\n");
		return;
	}
	const char *why = json_text_or(noise, "error", NULL);
	if (why) {
		str_addf(out, "  NO: %s\n", why);
		return;
	}
	str_addf(out, "  floor    %.2f %%%s\n", 100 * json_real_or(noise, "floor", 0),
		 json_bool_or(noise, "is_contended", false) ? " (the machine was busy)" : "");
	const json_t *null_ns = json_object_get(noise, "null_rtt_ns");
	if (json_is_number(null_ns))
		str_addf(out, "  call     %.0f ns for an empty round trip to the runner\n",
			 json_number_value(null_ns));
}

static void add_stored(const json_t *stored, struct str *out)
{
	const char *why = json_text_or(stored, "error", NULL);
	size_t i;
	json_t *row;
	str_add(out, "  stored  ");
	if (why)
		str_addf(out, " NO: %s", why);
	else if (!json_is_object(stored))
		str_add(out, " none: every trial has only the floor it finds itself (make "
			     "nightly)");
	json_array_foreach(json_object_get(stored, "classes"), i, row)
	{
		str_addf(out, "%s %s-%lld %.2f %%", i ? "," : "", json_text_or(row, "class", ""),
			 (long long)json_int_or(row, "threads", 0),
			 100 * json_real_or(row, "floor", 0));
	}
	if (json_is_object(stored) && !why)
		str_addf(out, " (%s)", json_text_or(stored, "date", ""));
	str_add(out, "\n");
}

static void add_knowledge(const json_t *kb, struct str *out)
{
	const char *why = json_text_or(kb, "error", NULL);
	int64_t nr = json_int_or(kb, "lessons", 0);
	int64_t nr_certified = json_int_or(kb, "certified", 0);
	int64_t nr_open = json_int_or(kb, "open", 0);
	str_add(out, "knowledge base\n");
	if (why) {
		str_addf(out, "  NO: %s; teachers are given no lessons\n", why);
		return;
	}
	if (json_is_null(json_object_get(kb, "certified"))) {
		str_addf(
			out,
			"  lessons  %lld; where jobs run was not asked which of them are certified "
			"there\n",
			(long long)nr);
		return;
	}
	str_addf(out, "  lessons  %lld, certified here %lld, not applicable %lld\n", (long long)nr,
		 (long long)nr_certified, (long long)(nr - nr_certified - nr_open));
	if (nr_open)
		str_addf(out,
			 "           %lld are stale, refuted or were never run here, and runs are "
			 "not given them: forge kb certify --all\n",
			 (long long)nr_open);
}

static void print_text(const json_t *doc)
{
	AUTO_STR struct str out = STR_INIT;
	str_addf(&out, "forge %s\n", FORGE_VERSION);
	add_machine(json_object_get(doc, "machine"), &out);
	add_programs(json_object_get(doc, "programs"), &out);
	add_sandbox(json_object_get(doc, "sandbox"), &out);
	add_counters(json_object_get(doc, "counters"), &out);
	doctor_gpu_print(json_object_get(doc, "gpu"), &out);
	doctor_hosts_print(json_object_get(doc, "hosts"), &out);
	add_noise(json_object_get(doc, "noise"), &out);
	add_stored(json_object_get(doc, "stored_noise"), &out);
	add_knowledge(json_object_get(doc, "knowledge"), &out);
	term_put(out.text);
}

static json_t *noise_or_error(void)
{
	struct err e = { 0 };
	json_t *noise = NULL;
	log_info("measuring the noise floor, some seconds (--no-run leaves it out)");
	if (doctor_noise(&noise, &e) < 0)
		noise = json_pack("{ss}", "error", e.text);
	return noise;
}

static bool can_run(const json_t *doc)
{
	const json_t *gcc = json_array_get(json_object_get(doc, "programs"), 0);
	const json_t *noise = json_object_get(doc, "noise");
	return json_is_string(json_object_get(gcc, "path")) && !json_object_get(noise, "error");
}

static int tell_agents(const char *live, bool is_json, struct err *e)
{
	AUTO_STR struct str out = STR_INIT;
	json_t *agents = doctor_agents(live, e);
	if (!agents)
		return -1;
	AUTO_JSON json_t *doc = json_pack("{s:i, s:s, s:o}", "version", 1, "forge", FORGE_VERSION,
					  "agents", agents);
	const json_t *rows = json_object_get(doc, "agents");
	if (is_json) {
		hand_print_json(doc);
	} else {
		doctor_agents_print(rows, &out);
		term_put(out.text);
	}
	return doctor_agents_answered(rows) ? 0 : 1;
}

int cmd_doctor(const struct cmd_call *call, struct err *e)
{
	int code = 0;
	bool is_json = false;
	bool is_static = false;
	bool is_agents = false;
	const char *live = NULL;
	const struct opt rows[] = {
		{ 0, "agents", OPT_FLAG, NULL, "which agents can play a role here, and why not",
		  &is_agents },
		{ 0, "live", OPT_TEXT, "PROFILE[=MODEL],...",
		  "with --agents: ask these for one small turn; that costs money", &live },
		{ 0, "no-run", OPT_FLAG, NULL,
		  "do not measure the noise floor, nor a GPU, and ask no host", &is_static },
		{ 0, "json", OPT_FLAG, NULL, "one JSON object", &is_json },
	};
	AUTO_STRV struct strv rest = { 0 };
	if (!cmd_parse(call, OPT_TABLE(rows), &rest, &code, e))
		return code;
	if (live && !is_agents)
		return err_set(e, ERR_USAGE, "doctor: --live belongs to --agents");
	if (is_agents)
		return tell_agents(live, is_json, e);
	AUTO_JSON json_t *doc = json_object();
	json_object_set_new(doc, "version", json_integer(1));
	json_object_set_new(doc, "forge", json_string(FORGE_VERSION));
	json_object_set_new(doc, "machine", doctor_machine());
	json_object_set_new(doc, "programs", doctor_programs());
	json_object_set_new(doc, "sandbox", doctor_sandbox());
	json_object_set_new(doc, "counters", doctor_counters());
	json_object_set_new(doc, "gpu", doctor_gpu(!is_static));
	json_object_set_new(doc, "hosts", doctor_hosts(!is_static));
	json_object_set_new(doc, "noise", is_static ? json_null() : noise_or_error());
	json_object_set_new(doc, "stored_noise", doctor_stored_noise());
	json_object_set_new(doc, "knowledge", doctor_knowledge(!is_static));
	if (is_json)
		hand_print_json(doc);
	else
		print_text(doc);
	return can_run(doc) ? 0 : 1;
}
