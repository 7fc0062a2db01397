#include "worker/gpu_profile.h"

/*
 * A kernel is replayed by ncu, pass after pass, until all metrics are read, and its launches are
 * serialised: so nothing here is a time of the trial, and the sample's hold, on which the host and
 * the device wait for each other, would never end. The request `play` leaves it out and marks the
 * program for the profiler; the library's own kernels lie outside of the marks.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/ncu_tool.h"
#include "model/ncu.h"
#include "sys/proc.h"
#include "worker/cases.h"
#include "worker/gpu_bench.h"
#include "worker/gpu_python.h"
#include "worker/outcome.h"
#include "worker/profile.h"

enum { LOG_BYTES = 16 << 20 };
/* Some dozens of passes of every kernel, and ncu's own start and end. */
#define PLAY_NS (120 * NS_PER_S)
/* To load PyTorch under ncu takes some 10 s. So much a job spends on a candidate when it decides,
 * and on the reference, which is the same in all of them, where it is confirmed or timed alone. */
enum { MODULE_REPLICATES = 8, MODULE_REFERENCE_REPLICATES = 16 };
#define RECORD_NS (2 * NS_PER_S)
#define END_NS (60 * NS_PER_S)
#define GRACE_NS NS_PER_S

struct counting {
	struct worker *w;
	const struct shape_cases *shape;
	enum party party;
	const char *ncu;
	const char *log;
	struct str said;
};

/* What is told about both parties: profile.ncu. */
static json_t *told(struct worker *w)
{
	json_t *profile = json_object_get(w->result.doc, "profile");
	if (!profile) {
		profile = json_object();
		worker_record(w, "profile", profile);
	}
	json_t *obj = json_object_get(profile, "ncu");
	if (!obj) {
		obj = json_object();
		json_object_set_new(profile, "ncu", obj);
	}
	return obj;
}

static void tell_trouble(struct worker *w, const char *name, const char *text)
{
	json_t *obj = told(w);
	json_object_set_new(obj, "trouble", json_string(name));
	json_object_set_new(obj, "text", json_string(text));
	worker_note(w, "no counters of the GPU: %s", text);
}

static const struct shape_cases *largest_shape(const struct cases *c)
{
	const struct shape_cases *best = &c->shapes[0];
	for (size_t i = 1; i < c->nr; i++)
		if (!c->shapes[i].shape->held_out &&
		    c->shapes[i].fp.tensor_bytes > best->fp.tensor_bytes)
			best = &c->shapes[i];
	return best;
}

/* --- one party --- */

/* An enum outcome, or -1. */
static int prepare(struct counting *n, const struct gpu_side_spec *side,
		   const struct content *content, struct verdict *v, struct err *e)
{
	struct worker *w = n->w;
	bool has_contents = false;
	struct gpu_recorded recorded = { .nr = 0 };
	const struct gpu_shape_spec shape = {
		.fp = side->fp, .sets = 1, .contents = 1, .seed = w->job.seed
	};
	const struct gpu_binding binding = { &recorded, 0, 1 };
	if (gpu_side_load(w, side->device, n->party, side->slot, e) < 0 ||
	    gpu_shape_put(w, side->device, &shape, &has_contents, e) < 0 ||
	    gpu_content_put(w, side->device, content, 0, e) < 0)
		return -1;
	int rc = gpu_side_record(w, side, &recorded, v, e);
	if (rc == OUTCOME_DONE)
		rc = gpu_side_bind(w, side, &binding, v, e);
	gpu_recorded_release(&recorded);
	return rc;
}

static int play(struct counting *n, struct gpu_device *d, const struct content *content,
		struct err *e)
{
	struct verdict v = { 0 };
	const struct gpu_side_spec side = { .party = n->party,
					    .device = d,
					    .slot = party_name(n->party),
					    .fp = &n->shape->fp,
					    .call_deadline_ns = RECORD_NS };
	int rc = prepare(n, &side, content, &v, e);
	if (rc == OUTCOME_DONE)
		rc = gpu_device_ask(d, n->w, &v, e,
				    "play slot=%s first=0 contents=0 poison=%llx key=0 cold=0 "
				    "deadline_ms=%llu",
				    side.slot, (unsigned long long)gpu_poison(n->w->job.seed),
				    (unsigned long long)(PLAY_NS / NS_PER_MS));
	if (rc == OUTCOME_VERDICT)
		return err_set(e, ERR_CHILD, "%s: %s", reason_name(v.reason), v.detail);
	return rc;
}

/* ncu writes its table when the process has ended. */
static void end(struct gpu_device *d)
{
	struct err ignored = { 0 };
	struct proc_result r = { 0 };
	if (!d->is_lost)
		child_write_line(d->child, "quit", GRACE_NS, &ignored);
	child_close_stdin(d->child);
	child_wait(d->child, END_NS, &r);
}

static int run_under_ncu(struct counting *n, const struct content *content, struct err *e)
{
	AUTO_STRV struct strv prefix = { 0 };
	AUTO_GPU_DEVICE struct gpu_device *d = NULL;
	const bool is_module = gpu_python_is(n->w, n->party);
	const struct ncu_call call = { .path = n->ncu,
				       .log = n->log,
				       .is_cold = n->w->job.is_cold };
	ncu_tool_command(&call, &prefix);
	if (is_module && n->party == PARTY_CANDIDATE)
		worker_note(n->w, "counters of the candidate, a module, were taken outside of its "
				  "box, which a profiler can not live in");
	if (gpu_device_start_under(&d, n->w, &prefix, is_module, e) < 0)
		return -1;
	int rc = play(n, d, content, e);
	end(d);
	str_add(&n->said, child_stderr(d->child));
	return rc;
}

/* --- what came of it --- */

static void set_facts(struct worker *w, enum party p, json_t *facts)
{
	const char *name = NULL;
	json_t *value = NULL;
	json_object_foreach(facts, name, value)
	{
		if (json_is_number(value))
			profile_set(w, p, name, json_number_value(value));
	}
	const double ns = json_real_or(facts, "ncu_kernel_ns", 0);
	const double moved = json_real_or(facts, "ncu_dram_read_bytes", 0) +
			     json_real_or(facts, "ncu_dram_write_bytes", 0);
	if (ns > 0 && moved > 0)
		profile_set(w, p, "ncu_dram_gbytes_per_s", moved / ns);
	const json_t *missing = json_object_get(facts, "ncu_missing");
	if (json_array_size(missing))
		json_object_set_new(told(w), "missing", json_deep_copy(missing));
}

/* What ncu complains about explains more than what came of it. */
static void tell_failure(struct worker *w, const struct gpu_counted *c, const char *all,
			 const struct err *table)
{
	AUTO_STR struct str text = STR_INIT;
	const char *name = ncu_tool_trouble(all);
	str_addf(&text, "%s: ", party_name(c->party));
	if (!str_equal(name, "unknown") || strstr(all, "==ERROR=="))
		ncu_tool_explain(all, &text);
	else
		str_add(&text, *c->why ? c->why : table->text);
	tell_trouble(w, name, text.text);
}

/* Whatever happened: a table that can be read counts. */
bool gpu_profile_take(struct worker *w, const struct gpu_counted *c)
{
	struct err table = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_JSON json_t *facts = json_object();
	bool is_read = file_read(c->log, LOG_BYTES, &text, &table) == 0;
	if (is_read && ncu_parse(text.text, facts, &table) == 0) {
		set_facts(w, c->party, facts);
		return true;
	}
	str_add(&text, c->said);
	tell_failure(w, c, text.text, &table);
	return false;
}

static bool count_party(struct counting *n, const struct content *content)
{
	AUTO_FREE char *log = xasprintf("%s/log/ncu-%s.csv", n->w->bundle, party_name(n->party));
	AUTO_FREE char *dir = path_dir(log);
	struct err why = { 0 };
	str_init(&n->said);
	n->log = log;
	unlink(log);
	if (dir_make(dir, &why) == 0 && gpu_bench_hold(n->w, &why) == 0) {
		run_under_ncu(n, content, &why);
		gpu_bench_let_go(n->w);
	}
	const struct gpu_counted counted = { n->party, log, n->said.text, why.text };
	bool is_taken = gpu_profile_take(n->w, &counted);
	str_release(&n->said);
	return is_taken;
}

/* --- both --- */

/* The program and its version; NULL with a trouble told. */
static char *find_ncu(struct worker *w)
{
	struct err why = { 0 };
	AUTO_STR struct str version = STR_INIT;
	AUTO_FREE char *path = ncu_tool_find(&why);
	if (!path) {
		tell_trouble(w, "no_ncu", why.text);
		return NULL;
	}
	int rc = ncu_tool_version(path, &version, &why);
	json_object_set_new(told(w), "version", json_string(version.text));
	if (rc == 0)
		return take_ptr(&path);
	tell_trouble(w, "version", why.text);
	return NULL;
}

const char *gpu_profile_left_out(const struct worker *w, enum party p)
{
	const bool is_alone = !gpu_python_is_apart(w) && gpu_python_is(w, PARTY_CANDIDATE);
	if (!gpu_python_is(w, p))
		return NULL;
	if (is_alone && p == PARTY_CANDIDATE)
		return "the candidate is the reference";
	if (p == PARTY_REFERENCE && !is_alone && w->job.replicates < MODULE_REFERENCE_REPLICATES)
		return "a reference in Python is played where it is confirmed or timed alone";
	if (p == PARTY_CANDIDATE && !getenv("FORGE_NCU_UNBOXED"))
		return "a candidate in Python would run beside the profiler without its box; "
		       "FORGE_NCU_UNBOXED=1 on the worker's machine allows that";
	return w->job.replicates < MODULE_REPLICATES ? "a module is played in jobs that decide"
						     : NULL;
}

static void tell_left_out(struct worker *w, enum party p, const char *why)
{
	json_t *list = json_object_get(told(w), "left_out");
	if (!list) {
		list = json_array();
		json_object_set_new(told(w), "left_out", list);
	}
	AUTO_FREE char *text = xasprintf("%s: %s", party_name(p), why);
	json_array_append_new(list, json_string(text));
}

static bool play_party(struct counting *n, const struct content *content)
{
	const char *why = gpu_profile_left_out(n->w, n->party);
	if (!why)
		return count_party(n, content);
	tell_left_out(n->w, n->party, why);
	return true;
}

void gpu_profile_run(struct worker *w, const struct cases *c)
{
	AUTO_SPEND(w, prepare_ns);
	struct err why = { 0 };
	AUTO_FREE char *ncu = c->nr ? find_ncu(w) : NULL;
	if (!ncu)
		return;
	const struct shape_cases *s = largest_shape(c);
	struct content content;
	json_object_set_new(told(w), "shape", json_string(s->shape->name));
	bool goes_on =
		content_fill(&content, w, &s->fp, &s->shape->groups[0], w->job.seed, &why) == 0;
	if (!goes_on)
		tell_trouble(w, "inputs", why.text);
	for (unsigned p = 0; p < GPU_PARTIES && goes_on; p++) {
		struct counting n = { .w = w, .shape = s, .party = (enum party)p, .ncu = ncu };
		goes_on = play_party(&n, &content);
	}
	content_release(&content);
}
