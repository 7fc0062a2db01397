#include "engine/round.h"

/* The rules (DESIGN.md 6 and 8): a wrong candidate is rolled back, a correct one stays even when it
 * is slower. K=2 screens; what is not clearly slower than the best is decided by K=8, and becomes
 * the best when it is FASTER than the reference and its median is above the old best's. A source
 * that was measured before takes its numbers from then: drawing again until luck comes is how noise
 * gets promoted. */

#include "base/digest.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/best.h"
#include "engine/control.h"
#include "engine/course.h"
#include "engine/custody.h"
#include "engine/diff.h"
#include "engine/engine_in.h"
#include "engine/jobs.h"
#include "engine/pairing.h"
#include "engine/start.h"
#include "engine/turn_data.h"
#include "engine/turns.h"
#include "model/result.h"

enum { MAX_FAILED_JOBS = 3 };

/* A screen decides nothing; it only saves the decision where even its best replicate, widened by
 * this much, stays below the best. 1 % is the smallest effect the rule calls at all. */
#define SCREEN_MARGIN 1.01

static const struct state_round *round_at(const struct engine *g, unsigned number)
{
	return run_state_round(&g->state, number);
}

int round_start(struct engine *g, const struct course_row *row, struct err *e)
{
	const struct decision *d = row->d;
	const char *value = d->value ? d->value : d->range;
	bool is_replay = false;
	for (size_t i = 0; i < g->state.nr_rounds; i++)
		is_replay = is_replay || str_equal(g->state.rounds[i].decision, d->id);
	return engine_event(g, EVENT_round_started, e, "{s:i, s:s, s:s, s:s, s:s, s:I, s:i, s:b}",
			    "round", (int)g->state.nr_rounds + 1, "decision", d->id, "milestone",
			    row->m->id, "what", d->what, "value", value ? value : "", "curriculum",
			    (json_int_t)g->course_version, "base",
			    (int)course_base(&g->state, &g->course), "replay", is_replay);
}

static const struct milestone *milestone_of(const struct engine *g, const char *id)
{
	for (size_t i = 0; i < g->course.nr_milestones; i++)
		if (str_equal(g->course.milestones[i].id, id))
			return &g->course.milestones[i];
	return NULL;
}

static json_t *round_data(const struct engine *g, const struct state_round *r)
{
	AUTO_FREE char *base = r->base ? rundir_round(g->run_dir, r->base, "kernel.c") : NULL;
	AUTO_FREE char *reference = engine_path(g, RUNDIR_REFERENCE_SOURCE);
	const struct milestone *m = milestone_of(g, r->milestone);
	const struct decision *d = curriculum_find(&g->course, r->decision);
	if (!m || !d)
		BUG("round %u is about %s, which curriculum %ld does not have", r->number,
		    r->decision, g->course_version);
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "row", turn_data_row(m, d), "rows",
			 turn_data_accepted(g, g->state.nr_rounds, NULL), "base",
			 turn_data_source(base), "start",
			 turn_data_source(start_is_open(&g->task) ? reference : NULL), "feedback",
			 turn_data_feedback(g));
}

static int record_candidate(struct engine *g, unsigned number, const struct agent_answer *a,
			    struct err *e)
{
	AUTO_FREE char *path = rundir_round(g->run_dir, number, "kernel.c");
	AUTO_FREE char *dir = rundir_round(g->run_dir, number, NULL);
	size_t len = strlen(a->text);
	const struct digest digest = digest_bytes(a->text, len);
	if (dir_make(dir, e) < 0 || file_write(path, a->text, len, e) < 0)
		return -1;
	diff_write(g, number);
	return engine_event(g, EVENT_candidate_submitted, e, "{s:i, s:s, s:I, s:s*, s:s*, s:O*}",
			    "round", (int)number, "source", digest.hex, "bytes", (json_int_t)len,
			    "note", a->note, "value", a->value, "predicted", a->predicted);
}

static int ask_student(struct engine *g, unsigned number, struct err *e)
{
	AUTO_AGENT_ANSWER struct agent_answer answer = { 0 };
	AUTO_FREE char *purpose = xasprintf("round-%04u", number);
	bool is_goal = control_is_goal_only(g);
	const struct state_round *r = round_at(g, number);
	AUTO_JSON json_t *data = is_goal ? control_data(g, r) : round_data(g, r);
	const struct turn_spec turn = { .role = AGENT_STUDENT,
					.kind = is_goal ? TURN_GOAL : TURN_ROUND,
					.purpose = purpose,
					.data = data };
	if (turn_ask(g, &turn, &answer, e) < 0)
		return -1;
	if (answer.kind == ANSWER_SUBMIT)
		return record_candidate(g, number, &answer, e);
	return engine_event(g, EVENT_candidate_absent, e, "{s:i, s:s, s:s}", "round", (int)number,
			    "kind", answer_kind_name(answer.kind), "text", answer.text);
}

static int give_verdict(struct engine *g, unsigned number, const char *job, const struct verdict *v,
			struct err *e)
{
	return engine_event(g, EVENT_verdict_given, e, "{s:i, s:s, s:o}", "round", (int)number,
			    "job", job, "verdict", verdict_to_json(v));
}

static int give_estimate(struct engine *g, unsigned number, const struct state_estimate *est,
			 struct err *e)
{
	return engine_event(g, EVENT_trial_estimated, e, "{s:i, s:o}", "round", (int)number,
			    "estimate", state_estimate_to_json(est));
}

/* Verdict and, for a correct candidate, estimate of one job. The screen's verdict is given always;
 * a later job speaks up only when it finds the candidate wrong after all. */
static int measure(struct engine *g, unsigned number, const char *purpose, unsigned replicates,
		   struct err *e)
{
	AUTO_RESULT struct result result = { 0 };
	AUTO_ARENA struct arena scratch = { 0 };
	AUTO_FREE char *id = xasprintf("r%04u-%s", number, purpose);
	AUTO_FREE char *source = rundir_round(g->run_dir, number, "kernel.c");
	const struct job_spec job = { .id = id,
				      .purpose = purpose,
				      .round = number,
				      .kind = JOB_TIME,
				      .candidate = source,
				      .replicates = replicates,
				      .with_profile = true };
	if (job_run(g, &job, &result, e) < 0)
		return -1;
	bool is_pass = result.verdict.state == VERDICT_PASS;
	bool is_first = round_at(g, number)->verdict.state == VERDICT_NONE;
	if ((is_first || !is_pass) && give_verdict(g, number, id, &result.verdict, e) < 0)
		return -1;
	if (!is_pass)
		return 0;
	struct state_estimate est;
	const struct pairing_spec pairing = { .result = &result,
					      .purpose = purpose,
					      .comparator = "the reference" };
	if (pairing_estimate(&pairing, &scratch, &est, e) < 0)
		return -1;
	return give_estimate(g, number, &est, e);
}

/* An earlier closed round with the very same source. */
static const struct state_round *twin_of(const struct engine *g, const struct state_round *r)
{
	for (unsigned i = 1; i < r->number; i++) {
		const struct state_round *other = round_at(g, i);
		if (str_equal(other->source, r->source) && other->verdict.state != VERDICT_NONE)
			return other;
	}
	return NULL;
}

static int take_over(struct engine *g, unsigned number, unsigned twin, struct err *e)
{
	const struct state_round *r = round_at(g, number);
	const struct state_round *t = round_at(g, twin);
	const char *job = t->screen.job ? t->screen.job : "";
	if (r->verdict.state == VERDICT_NONE && give_verdict(g, number, job, &t->verdict, e) < 0)
		return -1;
	if (t->screen.call && !round_at(g, number)->screen.call &&
	    give_estimate(g, number, &round_at(g, twin)->screen, e) < 0)
		return -1;
	if (round_at(g, twin)->decide.call && !round_at(g, number)->decide.call)
		return give_estimate(g, number, &round_at(g, twin)->decide, e);
	return 0;
}

static double best_speedup(const struct engine *g)
{
	const struct state_best *best = run_state_best(&g->state);
	return best ? best->estimate.speedup : 1.0;
}

static bool is_passing(const struct engine *g, unsigned number)
{
	return round_at(g, number)->verdict.state == VERDICT_PASS;
}

/* Worth K=8? */
static bool is_worth_deciding(const struct engine *g, unsigned number)
{
	const struct state_estimate *screen = &round_at(g, number)->screen;
	return is_passing(g, number) && screen->call &&
	       screen->high * SCREEN_MARGIN >= best_speedup(g);
}

static int judge_candidate(struct engine *g, unsigned number, struct err *e)
{
	const struct state_round *twin = twin_of(g, round_at(g, number));
	if (twin)
		return take_over(g, number, twin->number, e);
	const struct state_round *r = round_at(g, number);
	bool needs_screen = r->verdict.state == VERDICT_NONE ||
			    (r->verdict.state == VERDICT_PASS && !r->screen.call);
	if (needs_screen && measure(g, number, "screen", SCREEN_REPLICATES, e) < 0)
		return -1;
	if (is_worth_deciding(g, number) && !round_at(g, number)->decide.call)
		return measure(g, number, "decide", DECIDE_REPLICATES, e);
	return 0;
}

static bool is_new_best(const struct engine *g, const struct state_round *r)
{
	return r->verdict.state == VERDICT_PASS && estimate_is(&r->decide, "faster") &&
	       r->decide.speedup > best_speedup(g);
}

static bool is_best_already(const struct engine *g, unsigned number)
{
	const struct state_best *best = run_state_best(&g->state);
	return best && best->round == number;
}

static int promote(struct engine *g, unsigned number, struct err *e)
{
	const struct state_round *r = round_at(g, number);
	AUTO_STR struct str why = STR_INIT;
	if (is_best_already(g, number) || !is_new_best(g, r))
		return 0;
	const struct custody_spec custody = { .round = number, .job = r->decide.job };
	int mismatch = custody_check(g, &custody, &why, e);
	if (mismatch < 0)
		return -1;
	if (mismatch)
		return engine_warn_once(g, e, "round %u is not promoted: %s", number, why.text);
	return engine_event(g, EVENT_best_changed, e, "{s:i, s:s, s:s, s:o}", "round", (int)number,
			    "decision", r->decision, "source", r->source, "estimate",
			    state_estimate_to_json(&r->decide));
}

static const struct state_estimate *estimate_of(const struct state_round *r)
{
	return r->decide.call ? &r->decide : &r->screen;
}

/* Slower than what it was applied to, by intervals that do not meet. */
static bool is_slower_than_base(const struct engine *g, const struct state_round *r)
{
	const struct state_round *base = round_at(g, r->base);
	double base_low = base ? estimate_of(base)->low : 1.0;
	return estimate_of(r)->high < base_low;
}

static enum decision_fate fate_of(const struct engine *g, unsigned number)
{
	const struct state_round *r = round_at(g, number);
	if (!r->source || r->verdict.state == VERDICT_NONE)
		return FATE_NO_CANDIDATE;
	if (r->verdict.state != VERDICT_PASS)
		return FATE_ROLLED_BACK;
	if (is_best_already(g, number))
		return FATE_BEST;
	return is_slower_than_base(g, r) ? FATE_KEPT_SLOWER : FATE_KEPT;
}

static enum round_outcome outcome_of(enum decision_fate fate)
{
	if (fate == FATE_NO_CANDIDATE)
		return ROUND_NO_CANDIDATE;
	return fate == FATE_ROLLED_BACK ? ROUND_ROLLED_BACK : ROUND_KEPT;
}

static int close_round(struct engine *g, unsigned number, struct err *e)
{
	enum decision_fate fate = fate_of(g, number);
	return engine_event(g, EVENT_round_closed, e, "{s:i, s:s, s:s}", "round", (int)number,
			    "outcome", round_outcome_name(outcome_of(fate)), "fate",
			    decision_fate_name(fate));
}

/* Jobs that failed one after the other, the newest first. */
static unsigned nr_failed_in_a_row(const struct engine *g)
{
	unsigned nr = 0;
	for (size_t i = g->state.nr_jobs; i > 0 && g->state.jobs[i - 1].has_failed; i--)
		nr++;
	return nr;
}

/* One job that fails where others work is this round's bad luck: said, and the run goes on. Several
 * in a row mean that the machine is broken, and then nothing measured here is worth anything. */
static int bear_failure(struct engine *g, unsigned number, struct err *e)
{
	const struct state_job *last =
		g->state.nr_jobs ? &g->state.jobs[g->state.nr_jobs - 1] : NULL;
	if (g->is_stopped || !last || !last->has_failed || nr_failed_in_a_row(g) >= MAX_FAILED_JOBS)
		return -1;
	AUTO_FREE char *text = xstrdup(e->text);
	*e = (struct err){ 0 };
	return engine_warn_once(g, e, "round %u ended without a measurement: %s", number, text);
}

int round_go(struct engine *g, unsigned number, struct err *e)
{
	const struct state_round *r = round_at(g, number);
	if (!r->source && !r->absent && ask_student(g, number, e) < 0)
		return -1;
	if (round_at(g, number)->source && judge_candidate(g, number, e) < 0 &&
	    bear_failure(g, number, e) < 0)
		return -1;
	if (promote(g, number, e) < 0 || best_write(g, e) < 0)
		return -1;
	return close_round(g, number, e);
}
