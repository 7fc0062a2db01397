#include "engine/engine_in.h"

/* Stage 1. The copy was made by forge new; here the machine that will measure is recorded, with
 * what it lacks. A lack is an event and a line in the report, never silent; a grave one ends the
 * run here unless the user accepted it by name. */

#include <stdlib.h>

#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/on_host.h"
#include "host/host.h"
#include "sys/sandbox.h"

static int note_machine(struct engine *g, const json_t *doc, struct err *e)
{
	const char *model = json_text_or(doc, "cpu", "unknown CPU");
	const char *kernel = json_text_or(doc, "kernel", "unknown");
	AUTO_FREE char *cores =
		xasprintf("%lld cores usable", (long long)json_int_or(doc, "cores", 0));
	const struct host_ops *ops = g->host.ops;
	AUTO_FREE char *linux_line = xasprintf(
		"Linux %s%s%s", kernel, ops ? ", jobs go there by " : "", ops ? ops->name : "");
	return engine_event(g, EVENT_machine_noted, e, "{s:s, s:[s, s, s], s:O}", "name", model,
			    "lines", model, cores, linux_line, "doc", doc);
}

static bool is_lack_noted(const struct engine *g, const char *mechanism)
{
	for (size_t i = 0; i < g->state.nr_lacks; i++)
		if (str_equal(g->state.lacks[i].mechanism, mechanism))
			return true;
	return false;
}

static bool is_accepted(const struct engine *g, const char *name)
{
	AUTO_STRV struct strv names = { 0 };
	strv_split(&names, g->host.accepted ? g->host.accepted : "", ",");
	return strv_has(&names, name);
}

/* One thing that the machine lacks. */
struct lack {
	const char *mechanism;
	const char *cost;
	bool is_grave; /* a run needs the user's word for it (docs/decision/0011) */
};

static int note_lack(struct engine *g, const struct lack *l, struct err *e)
{
	AUTO_FREE char *name = sandbox_lack_name(l->mechanism);
	if (is_lack_noted(g, l->mechanism))
		return 0;
	return engine_event(g, EVENT_machine_lack, e, "{s:s, s:s, s:s*}", "mechanism", l->mechanism,
			    "cost", l->cost, "accepted", is_accepted(g, name) ? name : NULL);
}

static bool needs_agent_box(const char *driver)
{
	const struct agent_ops *ops = agent_driver(driver);
	return ops && ops->runs_in_box;
}

/* A candidate in Python runs among the machine's files: without Landlock nothing keeps it from
 * them. */
static bool is_grave(const struct engine *g, const json_t *row)
{
	const bool is_python = str_equal(g->task.language, "python");
	const char *mechanism = json_text_or(row, "mechanism", "?");
	return json_bool_or(row, "grave", false) || (is_python && str_equal(mechanism, "landlock"));
}

/* The machine's lacks; `lacks` has room for what the probe lists and one more. Their texts belong
 * to the probe's answer. */
static size_t list_lacks(const struct engine *g, const json_t *probed, struct lack *lacks)
{
	size_t nr = 0;
	for (size_t i = 0; i < json_array_size(probed); i++) {
		const json_t *row = json_array_get(probed, i);
		if (!json_bool_or(row, "available", true))
			lacks[nr++] =
				(struct lack){ json_text_or(row, "mechanism", "?"),
					       json_text_or(row, "cost", ""), is_grave(g, row) };
	}
	if (!agent_sandbox_works())
		lacks[nr++] = (struct lack){
			"agent sandbox",
			"agents run without bwrap: only their manners keep them to their workspace",
			needs_agent_box(g->task.teacher) || needs_agent_box(g->task.student),
		};
	return nr;
}

/* All that is refused at once, so that the user need not come back for each; the command that cures
 * it names what was accepted already too. */
static int refuse_unless_accepted(const struct engine *g, const struct lack *lacks, size_t nr,
				  struct err *e)
{
	AUTO_STR struct str what = STR_INIT;
	AUTO_STR struct str names = STR_INIT;
	for (size_t i = 0; i < nr; i++) {
		AUTO_FREE char *name = sandbox_lack_name(lacks[i].mechanism);
		if (!lacks[i].is_grave || is_lack_noted(g, lacks[i].mechanism))
			continue;
		str_addf(&names, "%s%s", names.len ? "," : "", name);
		if (!is_accepted(g, name))
			str_addf(&what, "%s%s (%s)", what.len ? ", " : "", lacks[i].mechanism,
				 lacks[i].cost);
	}
	if (!what.len)
		return 0;
	return err_set(e, ERR_INPUT,
		       "this machine lacks %s; if that is acceptable for this run: forge run "
		       "--accept %s %s",
		       what.text, names.text, g->run_dir);
}

static int note_lacks(struct engine *g, const json_t *probed, struct err *e)
{
	struct lack *lacks = xcalloc(json_array_size(probed) + 1, sizeof(*lacks));
	size_t nr = list_lacks(g, probed, lacks);
	int status = refuse_unless_accepted(g, lacks, nr, e);
	for (size_t i = 0; i < nr && status == 0; i++)
		status = note_lack(g, &lacks[i], e);
	free(lacks);
	return status;
}

static json_t *probe(struct engine *g, struct err *e)
{
	struct on_host h = {
		.host = &g->host, .hooks = &g->hooks, .state = &g->state, .asker = g->run_dir
	};
	json_t *doc = on_host_probe(&h, e);
	if (!doc && h.is_stopped)
		engine_stop(g, e);
	return doc;
}

static bool is_same_member(const json_t *a, const json_t *b, const char *key)
{
	return json_equal(json_object_get(a, key), json_object_get(b, key));
}

int freeze_check_machine(struct engine *g, struct err *e)
{
	if (!g->state.machine_doc || g->state.confirm.is_done)
		return 0;
	/* A queue gives each job a machine, and each result tells which (engine/jobs.c). */
	if (g->host.ops && g->host.ops->keeps_jobs)
		return 0;
	AUTO_JSON json_t *now = probe(g, e);
	const json_t *then = g->state.machine_doc;
	if (!now)
		return -1;
	if (is_same_member(now, then, "cpu") && is_same_member(now, then, "kernel") &&
	    is_same_member(now, then, "cores"))
		return 0;
	return engine_warn_once(
		g, e,
		"the machine changed while the run was paused (%s, now %s): numbers "
		"from before and after may not be compared",
		g->state.machine_name, json_text_or(now, "cpu", "unknown"));
}

int stage_freeze(struct engine *g, struct err *e)
{
	if (!g->state.machine_name) {
		AUTO_JSON json_t *doc = probe(g, e);
		if (!doc || note_machine(g, doc, e) < 0)
			return -1;
	}
	return note_lacks(g, json_object_get(g->state.machine_doc, "sandbox"), e);
}
