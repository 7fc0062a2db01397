#include "report/sections.h"

/* Where every number comes from: comparator, builds, device, method, hashes, and the commands that
 * measure it again. */

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/text.h"
#include "report/usage_text.h"
#include "report/view.h"
#include "store/rundir.h"

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

void section_roofline(const struct view *v, struct page *p)
{
	AUTO_STR struct str svg = STR_INIT;
	if (!v->head)
		return;
	if (plot_roofline(v, &svg)) {
		page_add(p, BLOCK_HEADING, "Roofline");
		page_figure(
			p,
			view_is_gpu(v)
				? "Throughput against arithmetic intensity. Ceilings are what "
				  "this device reached when it was measured: memory by copies, "
				  "arithmetic by the units that the task's tensors allow; flops "
				  "and bytes are the task's own count."
				: "Throughput against arithmetic intensity. Ceilings were "
				  "measured in the same job by one thread (single precision); "
				  "flops and bytes are the task's own count. A point above the "
				  "memory ceiling means that operands were found in a cache, or "
				  "that the kernel uses more threads.",
			&svg);
	}
}

static void add_row(struct table *t, const char *key, const char *value)
{
	if (!value || !*value)
		return;
	table_add(t, key);
	table_add(t, value);
}

static void add_digest(struct table *t, const char *key, const char *digest)
{
	if (!digest || !*digest)
		return;
	table_add(t, key);
	table_addf(t, "`%s`", digest);
}

static void add_build(struct table *t, const struct view *v, const char *side, const char *label)
{
	const json_t *build = json_object_get(json_object_get(v->result.doc, "build"), side);
	const char *flags = json_text_or(build, "flags", NULL);
	const char *compiler = json_text_or(build, "compiler", NULL);
	if (!flags && !compiler)
		return;
	table_add(t, label);
	table_addf(t, "`%s`%s%s%s", or_dash(flags), compiler ? " (" : "", compiler ? compiler : "",
		   compiler ? ")" : "");
	add_digest(t, str_equal(side, "reference") ? "reference object" : "kernel object",
		   json_text_or(build, "object", NULL));
}

/* "NVIDIA H200 (sm_90a), 132 multiprocessors, driver 580.159.04, CUDA 13.0" */
static void add_gpu(struct table *t, const json_t *gpu)
{
	AUTO_STR struct str text = STR_INIT;
	const int64_t cuda = json_int_or(gpu, "driver", 0);
	const int64_t nr_sm = json_int_or(gpu, "multiprocessors", 0);
	const char *arch = json_text_or(gpu, "arch", NULL);
	const char *driver = json_text_or(gpu, "driver_version", NULL);
	str_add(&text, json_text_or(gpu, "name", "GPU"));
	if (arch)
		str_addf(&text, " (%s)", arch);
	if (nr_sm > 0)
		str_addf(&text, ", %lld multiprocessors", (long long)nr_sm);
	if (driver)
		str_addf(&text, ", driver %s", driver);
	if (cuda > 0)
		str_addf(&text, ", CUDA up to %lld.%lld", (long long)cuda / 1000,
			 (long long)cuda % 1000 / 10);
	add_row(t, "device", text.text);
}

static void add_machine(struct table *t, const struct view *v)
{
	const json_t *gpu = json_object_get(v->result.doc, "gpu");
	if (view_is_gpu(v))
		add_gpu(t, gpu);
	else
		add_row(t, "device", v->state.machine_name);
	for (size_t i = 0; i < v->state.machine.nr; i++)
		add_row(t, i ? "" : "machine", v->state.machine.items[i]);
}

static void add_head(struct table *t, const struct view *v)
{
	const struct state_estimate *head = v->head;
	if (!head)
		return;
	add_row(t, "comparator", head->comparator);
	table_add(t, "measurement");
	table_addf(t, "job %s, %s, K=%u, noise floor %.2f %%", or_dash(head->job),
		   or_dash(head->purpose), head->replicates, 100 * head->floor);
}

static const struct {
	const char *name;
	const char *text;
} methods[] = {
	{ "graph", "recorded launches are replayed" },
	{ "graph-turns", "launches are replayed in two contexts that take turns" },
	{ "direct", "a side launches inside of the window" },
	{ "direct-turns", "a side launches inside of the window, in two contexts that take turns" },
};

static const char *method_text(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++)
		if (str_equal(methods[i].name, name))
			return methods[i].text;
	return "unknown";
}

/* Nothing is taken off there: what the window costs, both sides pay. */
static void add_gpu_timing(struct table *t, const json_t *timing, double null_ns)
{
	const json_t *clocks = json_object_get(timing, "clocks");
	const char *method = json_text_or(timing, "method", "-");
	const int64_t looks = json_int_or(clocks, "looks", 0);
	table_add(t, "timing");
	table_addf(t,
		   "operands %s, between two events of the device, %s: %s; an empty window takes "
		   "%.0f ns, which is not taken off",
		   json_bool_or(timing, "cold", true) ? "cold" : "warm", method,
		   method_text(method), null_ns);
	table_add(t, "clock");
	if (looks > 0)
		table_addf(t, "%.0f to %.0f MHz in %lld looks, %.0f C",
			   json_real_or(clocks, "sm_mhz_low", 0),
			   json_real_or(clocks, "sm_mhz_high", 0), (long long)looks,
			   json_real_or(clocks, "temperature", 0));
	else
		table_add(t, "not known: the driver's management library is not there");
}

static void add_cpu_timing(struct table *t, const json_t *timing, double null_ns)
{
	table_add(t, "timing");
	table_addf(t, "operands %s, the worker waits by %s, empty round trip of %.0f ns taken off",
		   json_bool_or(timing, "cold", true) ? "cold" : "warm",
		   json_text_or(timing, "wait", "-"), null_ns);
}

static void add_timing(struct table *t, const struct view *v)
{
	const json_t *timing = json_object_get(v->result.doc, "timing");
	const json_t *null_ns = json_array_get(json_object_get(timing, "null_ns"), 0);
	if (!timing)
		return;
	if (view_is_gpu(v))
		add_gpu_timing(t, timing, json_number_value(null_ns));
	else
		add_cpu_timing(t, timing, json_number_value(null_ns));
}

static void add_notes(const struct view *v, struct page *p)
{
	const json_t *notes = json_object_get(v->result.doc, "notes");
	for (size_t i = 0; i < json_array_size(notes); i++)
		page_add(p, BLOCK_ITEM, "%s", json_string_value(json_array_get(notes, i)));
}

static void add_hashes(struct table *t, const struct view *v)
{
	const struct run_state *s = &v->state;
	const struct state_best *best = run_state_best(s);
	add_digest(t, "task", s->judge.task_digest);
	add_digest(t, "judge and tolerances", s->judge.check_digest);
	add_digest(t, "reference source", s->judge.reference_digest);
	add_digest(t, "best kernel source", best ? best->source : NULL);
	for (size_t i = 0; v->head && i < s->nr_jobs; i++)
		if (str_equal(s->jobs[i].id, or_dash(v->head->job))) {
			add_digest(t, "result.json", s->jobs[i].result);
			add_digest(t, "samples.csv", s->jobs[i].samples);
		}
}

/* "tuner: forge-tuner 0.1.0", and the model where it was told. */
static void add_agent(struct table *t, const char *role, const char *driver,
		      const struct state_agent *agent)
{
	AUTO_STR struct str text = STR_INIT;
	str_add(&text, or_dash(driver));
	if (agent->name)
		str_addf(&text, ": %s %s", agent->name, agent->version);
	if (agent->name && agent->model[0])
		str_addf(&text, ", model %s", agent->model);
	add_row(t, role, text.text);
}

static void add_usage(struct table *t, const char *role, const struct state_usage *usage)
{
	AUTO_STR struct str seconds = STR_INIT;
	if (!usage->turns)
		return;
	text_seconds(usage->seconds, &seconds);
	table_add(t, role);
	AUTO_STR struct str used = STR_INIT;
	text_usage(&usage->used, &used);
	table_addf(t, "%u turns, %s, %s", usage->turns, seconds.text,
		   usage_is_free(&usage->used) ? "no tokens, no money" : used.text);
}

static void add_method_text(const struct view *v, struct page *p)
{
	const struct job_cost *cost = &v->result.cost;
	page_add(p, BLOCK_TEXT,
		 "Method: paired. In every replicate, %s, operands "
		 "flushed from the caches; outputs of timed calls are checked. A call is faster "
		 "only if the smallest replicate's median ratio beats the larger of 1 %% and the "
		 "noise floor, which is what the reference against itself shows in the same job, "
		 "or what null trials stored for the machine if that is more. "
		 "No sample is dropped for its value; raw samples are kept in `samples.csv`.",
		 view_is_gpu(v)
			 ? "reference, kernel and reference again are replayed on the device in "
			   "random order, from graphs of what their host code launched"
			 : "three fresh processes (reference, kernel, reference again) are called "
			   "in random order on the same memory");
	if (v->has_result && cost->total_s > 0)
		page_add(p, BLOCK_TEXT,
			 "That job took %.1f s: build %.1f, process starts %.1f, kernels %.1f, "
			 "judge %.1f.",
			 cost->total_s, cost->build_s, cost->start_s, cost->kernel_s,
			 cost->judge_s);
}

/* Whose judge it is, and whether an error of the reference would show. */
static void add_judge(struct table *t, const struct state_judge *judge)
{
	bool is_written = str_equal(judge->author, "teacher");
	if (!judge->author || str_equal(judge->author, "origin"))
		return;
	table_add(t, "judge");
	if (!is_written)
		table_add(t, "the task's own, independent of the reference");
	else if (judge->is_independent)
		table_addf(t,
			   "written by the teacher from the description alone, independent of the "
			   "reference; it agreed with it at try %u",
			   judge->nr_misaligned + 1);
	else
		table_add(t, "promoted from the reference by the teacher, not independent of it");
}

void section_method(const struct view *v, struct page *p)
{
	const struct run_state *s = &v->state;
	AUTO_STR struct str elapsed = STR_INIT;
	page_add(p, BLOCK_HEADING, "Where the numbers come from");
	add_method_text(v, p);
	struct table *t = page_table(p, "ll", "what\twhich");
	add_row(t, "forge", s->forge_version);
	add_row(t, "run made", s->created);
	AUTO_FREE char *events = xasprintf("%llu events, the last of %s",
					   (unsigned long long)s->nr_events, or_dash(s->last_wall));
	add_row(t, "events up to this report", events);
	text_seconds(s->elapsed_s, &elapsed);
	table_add(t, "working time");
	table_addf(t, "%s in %u session%s, %llu events", elapsed.text, s->nr_sessions,
		   s->nr_sessions == 1 ? "" : "s", (unsigned long long)s->nr_events);
	add_machine(t, v);
	add_head(t, v);
	add_timing(t, v);
	add_build(t, v, "reference", "reference built by");
	add_build(t, v, "candidate", "kernel built by");
	add_judge(t, &s->judge);
	add_agent(t, "teacher", s->teacher, &s->teacher_agent);
	add_agent(t, "student", s->student, &s->student_agent);
	add_usage(t, "teacher used", &s->teacher_usage);
	add_usage(t, "student used", &s->student_usage);
	add_hashes(t, v);
	add_notes(v, p);
}

static void add_monitor_row(struct table *t, const json_t *row)
{
	struct verdict verdict = { 0 };
	struct err ignored = { 0 };
	const json_t *verdict_obj = json_object_get(row, "verdict");
	AUTO_STR struct str what = STR_INIT;
	bool is_judged =
		verdict_obj && verdict_from_json(verdict_obj, "monitor", &verdict, &ignored) == 0;
	text_words(json_text_or(row, "what", "-"), &what);
	table_add(t, what.text);
	table_addf(t, "%s / %s", json_text_or(row, "shape", "-"), json_text_or(row, "group", "-"));
	table_add(t, is_judged ? reason_name(verdict.reason) : "-");
	table_addf(t, "%.2e", json_real_or(row, "max_err", 0));
	table_addf(t, "%.2e", json_real_or(row, "tolerance", 0));
	table_add(t, json_text_or(row, "unjudged", verdict.detail));
}

void section_monitor(const struct view *v, struct page *p)
{
	const json_t *monitor = v->state.confirm.monitor;
	if (!json_array_size(monitor))
		return;
	page_add(p, BLOCK_HEADING, "Correctness monitor");
	page_add(p, BLOCK_TEXT,
		 "Seeds and inputs beyond the task's own groups, tried on the best kernel. "
		 "Recorded, not judged: the tolerances were calibrated without them.");
	struct table *t = page_table(p, "lllrrl", "input\tcase\tobserved\terror\ttolerance\twhere");
	for (size_t i = 0; i < json_array_size(monitor); i++)
		add_monitor_row(t, json_array_get(monitor, i));
}

static void add_round_commands(const struct view *v, struct page *p)
{
	AUTO_STR struct str text = STR_INIT;
	for (size_t i = 0; i < v->state.nr_rounds; i++) {
		const struct state_round *r = &v->state.rounds[i];
		if (!r->source)
			continue;
		AUTO_FREE char *kernel = rundir_round(v->named, r->number, "kernel.c");
		if (r->outcome == ROUND_ROLLED_BACK)
			str_addf(&text, "forge judge %s %s\n", v->named, kernel);
		else
			str_addf(&text, "forge time -k %u %s %s/%s %s\n",
				 state_round_estimate(r)->replicates
					 ? state_round_estimate(r)->replicates
					 : 2,
				 v->named, v->named, rundir_name(RUNDIR_REFERENCE_SOURCE), kernel);
	}
	if (!text.len)
		return;
	text.text[--text.len] = 0;
	page_add(p, BLOCK_TEXT, "Each round's verdict or speed-up:");
	page_add(p, BLOCK_CODE, "%s", text.text);
}

void section_reproduce(const struct view *v, struct page *p)
{
	const char *dir = v->named;
	page_add(p, BLOCK_HEADING, "Measure it again");
	page_add(p, BLOCK_TEXT,
		 "The commands use the frozen task and judge of this run. Numbers differ within "
		 "their intervals; another machine is another comparison.");
	if (v->head)
		page_add(p, BLOCK_CODE,
			 "# the headline and the table per shape\n"
			 "forge time -k %u --held-out %s %s/%s %s/%s\n"
			 "# is the best kernel correct?\n"
			 "forge judge %s %s/%s",
			 v->head->replicates, dir, dir, rundir_name(RUNDIR_REFERENCE_SOURCE), dir,
			 rundir_name(RUNDIR_BEST_KERNEL), dir, dir,
			 rundir_name(RUNDIR_BEST_KERNEL));
	page_add(p, BLOCK_CODE,
		 "# the reference against itself: the noise floor\n"
		 "forge time -k 8 %s %s/%s %s/%s\n"
		 "# the log behind this report, verified\n"
		 "forge log %s\n"
		 "# this report\n"
		 "forge report %s",
		 dir, dir, rundir_name(RUNDIR_REFERENCE_SOURCE), dir,
		 rundir_name(RUNDIR_REFERENCE_SOURCE), dir, dir);
	add_round_commands(v, p);
}
