#include "report/status.h"

/* The machine-readable twin of status.c: the same facts, numbers unrounded. */

#include "base/json.h"
#include "base/mem.h"
#include "model/verdict.h"
#include "report/cost.h"
#include "report/usage_text.h"
#include "store/fold.h"

static void put_text(json_t *obj, const char *key, const char *text)
{
	json_object_set_new(obj, key, text ? json_string(text) : json_null());
}

static json_t *texts_json(const struct state_text *texts)
{
	json_t *list = json_array();
	for (size_t i = 0; i < texts->nr; i++)
		json_array_append_new(list, json_string(texts->items[i]));
	return list;
}

json_t *estimate_json(const struct state_estimate *estimate)
{
	if (!estimate->call)
		return json_null();
	json_t *obj = json_object();
	put_text(obj, "call", estimate->call);
	put_text(obj, "comparator", estimate->comparator);
	json_object_set_new(obj, "replicates", json_integer(estimate->replicates));
	json_object_set_new(obj, "speedup", json_number(estimate->speedup));
	json_object_set_new(obj, "low", json_number(estimate->low));
	json_object_set_new(obj, "high", json_number(estimate->high));
	json_object_set_new(obj, "floor", json_number(estimate->floor));
	json_object_set_new(obj, "confidence", json_number(estimate->confidence));
	json_object_set_new(obj, "is_contended", json_boolean(estimate->is_contended));
	json_object_set_new(obj, "is_reference_slowed",
			    json_boolean(estimate->is_reference_slowed));
	return obj;
}

static json_t *round_json(const struct state_round *r)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "number", json_integer(r->number));
	put_text(obj, "kind", r->is_dispatch ? "dispatch" : "row");
	put_text(obj, "decision", r->decision);
	put_text(obj, "value", r->value);
	put_text(obj, "outcome", round_outcome_name(r->outcome));
	put_text(obj, "absent", r->absent);
	json_object_set_new(obj, "is_best", json_boolean(r->is_best));
	json_object_set_new(obj, "verdict",
			    r->verdict.state == VERDICT_NONE ? json_null()
							     : verdict_to_json(&r->verdict));
	json_object_set_new(obj, "screen", estimate_json(&r->screen));
	json_object_set_new(obj, "decide", estimate_json(&r->decide));
	return obj;
}

static json_t *best_json(const struct run_state *s)
{
	const struct state_best *best = run_state_best(s);
	if (!best)
		return json_null();
	json_t *obj = json_object();
	json_object_set_new(obj, "round", json_integer(best->round));
	put_text(obj, "decision", best->decision);
	put_text(obj, "source", best->source);
	json_object_set_new(obj, "estimate", estimate_json(&best->estimate));
	return obj;
}

static json_t *confirm_json(const struct run_state *s)
{
	if (!s->confirm.is_done)
		return json_null();
	json_t *obj = json_object();
	json_object_set_new(obj, "is_confirmed", json_boolean(s->confirm.is_confirmed));
	json_object_set_new(obj, "is_goal_met", json_boolean(s->confirm.is_goal_met));
	json_object_set_new(obj, "round", json_integer(s->confirm.round));
	json_object_set_new(obj, "estimate", estimate_json(&s->confirm.estimate));
	json_object_set_new(obj, "lost", texts_json(&s->confirm.lost));
	if (s->confirm.origin)
		json_object_set(obj, "origin", s->confirm.origin);
	return obj;
}

static json_t *dispatch_json(const struct state_dispatch *d)
{
	if (!d->is_considered)
		return json_null();
	json_t *parts = json_array();
	for (size_t i = 0; i < d->nr_parts; i++)
		json_array_append_new(parts,
				      json_pack("{s:i, s:o}", "round", (int)d->parts[i].round,
						"shapes", texts_json(&d->parts[i].shapes)));
	return json_pack("{s:b, s:s, s:o, s:i, s:o}", "is_offered", d->is_offered, "text", d->text,
			 "expected", json_number(d->expected), "round", (int)d->round, "parts",
			 parts);
}

static json_t *limit_json(const struct run_state *s, enum resource r)
{
	const struct limits *limits = &s->limits[LIMITS_RUN];
	double limit = limits_get(limits, r);
	if (!limits_has(limits, r))
		return json_null();
	return r == RESOURCE_USD ? json_number(limit) : json_integer((json_int_t)limit);
}

static json_t *used_json(const struct spending *spent, enum resource r)
{
	if (r == RESOURCE_TIME)
		return json_number(spent->seconds);
	if (r == RESOURCE_USD)
		return usd_json(&spent->used);
	return count_json(&spent->used, usage_count_parse(resource_name(r)));
}

static void add_scope(const struct run_state *s, const char *scope, json_t *list)
{
	const struct limits *limits = run_state_limits(s, scope);
	const struct spending spent = run_state_spending(s, scope);
	for (int i = 0; i < RESOURCE_NR; i++) {
		enum resource r = (enum resource)i;
		if (limits_has(limits, r))
			json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:i}", "scope",
							      scope, "resource", resource_name(r),
							      "used", used_json(&spent, r), "limit",
							      json_number(limits_get(limits, r)),
							      "warned_pct",
							      (int)run_state_warned(s, scope, r)));
	}
}

/* Of roles and of the milestones that have turns. */
static json_t *budgets_json(const struct run_state *s)
{
	json_t *list = json_array();
	AUTO_FREE const char **scopes = xcalloc(s->nr_attempts + 2, sizeof(*scopes));
	size_t nr = cost_scopes(s, scopes);
	for (size_t i = 0; i < nr; i++)
		add_scope(s, scopes[i], list);
	return list;
}

static json_t *budget_json(const struct run_state *s)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "inner_s", json_number(s->stages[STAGE_STUDENT].seconds));
	json_object_set_new(obj, "inner_limit_s", json_number(s->hours * 3600));
	json_object_set_new(obj, "elapsed_s", json_number(s->elapsed_s));
	json_object_set_new(obj, "metas", json_integer((json_int_t)s->nr_metas));
	json_object_set_new(obj, "max_meta", json_integer(s->max_meta));
	const struct usage used = run_state_used(s);
	json_object_set_new(obj, "usd", usd_json(&used));
	put_text(obj, "usd_basis",
		 usage_basis_name(usage_is_nothing(&used) ? USAGE_REPORTED : used.basis));
	json_object_set_new(obj, "usd_limit", limit_json(s, RESOURCE_USD));
	json_object_set_new(obj, "tokens", count_json(&used, USAGE_TOKENS));
	json_object_set_new(obj, "token_limit", limit_json(s, RESOURCE_TOKENS));
	json_object_set_new(obj, "requests", count_json(&used, USAGE_REQUESTS));
	json_object_set_new(obj, "request_limit", limit_json(s, RESOURCE_REQUESTS));
	json_object_set_new(obj, "tool_calls", count_json(&used, USAGE_TOOL_CALLS));
	json_object_set_new(obj, "tool_call_limit", limit_json(s, RESOURCE_TOOL_CALLS));
	put_text(obj, "prices", s->prices);
	return obj;
}

static json_t *clocks_json(const struct state_clocks *c)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "agent_s", c->agent_s, "build_s",
			 c->build_s, "kernel_s", c->kernel_s, "judge_s", c->judge_s, "other_s",
			 c->other_s, "queue_s", c->queue_s, "person_s", c->person_s);
}

static json_t *costs_json(const struct run_state *s)
{
	json_t *list = json_array();
	AUTO_FREE struct cost_row *rows = xcalloc(s->nr_attempts + 1, sizeof(*rows));
	size_t nr = cost_rows(s, rows);
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:i, s:i, s:f, s:o, s:o, s:o}", "milestone",
						rows[i].name, "turns", (int)rows[i].usage.turns,
						"lost_turns", (int)rows[i].nr_lost, "seconds",
						rows[i].usage.seconds, "tokens",
						count_json(&rows[i].usage.used, USAGE_TOKENS),
						"usd", usd_json(&rows[i].usage.used), "usage",
						usage_to_json(&rows[i].usage.used)));
	return list;
}

static json_t *role_json(const char *driver, const struct state_usage *usage,
			 const struct state_agent *agent)
{
	json_t *obj = json_object();
	put_text(obj, "driver", driver);
	put_text(obj, "agent", agent->name);
	put_text(obj, "version", agent->name ? agent->version : NULL);
	put_text(obj, "model", agent->name && agent->model[0] ? agent->model : NULL);
	json_object_set_new(obj, "turns", json_integer(usage->turns));
	json_object_set_new(obj, "seconds", json_number(usage->seconds));
	json_object_set_new(obj, "usage", usage_to_json(&usage->used));
	return obj;
}

static json_t *agents_json(const struct run_state *s)
{
	return json_pack("{s:o, s:o}", "teacher",
			 role_json(s->teacher, &s->teacher_usage, &s->teacher_agent), "student",
			 role_json(s->student, &s->student_usage, &s->student_agent));
}

static json_t *lacks_json(const struct run_state *s)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->nr_lacks; i++)
		json_array_append_new(
			list, json_pack("{ss? ss? ss?}", "mechanism", s->lacks[i].mechanism, "cost",
					s->lacks[i].cost, "accepted", s->lacks[i].accepted));
	return list;
}

static json_t *rounds_json(const struct run_state *s)
{
	json_t *list = json_array();
	for (size_t i = 0; i < s->nr_rounds; i++)
		json_array_append_new(list, round_json(&s->rounds[i]));
	return list;
}

json_t *status_json(const struct run_state *s, const char *run_dir)
{
	json_t *obj = json_object();
	json_object_set_new(obj, "version", json_integer(1));
	put_text(obj, "run", run_dir);
	put_text(obj, "task", s->task_name);
	put_text(obj, "stage", stage_name(s->stage));
	json_object_set_new(obj, "is_control", json_boolean(s->is_control));
	json_object_set_new(obj, "is_ended", json_boolean(s->is_ended));
	json_object_set_new(obj, "is_interrupted", json_boolean(s->is_interrupted));
	json_object_set_new(obj, "is_goal_met", json_boolean(s->is_goal_met));
	put_text(obj, "end_reason", s->end_reason);
	json_object_set_new(obj, "goal_ratio",
			    s->reference.has_goal ? json_number(s->reference.ratio) : json_null());
	json_object_set_new(obj, "reference_ns", json_number(s->reference.geomean_ns));
	json_object_set_new(obj, "best", best_json(s));
	json_object_set_new(obj, "dispatch", dispatch_json(&s->dispatch));
	json_object_set_new(obj, "confirm", confirm_json(s));
	json_object_set_new(obj, "budget", budget_json(s));
	json_object_set_new(obj, "clocks", clocks_json(&s->clocks));
	json_object_set_new(obj, "budgets", budgets_json(s));
	json_object_set_new(obj, "costs", costs_json(s));
	json_object_set_new(obj, "agents", agents_json(s));
	json_object_set_new(obj, "rounds", rounds_json(s));
	json_object_set_new(obj, "warnings", texts_json(&s->warnings));
	json_object_set_new(obj, "lacks", lacks_json(s));
	return obj;
}
