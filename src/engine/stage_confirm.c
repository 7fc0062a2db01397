#include "engine/engine_in.h"

/* Stage 6: kernels that are faster together get their dispatch kernel; then the best is measured
 * afresh by K=16 on all shapes, held-out ones included, with the correctness monitor. Choosing the
 * best of many flatters it; this trial had no part in the choice. It also holds every shape by
 * itself: a geometric mean hides the one that got slower. A best that does not stand makes room for
 * the one before it, a few times; one that turns out wrong also for kernels that were only
 * screened, of which this trial asks more than the decision they did not get. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/best.h"
#include "engine/custody.h"
#include "engine/dispatch.h"
#include "engine/jobs.h"
#include "engine/pairing.h"
#include "model/result.h"

enum { MAX_CONFIRMATIONS = 3 };

struct trial {
	unsigned round;
	struct result result;
	struct state_estimate est;
	struct arena arena;
	struct str mismatch; /* why its bytes are not those that were promoted; empty: they are */
	struct strv lost;    /* shapes that lose more than the task allows */
};

static void trial_release(struct trial *t)
{
	result_release(&t->result);
	arena_release(&t->arena);
	str_release(&t->mismatch);
	strv_release(&t->lost);
}

static bool is_confirmed(const struct trial *t)
{
	return t->result.verdict.state == VERDICT_PASS && !t->mismatch.len && !t->lost.nr &&
	       estimate_is(&t->est, "faster");
}

static int confirm_one(struct engine *g, struct trial *t, struct err *e)
{
	AUTO_FREE char *source = rundir_round(g->run_dir, t->round, "kernel.c");
	AUTO_FREE char *id = xasprintf("confirm-r%04u", t->round);
	const struct job_spec job = { .id = id,
				      .purpose = "confirm",
				      .kind = JOB_TIME,
				      .candidate = source,
				      .replicates = CONFIRM_REPLICATES,
				      .held_out = true,
				      .with_monitor = true,
				      .with_profile = true,
				      .with_origin = g->task.leaderboard != NULL };
	if (job_run(g, &job, &t->result, e) < 0)
		return -1;
	if (t->result.verdict.state != VERDICT_PASS)
		return 0;
	const struct custody_spec custody = { .round = t->round, .job = id };
	if (custody_check(g, &custody, &t->mismatch, e) < 0)
		return -1;
	const struct pairing_spec pairing = { .result = &t->result,
					      .purpose = "confirm",
					      .comparator = "the reference" };
	if (pairing_estimate(&pairing, &t->arena, &t->est, e) < 0)
		return -1;
	pairing_lost_shapes(&t->est, g->task.shape_loss, &t->lost);
	return 0;
}

static void describe_unconfirmed(const struct engine *g, const struct trial *t, struct str *text)
{
	AUTO_FREE char *names = strv_join(&t->lost, ", ");
	str_addf(text, "the kernel of round %u was not confirmed: %.3fx [%.3f, %.3f] is %s",
		 t->round, t->est.speedup, t->est.low, t->est.high, t->est.call);
	if (!t->lost.nr)
		return;
	str_addf(text, "; it loses at %s by more than ", names);
	if (g->task.shape_loss > 0)
		str_addf(text, "the %.4g %% that the task allows", 100 * g->task.shape_loss);
	else
		str_add(text, "the noise floor");
}

static void describe(const struct engine *g, const struct trial *t, bool is_met, struct str *text)
{
	char line[512];
	if (t->result.verdict.state != VERDICT_PASS) {
		verdict_print(&t->result.verdict, line, sizeof(line));
		str_addf(text, "the kernel of round %u did not stand: %s", t->round, line);
		return;
	}
	if (t->mismatch.len) {
		str_addf(text, "the kernel of round %u was not confirmed: %s", t->round,
			 t->mismatch.text);
		return;
	}
	if (!is_confirmed(t)) {
		describe_unconfirmed(g, t, text);
		return;
	}
	double ratio = g->state.reference.ratio;
	str_addf(text, "%.3fx [%.3f, %.3f] confirmed, goal %.4gx %s", t->est.speedup, t->est.low,
		 t->est.high, ratio, is_met ? "met" : "not met");
	if (is_met && t->est.low < ratio)
		str_add(text, " (the interval reaches below the goal)");
}

static int record(struct engine *g, const struct trial *t, struct err *e)
{
	bool is_met = is_confirmed(t) && t->est.speedup >= g->state.reference.ratio;
	AUTO_STR struct str text = STR_INIT;
	describe(g, t, is_met, &text);
	json_t *monitor = json_deep_copy(json_object_get(t->result.doc, "monitor"));
	json_t *origin = json_deep_copy(json_object_get(t->result.doc, "origin"));
	json_t *est = t->est.call ? state_estimate_to_json(&t->est) : NULL;
	json_t *lost = NULL;
	for (size_t i = 0; i < t->lost.nr; i++) {
		lost = lost ? lost : json_array();
		json_array_append_new(lost, json_string(t->lost.items[i]));
	}
	return engine_event(g, EVENT_confirm_done, e,
			    "{s:b, s:b, s:b, s:i, s:s, s:s, s:o, s:o*, s:o*, s:o*, s:o*}",
			    "has_best", true, "confirmed", is_confirmed(t), "goal_met", is_met,
			    "round", (int)t->round, "job", t->result.job_id, "text", text.text,
			    "verdict", verdict_to_json(&t->result.verdict), "estimate", est,
			    "monitor", monitor, "origin", origin, "lost", lost);
}

static int record_none(struct engine *g, struct err *e)
{
	AUTO_FREE char *text = xasprintf("no candidate was faster than the reference (%s)",
					 g->state.loop_end ? g->state.loop_end : "");
	return engine_event(g, EVENT_confirm_done, e, "{s:b, s:b, s:b, s:i, s:s}", "has_best",
			    false, "confirmed", false, "goal_met", false, "round", 0, "text", text);
}

struct tried {
	unsigned rounds[MAX_CONFIRMATIONS];
	size_t nr;
	bool was_wrong; /* the last one was, or was not what had been promoted */
};

/* The same source is not tried twice. */
static bool was_tried(const struct run_state *s, const struct tried *tried,
		      const struct state_round *r)
{
	for (size_t i = 0; i < tried->nr; i++)
		if (str_equal(run_state_round(s, tried->rounds[i])->source, r->source))
			return true;
	return false;
}

static bool may_be_tried(const struct tried *tried, const struct state_round *r)
{
	if (r->outcome != ROUND_KEPT)
		return false;
	bool is_screened_only = !r->decide.call && estimate_is(&r->screen, "faster");
	return r->is_best || (tried->was_wrong && is_screened_only);
}

/* The fastest that is left: first the best, since bests only ever get faster. 0: none. */
static unsigned next_to_try(const struct run_state *s, const struct tried *tried)
{
	const struct state_round *next = NULL;
	for (size_t i = 0; tried->nr < MAX_CONFIRMATIONS && i < s->nr_rounds; i++) {
		const struct state_round *r = &s->rounds[i];
		if (may_be_tried(tried, r) && !was_tried(s, tried, r) &&
		    (!next ||
		     state_round_estimate(r)->speedup > state_round_estimate(next)->speedup))
			next = r;
	}
	return next ? next->number : 0;
}

static int conclude(struct engine *g, const struct trial *t, bool is_last, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	if (is_confirmed(t) || is_last)
		return record(g, t, e);
	describe(g, t, false, &text);
	return engine_warn_once(g, e, "%s; another kernel is tried", text.text);
}

static int try_one(struct engine *g, unsigned round, struct tried *tried, struct err *e)
{
	struct trial t = { .round = round, .mismatch = STR_INIT };
	int rc = confirm_one(g, &t, e);
	tried->rounds[tried->nr++] = round;
	tried->was_wrong = t.result.verdict.state != VERDICT_PASS || t.mismatch.len > 0;
	if (rc == 0)
		rc = conclude(g, &t, !next_to_try(&g->state, tried), e);
	trial_release(&t);
	return rc;
}

static int confirm(struct engine *g, struct err *e)
{
	struct tried tried = { .nr = 0 };
	while (!g->state.confirm.is_done) {
		unsigned round = next_to_try(&g->state, &tried);
		if (!round)
			return record_none(g, e);
		if (try_one(g, round, &tried, e) < 0)
			return -1;
	}
	return 0;
}

int stage_confirm(struct engine *g, struct err *e)
{
	if (dispatch_go(g, e) < 0 || confirm(g, e) < 0)
		return -1;
	return best_write(g, e);
}
