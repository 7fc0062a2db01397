#include "engine/teacher_digest.h"

#include "base/err.h"
#include "base/json.h"
#include "engine/engine_in.h"
#include "engine/turn_data.h"

static json_t *goal_part(const struct run_state *s)
{
	const struct state_best *best = run_state_best(s);
	return json_pack("{s:o, s:o, s:o}", "ratio", json_number(s->reference.ratio), "target_ns",
			 json_number(s->reference.target_ns), "reached",
			 best ? json_number(best->estimate.speedup) : json_null());
}

static json_t *curve_row(const struct state_round *r)
{
	const char *state = verdict_state_name(r->verdict.state);
	return json_pack("{s:i, s:s, s:I, s:i, s:s, s:s, s:s, s:s?, s:o}", "round", (int)r->number,
			 "decision", r->decision, "curriculum", (json_int_t)r->curriculum, "base",
			 (int)r->base, "outcome", round_outcome_name(r->outcome), "verdict", state,
			 "reason", reason_name(r->verdict.reason), "absent", r->absent, "speedup",
			 turn_data_speedup(state_round_estimate(r)));
}

static json_t *curve_part(const struct run_state *s)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->nr_rounds; i++)
		json_array_append_new(list, curve_row(&s->rounds[i]));
	return list;
}

static json_t *before_of(const struct run_state *s, const struct state_round *r)
{
	const struct state_round *base = run_state_round(s, r->base);
	return base ? turn_data_speedup(state_round_estimate(base)) : json_null();
}

static json_t *decision_row(const struct run_state *s, const struct state_decision *d)
{
	const struct state_round *r = run_state_round(s, d->round);
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:s?, s:s}", "id", d->id, "what",
			 d->what, "value", d->value, "fate", decision_fate_name(d->fate), "round",
			 (int)d->round, "before", r ? before_of(s, r) : json_null(), "after",
			 r ? turn_data_speedup(state_round_estimate(r)) : json_null(), "wrong_when",
			 d->wrong_when, "verdict", r ? r->verdict.detail : "");
}

static json_t *decisions_part(const struct run_state *s)
{
	const struct state_curriculum *c = run_state_curriculum(s);
	json_t *list = json_array();
	for (size_t i = 0; c && i < c->nr_milestones; i++)
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++)
			json_array_append_new(list,
					      decision_row(s, &c->milestones[i].decisions[j]));
	return list;
}

static json_t *regressions_part(const struct run_state *s)
{
	const struct state_curriculum *c = run_state_curriculum(s);
	json_t *list = json_array();
	for (size_t i = 0; c && i < c->nr_milestones; i++) {
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++) {
			const struct state_decision *d = &c->milestones[i].decisions[j];
			if (d->fate == FATE_KEPT_SLOWER)
				json_array_append_new(list, json_string(d->id));
		}
	}
	return list;
}

static json_t *gate_row(const struct state_gate *g)
{
	return json_pack("{s:s, s:I, s:s, s:s, s:s, s:s}", "milestone", g->milestone, "curriculum",
			 (json_int_t)g->curriculum, "result", gate_result_name(g->result),
			 "correctness", gate_result_name(g->correctness), "performance",
			 gate_result_name(g->performance), "mechanism",
			 gate_result_name(g->mechanism));
}

static json_t *finding_row(const struct state_finding *one)
{
	json_t *jobs = json_array();
	for (size_t i = 0; i < one->jobs.nr; i++)
		json_array_append_new(jobs, json_string(one->jobs.items[i]));
	return json_pack("{s:s, s:s, s:s?, s:i, s:o}", "class", diagnosis_name(one->class), "side",
			 diagnosis_side_name(one->class), "decision", one->decision, "round",
			 (int)one->round, "jobs", jobs);
}

static json_t *diagnosis_part(const struct run_state *s)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->diagnosed.nr_findings; i++)
		json_array_append_new(list, finding_row(&s->diagnosed.findings[i]));
	return list;
}

static json_t *tools_part(const struct run_state *s)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->nr_tools; i++) {
		const struct state_tool *t = &s->tools[i];
		json_array_append_new(list, json_pack("{s:i, s:s, s:s?, s:O?}", "number",
						      (int)t->number, "tool", t->tool, "decision",
						      t->decision, "answer", t->answer));
	}
	return list;
}

static json_t *gates_part(const struct run_state *s)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->nr_gates; i++)
		json_array_append_new(list, gate_row(&s->gates[i]));
	return list;
}

static json_t *copy_or_empty(const json_t *profile)
{
	return profile ? json_deep_copy(profile) : json_object();
}

/* Profile of the best, as its job measured it. */
static json_t *best_profile(const struct run_state *s)
{
	const struct state_best *best = run_state_best(s);
	const struct state_job *job = best ? run_state_job(s, best->estimate.job) : NULL;
	return copy_or_empty(job ? job->profile : NULL);
}

static json_t *profile_part(const struct run_state *s)
{
	return json_pack("{s:o, s:o}", "reference", copy_or_empty(s->reference.profile), "best",
			 best_profile(s));
}

static json_t *paths_part(void)
{
	return json_pack("{s:s, s:s, s:s}", "rounds", rundir_name(RUNDIR_ROUNDS), "transcripts",
			 rundir_name(RUNDIR_AGENTS), "events", rundir_name(RUNDIR_EVENTS));
}

json_t *teacher_digest_make(const struct engine *g)
{
	const struct run_state *s = &g->state;
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1, "goal",
			 goal_part(s), "curve", curve_part(s), "decisions", decisions_part(s),
			 "regressions", regressions_part(s), "gates", gates_part(s), "diagnosis",
			 diagnosis_part(s), "tools", tools_part(s), "profile", profile_part(s),
			 "paths", paths_part());
}
