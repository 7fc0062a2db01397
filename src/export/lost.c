#include "export/lost.h"

#include <jansson.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/version.h"
#include "engine/frozen.h"
#include "export/export.h"
#include "export/dest.h"
#include "export/kernels_page.h"
#include "export/report_copy.h"
#include "export/shipment.h"
#include "store/fold.h"
#include "store/rundir.h"

enum { OUTCOME_VERSION = 1 };

struct outcome {
	const char *run;
	struct run_state state;
};

static void outcome_release(struct outcome *o)
{
	run_state_release(&o->state);
}
#define AUTO_OUTCOME __attribute__((cleanup(outcome_release)))

int lost_check(const char *run, struct err *e)
{
	AUTO_RUN_STATE struct run_state s = { 0 };
	if (!rundir_is_run(run))
		return 0;
	if (run_state_load(&s, run, e) < 0)
		return -1;
	return s.is_ended && !(s.confirm.is_done && s.confirm.is_confirmed);
}

/* The correct kernel that came farthest; NULL: none was correct. */
static const struct state_round *farthest(const struct run_state *s)
{
	const struct state_round *best = NULL;
	for (size_t i = 0; i < s->nr_rounds; i++) {
		const struct state_round *r = &s->rounds[i];
		const struct state_estimate *est = state_round_estimate(r);
		if (r->verdict.state != VERDICT_PASS || !est->call)
			continue;
		if (!best || est->speedup > state_round_estimate(best)->speedup)
			best = r;
	}
	return best;
}

static const char *reason_of(const struct run_state *s)
{
	const char *why =
		s->confirm.is_done && s->confirm.has_best ? s->confirm.text : s->end_reason;
	return why ? why : "no reason was recorded";
}

static json_t *outcome_json(const struct outcome *o)
{
	const struct run_state *s = &o->state;
	const struct state_round *r = farthest(s);
	json_t *best = r ? json_pack("{s:i, s:s, s:s, s:o}", "round", (int)r->number, "decision",
				     r->decision ? r->decision : "", "source", r->source,
				     "estimate", state_estimate_to_json(state_round_estimate(r)))
			 : json_null();
	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:O, s:i, s:o}", "version",
			 OUTCOME_VERSION, "forge", FORGE_VERSION, "task", s->task_name, "language",
			 s->language ? s->language : "c", "reason", reason_of(s), "date",
			 s->last_wall, "machine", s->machine_doc ? s->machine_doc : json_null(),
			 "rounds", (int)s->nr_rounds, "best", best);
}

/* The farthest kernel, as its round recorded it. */
static int put_kernel(const struct outcome *o, const char *dir, struct err *e)
{
	const struct state_round *r = farthest(&o->state);
	struct digest now;
	if (!r)
		return 0;
	AUTO_FREE char *path = rundir_round(o->run, r->number, "kernel.c");
	if (digest_file(path, &now, e) < 0)
		return -1;
	if (!str_equal(now.hex, r->source))
		return err_set(e, ERR_CONFLICT, "%s: changed after it was measured", path);
	return dest_put(path, dir, "kernel.c", e);
}

static int fill(const void *ctx, const char *dir, struct err *e)
{
	const struct outcome *o = ctx;
	AUTO_FREE char *task = rundir_path(o->run, RUNDIR_TASK);
	AUTO_FREE char *task_to = path_join(dir, "task");
	AUTO_FREE char *report = rundir_path(o->run, RUNDIR_REPORT_MD);
	AUTO_FREE char *path = path_join(dir, "outcome.json");
	AUTO_JSON json_t *json = outcome_json(o);
	if (!json)
		BUG("an outcome can not be told");
	if (tree_copy(task, task_to, e) < 0 || put_kernel(o, dir, e) < 0)
		return -1;
	if (file_exists(report) && report_copy(o->run, dir, e) < 0)
		return -1;
	return json_write_file(path, json, e);
}

int lost_write(const struct export_spec *spec, struct strv *made, struct err *e)
{
	AUTO_OUTCOME struct outcome o = { .run = spec->from };
	const char *root = spec->to ? spec->to : KERNELS_DIR;
	if (run_state_load(&o.state, o.run, e) < 0 || frozen_verify(o.run, &o.state.judge, e) < 0)
		return -1;
	AUTO_FREE char *place =
		kernels_place(root, o.state.language, o.state.machine_doc, o.state.task_name);
	AUTO_FREE char *claim = path_join(place, "evidence.json");
	if (file_exists(claim))
		return err_set(
			e, ERR_CONFLICT,
			"%s: a released kernel stands there, which a run without one does not "
			"replace",
			place);
	if (dest_write(place, spec->is_replaced, fill, &o, e) < 0)
		return -1;
	strv_add(made, place);
	return kernels_page_write(root, made, e);
}
