#include "engine/engine_in.h"

/* Stage 1. The copy was made by forge new; here the machine that will measure is recorded, with
 * what it lacks. A lack is an event and a line in the report, never silent. */

#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/on_host.h"

static int note_machine(struct engine *g, const json_t *doc, struct err *e)
{
	const char *model = json_text_or(doc, "cpu", "unknown CPU");
	const char *kernel = json_text_or(doc, "kernel", "unknown");
	AUTO_FREE char *cores =
		xasprintf("%lld cores usable", (long long)json_int_or(doc, "cores", 0));
	AUTO_FREE char *linux_line = xasprintf("Linux %s", kernel);
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

static int note_lack(struct engine *g, const char *mechanism, const char *cost, struct err *e)
{
	if (is_lack_noted(g, mechanism))
		return 0;
	return engine_event(g, EVENT_machine_lack, e, "{s:s, s:s}", "mechanism", mechanism, "cost",
			    cost);
}

static int note_sandbox_lacks(struct engine *g, const json_t *doc, struct err *e)
{
	const json_t *lacks = json_object_get(doc, "sandbox");
	for (size_t i = 0; i < json_array_size(lacks); i++) {
		const json_t *lack = json_array_get(lacks, i);
		if (json_bool_or(lack, "available", true))
			continue;
		if (note_lack(g, json_text_or(lack, "mechanism", "?"),
			      json_text_or(lack, "cost", ""), e) < 0)
			return -1;
	}
	return 0;
}

static bool is_same_member(const json_t *a, const json_t *b, const char *key)
{
	return json_equal(json_object_get(a, key), json_object_get(b, key));
}

int freeze_check_machine(struct engine *g, struct err *e)
{
	if (!g->state.machine_doc || g->state.confirm.is_done)
		return 0;
	const struct on_host h = { .host = &g->host, .hooks = &g->hooks };
	AUTO_JSON json_t *now = on_host_probe(&h, e);
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
		const struct on_host h = { .host = &g->host, .hooks = &g->hooks };
		AUTO_JSON json_t *doc = on_host_probe(&h, e);
		if (!doc || note_machine(g, doc, e) < 0)
			return -1;
	}
	if (note_sandbox_lacks(g, g->state.machine_doc, e) < 0)
		return -1;
	if (agent_sandbox_works())
		return 0;
	return note_lack(
		g, "agent sandbox",
		"agents run without bwrap: only their manners keep them to their workspace", e);
}
