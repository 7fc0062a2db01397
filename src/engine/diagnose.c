#include "engine/diagnose.h"

/* A row of the version in force gets at most one class: the first rule that fits, in the order of
 * look_at. When no row has one and none is left to try, the curriculum as a whole misses something.
 * "Slower" is always meant by intervals that do not meet. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/course.h"
#include "engine/engine_in.h"
#include "engine/moved.h"
#include "model/diagnosis.h"

/* What happened to one row, over all versions. */
struct past {
	const struct state_round *now;   /* its round that counts */
	const struct state_round *other; /* an earlier round of the same row on another base */
	unsigned nr_failed;
};

static bool has_failed(const struct state_round *r)
{
	bool is_unmeasured = r->source && r->verdict.state == VERDICT_NONE;
	return r->outcome != ROUND_OPEN && r->outcome != ROUND_KEPT && !is_unmeasured;
}

static bool is_same(const struct state_round *r, const struct state_round *now)
{
	return str_equal(r->decision, now->decision) && str_equal(r->what, now->what) &&
	       str_equal(r->value, now->value);
}

static struct past past_of(const struct run_state *s, const struct state_decision *st)
{
	struct past p = { .now = run_state_round(s, st->round) };
	for (unsigned i = 1; p.now && i <= p.now->number; i++) {
		const struct state_round *r = run_state_round(s, i);
		if (!is_same(r, p.now))
			continue;
		p.nr_failed += has_failed(r);
		if (r != p.now && r->base != p.now->base && r->outcome != ROUND_OPEN)
			p.other = r;
	}
	return p;
}

static bool is_slower_than_base(const struct run_state *s, const struct state_round *r)
{
	const struct state_round *base = run_state_round(s, r->base);
	return state_round_estimate(r)->high < (base ? state_round_estimate(base)->low : 1.0);
}

/* Kept and not slower. */
static bool went_well(const struct run_state *s, const struct state_round *r)
{
	return r->outcome == ROUND_KEPT && !is_slower_than_base(s, r);
}

/* Another row of its group was accepted on its own and falls with this one. */
static bool takes_others_down(const struct engine *g, const struct decision *d)
{
	for (size_t m = 0; d->atomic && m < g->course.nr_milestones; m++) {
		for (size_t i = 0; i < g->course.milestones[m].nr_decisions; i++) {
			const struct decision *o = &g->course.milestones[m].decisions[i];
			const struct state_decision *st = course_state(&g->state, o->id);
			const struct state_round *r =
				st ? run_state_round(&g->state, st->round) : NULL;
			if (o != d && str_equal(o->atomic, d->atomic) && r &&
			    r->outcome == ROUND_KEPT)
				return true;
		}
	}
	return false;
}

static enum diagnosis of_failed(const struct engine *g, const struct decision *d,
				const struct past *p)
{
	if (p->other && went_well(&g->state, p->other))
		return DIAGNOSIS_misordered;
	if (str_equal(p->now->absent, "handback"))
		return DIAGNOSIS_wrong;
	if (p->nr_failed > 1 || takes_others_down(g, d))
		return DIAGNOSIS_coarse;
	return DIAGNOSIS_not_as_asked;
}

/* Below what the row predicts; without a prediction, below the reference. */
static bool is_short(const struct decision *d, const struct state_round *r)
{
	return state_round_estimate(r)->high < (d->predicts > 0 ? d->predicts : 1.0);
}

/* Scaffolding: a later best stands on it. */
static bool is_paid_back(const struct run_state *s, const struct state_round *r)
{
	const struct state_best *best = run_state_best(s);
	return best && best->round > r->number;
}

static enum diagnosis of_kept(const struct engine *g, const struct decision *d,
			      const struct past *p)
{
	enum gate_result moved = moved_look(g, d, p->now).result;
	bool is_slower = is_slower_than_base(&g->state, p->now);
	if (moved == GATE_ERROR)
		return DIAGNOSIS_unmeasured;
	if (moved == GATE_FAIL)
		return DIAGNOSIS_not_as_asked;
	if (is_slower && !is_paid_back(&g->state, p->now))
		return p->other && went_well(&g->state, p->other) ? DIAGNOSIS_misordered
								  : DIAGNOSIS_wrong;
	return !is_slower && is_short(d, p->now) ? DIAGNOSIS_slow : DIAGNOSIS_none;
}

static enum diagnosis look_at(const struct engine *g, const struct decision *d,
			      const struct state_decision *st, const struct past *p)
{
	if (st->fate == FATE_PENDING)
		return course_is_blocked(&g->state, &g->course, d) ? DIAGNOSIS_misordered
								   : DIAGNOSIS_none;
	if (!p->now)
		return DIAGNOSIS_none;
	if (p->now->outcome == ROUND_KEPT)
		return course_is_accepted(&g->state, &g->course, d) ? of_kept(g, d, p)
								    : DIAGNOSIS_none;
	return has_failed(p->now) ? of_failed(g, d, p) : DIAGNOSIS_unmeasured;
}

static void add_job(json_t *jobs, const char *id)
{
	if (id && *id)
		json_array_append_new(jobs, json_string(id));
}

static json_t *jobs_of(const struct engine *g, const struct past *p)
{
	json_t *jobs = json_array();
	if (!p->now)
		return jobs;
	const struct state_round *base = run_state_round(&g->state, p->now->base);
	AUTO_FREE char *screen = xasprintf("r%04u-screen", p->now->number);
	if (!p->now->verdict_job && run_state_job(&g->state, screen))
		add_job(jobs, screen);
	add_job(jobs, p->now->verdict_job);
	add_job(jobs, p->now->decide.job);
	if (base && p->now->outcome == ROUND_KEPT)
		add_job(jobs, state_round_estimate(base)->job);
	return jobs;
}

static json_t *finding(const struct engine *g, const struct decision *d, enum diagnosis class,
		       const struct past *p)
{
	json_t *obj = json_pack("{s:s, s:s, s:s, s:i, s:o}", "class", diagnosis_name(class), "side",
				diagnosis_side_name(class), "decision", d->id, "round",
				p->now ? (int)p->now->number : 0, "jobs", jobs_of(g, p));
	return obj;
}

/* Adds the row's finding; true: it has had its round, or will never get one. */
static bool look_at_row(const struct engine *g, const struct decision *d, json_t *findings)
{
	const struct state_decision *st = course_state(&g->state, d->id);
	if (d->is_not_applicable || !st)
		return true;
	const struct past past = past_of(&g->state, st);
	enum diagnosis class = look_at(g, d, st, &past);
	if (class != DIAGNOSIS_none)
		json_array_append_new(findings, finding(g, d, class, &past));
	return class != DIAGNOSIS_none || st->fate != FATE_PENDING;
}

static json_t *whole_course(void)
{
	return json_pack("{s:s, s:s, s:n, s:i, s:[]}", "class", diagnosis_name(DIAGNOSIS_missing),
			 "side", diagnosis_side_name(DIAGNOSIS_missing), "decision", "round", 0,
			 "jobs");
}

static json_t *findings_of(const struct engine *g)
{
	json_t *findings = json_array();
	bool is_all_tried = true;
	for (size_t m = 0; m < g->course.nr_milestones; m++) {
		const struct milestone *one = &g->course.milestones[m];
		for (size_t i = 0; i < one->nr_decisions; i++)
			is_all_tried = look_at_row(g, &one->decisions[i], findings) && is_all_tried;
	}
	if (is_all_tried && !json_array_size(findings))
		json_array_append_new(findings, whole_course());
	return findings;
}

int diagnose(struct engine *g, unsigned number, struct err *e)
{
	const struct state_diagnosed *last = &g->state.diagnosed;
	if (last->has_any && last->curriculum == g->course_version &&
	    last->after_round == (unsigned)g->state.nr_rounds)
		return 0;
	return engine_event(g, EVENT_diagnosed, e, "{s:i, s:i, s:I, s:o}", "number", (int)number,
			    "after_round", (int)g->state.nr_rounds, "curriculum",
			    (json_int_t)g->course_version, "findings", findings_of(g));
}
