#include "engine/gates.h"

/* Correctness: did an accepted row of the milestone pass the judge. Performance: a row of it made a
 * new best (pass), or its last kernel is slower than the one it started from by intervals that do
 * not meet (fail). Mechanism: every accepted row's metric moved as predicted, from the kernel it
 * was applied to. M0 is closed by correctness alone. */

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"
#include "engine/course.h"
#include "engine/engine_in.h"
#include "engine/moved.h"
#include "engine/structure.h"

struct gate {
	const struct milestone *m;
	enum gate_result correctness;
	enum gate_result performance;
	enum gate_result mechanism;
	unsigned first_base; /* round before the milestone's first accepted row */
	unsigned last;       /* round of its last accepted row; 0: none */
	unsigned nr_tried;
	unsigned nr_accepted;
	unsigned nr_blocked;
	unsigned nr_unmeasured;
	unsigned nr_predictions;
	bool made_best;
	json_t *mechanisms;
	json_t *correctness_jobs;
	json_t *performance_jobs;
	json_t *mechanism_jobs;
};

static const struct state_round *round_of(const struct engine *g, const struct decision *d)
{
	const struct state_decision *st = course_state(&g->state, d->id);
	return st ? run_state_round(&g->state, st->round) : NULL;
}

static void add_evidence(json_t *list, const char *job)
{
	size_t i;
	json_t *one;
	json_array_foreach(list, i, one)
	{
		if (str_equal(json_string_value(one), job))
			return;
	}
	if (job && *job)
		json_array_append_new(list, json_string(job));
}

/* A job of this round that failed is evidence, too. False: there is none. */
static bool add_failed(const struct engine *g, json_t *list, unsigned number, const char *purpose)
{
	AUTO_FREE char *id = xasprintf("r%04u-%s", number, purpose);
	const struct state_job *job = run_state_job(&g->state, id);
	if (!job || !job->has_failed)
		return false;
	add_evidence(list, id);
	return true;
}

static void check_mechanism(const struct engine *g, struct gate *gate, const struct decision *d,
			    const struct state_round *r)
{
	const struct moved m = moved_look(g, d, r);
	if (m.result == GATE_NONE)
		return;
	for (size_t i = 0; i < ARRAY_LEN(m.jobs); i++)
		add_evidence(gate->mechanism_jobs, m.jobs[i]);
	json_array_append_new(gate->mechanisms,
			      json_pack("{s:s, s:s, s:s?, s:o, s:o, s:s, s:[ss]}", "decision",
					d->id, "metric", d->mechanism.metric, "direction",
					d->mechanism.direction, "before", json_number(m.before),
					"after", json_number(m.after), "result",
					gate_result_name(m.result), "jobs", m.jobs[0], m.jobs[1]));
}

static void see_accepted(const struct engine *g, struct gate *gate, const struct decision *d,
			 const struct state_round *r)
{
	gate->nr_accepted++;
	gate->made_best = gate->made_best || r->is_best;
	if (!gate->last || r->number > gate->last)
		gate->last = r->number;
	if (gate->nr_accepted == 1 || r->base < gate->first_base)
		gate->first_base = r->base;
	add_evidence(gate->performance_jobs, r->screen.job);
	add_evidence(gate->performance_jobs, r->decide.job);
	check_mechanism(g, gate, d, r);
}

static void add_base_evidence(const struct engine *g, struct gate *gate)
{
	const struct state_round *base = run_state_round(&g->state, gate->first_base);
	if (!base)
		return;
	add_evidence(gate->performance_jobs, base->screen.job);
	add_evidence(gate->performance_jobs, base->decide.job);
}

static void see_verdict(const struct engine *g, struct gate *gate, const struct state_round *r)
{
	add_evidence(gate->correctness_jobs, r->verdict_job);
	if (!r->source || r->verdict.state != VERDICT_NONE)
		return;
	gate->nr_unmeasured++;
	add_failed(g, gate->correctness_jobs, r->number, "screen");
}

static void see_row(const struct engine *g, struct gate *gate, const struct decision *d)
{
	const struct state_round *r = round_of(g, d);
	if (d->is_not_applicable)
		return;
	gate->nr_predictions += d->mechanism.metric != NULL;
	gate->nr_tried += r != NULL;
	gate->nr_blocked += r == NULL;
	if (!r)
		return;
	see_verdict(g, gate, r);
	if (course_is_accepted(&g->state, &g->course, d))
		see_accepted(g, gate, d, r);
}

static double low_of(const struct engine *g, unsigned number)
{
	const struct state_round *r = run_state_round(&g->state, number);
	if (!r)
		return 1.0;
	return state_round_estimate(r)->low;
}

static double high_of(const struct engine *g, unsigned number)
{
	const struct state_round *r = run_state_round(&g->state, number);
	if (!r)
		return 1.0;
	return state_round_estimate(r)->high;
}

static enum gate_result performance_of(const struct engine *g, const struct gate *gate)
{
	if (gate->made_best)
		return GATE_PASS;
	bool is_last_lost = add_failed(g, gate->performance_jobs, gate->last, "decide");
	if (is_last_lost || add_failed(g, gate->performance_jobs, gate->first_base, "decide"))
		return GATE_ERROR;
	if (gate->last && high_of(g, gate->last) < low_of(g, gate->first_base))
		return GATE_FAIL;
	return GATE_UNDECIDED;
}

/* The worst row decides: fail, then error, then pass. */
static enum gate_result mechanism_of(const struct gate *gate)
{
	bool has_error = false;
	size_t i;
	json_t *row;
	json_array_foreach(gate->mechanisms, i, row)
	{
		enum gate_result r = gate_result_parse(json_text_or(row, "result", "none"));
		if (r == GATE_FAIL)
			return GATE_FAIL;
		has_error = has_error || r == GATE_ERROR;
	}
	if (has_error)
		return GATE_ERROR;
	if (json_array_size(gate->mechanisms))
		return GATE_PASS;
	return gate->nr_predictions ? GATE_UNDECIDED : GATE_NONE;
}

static enum gate_result correctness_of(const struct gate *gate)
{
	bool is_empty = !gate->nr_tried && !gate->nr_blocked;
	if (gate->nr_accepted || is_empty)
		return GATE_PASS;
	if (gate->nr_tried > gate->nr_unmeasured)
		return GATE_FAIL;
	return gate->nr_tried ? GATE_ERROR : GATE_UNDECIDED;
}

static enum gate_result whole_of(const struct gate *gate)
{
	const enum gate_result parts[] = { gate->correctness, gate->performance, gate->mechanism };
	static const enum gate_result worst_first[] = { GATE_FAIL, GATE_ERROR, GATE_UNDECIDED };
	for (size_t w = 0; w < ARRAY_LEN(worst_first); w++)
		for (size_t i = 0; i < ARRAY_LEN(parts); i++)
			if (parts[i] == worst_first[w])
				return worst_first[w];
	return GATE_PASS;
}

static void evaluate(const struct engine *g, struct gate *gate)
{
	for (size_t i = 0; i < gate->m->nr_decisions; i++)
		see_row(g, gate, &gate->m->decisions[i]);
	gate->correctness = correctness_of(gate);
	if (str_equal(gate->m->gate, "correctness"))
		return;
	add_base_evidence(g, gate);
	gate->performance = performance_of(g, gate);
	gate->mechanism = mechanism_of(gate);
}

static json_t *all_evidence(const struct gate *gate)
{
	json_t *all = json_array();
	json_t *const parts[] = { gate->correctness_jobs, gate->performance_jobs,
				  gate->mechanism_jobs };
	for (size_t p = 0; p < ARRAY_LEN(parts); p++)
		for (size_t i = 0; i < json_array_size(parts[p]); i++)
			add_evidence(all, json_string_value(json_array_get(parts[p], i)));
	return all;
}

static int record(struct engine *g, const struct gate *gate, struct err *e)
{
	AUTO_FREE char *text = xasprintf("%u of %u rows tried were accepted, %u blocked",
					 gate->nr_accepted, gate->nr_tried, gate->nr_blocked);
	return engine_event(g, EVENT_gate_closed, e,
			    "{s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:O, s:o, s:{s:O, s:O, s:O}}",
			    "milestone", gate->m->id, "curriculum", (json_int_t)g->course_version,
			    "result", gate_result_name(whole_of(gate)), "correctness",
			    gate_result_name(gate->correctness), "performance",
			    gate_result_name(gate->performance), "mechanism",
			    gate_result_name(gate->mechanism), "text", text, "mechanisms",
			    gate->mechanisms, "evidence", all_evidence(gate), "evidence_of",
			    "correctness", gate->correctness_jobs, "performance",
			    gate->performance_jobs, "mechanism", gate->mechanism_jobs);
}

static bool is_closed(const struct engine *g, const char *milestone)
{
	for (size_t i = 0; i < g->state.nr_gates; i++)
		if (g->state.gates[i].curriculum == g->course_version &&
		    str_equal(g->state.gates[i].milestone, milestone))
			return true;
	return false;
}

static void gate_release(struct gate *gate)
{
	json_decref(gate->mechanisms);
	json_decref(gate->correctness_jobs);
	json_decref(gate->performance_jobs);
	json_decref(gate->mechanism_jobs);
}

static int close_one(struct engine *g, const struct milestone *m, struct err *e)
{
	struct gate gate = { .m = m,
			     .mechanisms = json_array(),
			     .correctness_jobs = json_array(),
			     .performance_jobs = json_array(),
			     .mechanism_jobs = json_array() };
	evaluate(g, &gate);
	int rc = record(g, &gate, e);
	gate_release(&gate);
	return rc;
}

int gates_close_before(struct engine *g, size_t milestone, struct err *e)
{
	for (size_t i = 0; i < milestone && i < g->course.nr_milestones; i++) {
		const struct milestone *m = &g->course.milestones[i];
		if (!is_closed(g, m->id) && close_one(g, m, e) < 0)
			return -1;
		if (i == 0 && structure_freeze(g, e) < 0)
			return -1;
	}
	return 0;
}
