#include "engine/turn_usage.h"

/* A budget is looked at where money is about to be spent: before a turn, before a tool call, and
 * after each line of usage. One call may pass it, none begins after that. */

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "base/err.h"
#include "base/json.h"
#include "base/log.h"
#include "base/str.h"
#include "engine/budget.h"
#include "engine/engine_in.h"
#include "engine/turns.h"
#include "model/prices.h"

static const char *driver_of(const struct engine *g, const struct turn_spec *spec)
{
	return spec->role == AGENT_TEACHER ? g->task.teacher : g->task.student;
}

bool turn_usage_refuses(struct engine *g, const struct turn_spec *spec, struct agent_answer *answer)
{
	const struct agent_ops *ops = agent_driver(driver_of(g, spec));
	const struct usage nothing = { 0 };
	const struct budget_of of = budget_of_turn(g, agent_role_name(spec->role), spec->purpose);
	AUTO_STR struct str why = STR_INIT;
	if (!ops)
		return false;
	if (ops->is_free ? !budget_is_late(g, &of, &why) : !budget_is_spent(g, &of, &nothing, &why))
		return false;
	*answer = (struct agent_answer){
		.kind = ANSWER_ERROR, .name = "", .version = "", .model = "", .provider = ""
	};
	answer->text = arena_printf(&answer->arena, "%s was not asked: %s",
				    agent_role_name(spec->role), why.text);
	return true;
}

int turn_usage_begin(const struct turn_meter *m, const struct agent_ops *ops, bool is_resumed,
		     struct err *e)
{
	json_t *resumed = is_resumed ? json_true() : NULL;
	if (ops->is_free || ops->is_paid_elsewhere)
		return 0;
	return engine_event(m->g, EVENT_turn_asked, e, "{s:s, s:s, s:s, s:o*}", "role",
			    agent_role_name(m->spec->role), "purpose", m->spec->purpose, "driver",
			    ops->name, "resumed", resumed);
}

/* Was it asked at all, as far as the log knows? */
static bool is_open(const struct run_state *s, const struct turn_spec *spec)
{
	for (size_t i = 0; i < s->nr_attempts; i++)
		if (s->attempts[i].is_open && str_equal(s->attempts[i].purpose, spec->purpose))
			return true;
	return false;
}

/* Which table the dollars come from, where they come from one. */
static void put_prices(const struct engine *g, const struct usage *u, json_t *body)
{
	bool is_priced = u->basis == USAGE_TABLE || u->basis == USAGE_PARTIAL;
	if (is_priced && g->hooks.prices)
		json_object_set_new(body, "prices", json_string(g->hooks.prices->text));
}

static int record(const struct turn_meter *m, const struct usage *more, struct err *e)
{
	json_t *body = json_pack("{s:s, s:s, s:o}", "role", agent_role_name(m->spec->role),
				 "purpose", m->spec->purpose, "usage", usage_to_json(more));
	put_prices(m->g, more, body);
	const char *where = __FILE__ ":" EVENTLOG_TEXT(__LINE__);
	return engine_event_at(m->g, EVENT_agent_spent, body, where, e);
}

static struct budget_of of_turn(const struct turn_meter *m)
{
	return budget_of_turn(m->g, agent_role_name(m->spec->role), m->spec->purpose);
}

/* A tool call is counted when it has been let through. */
bool turn_usage_spend(struct turn_meter *m, const struct usage *more, struct str *why,
		      struct err *e)
{
	const struct usage calls = { .tool_calls = m->nr_calls };
	if (!more->tool_calls && record(m, more, e) < 0)
		return true;
	const struct budget_of of = of_turn(m);
	if (budget_is_spent(m->g, &of, &calls, why))
		return true;
	m->nr_calls += more->tool_calls;
	return false;
}

json_t *turn_usage_left(const struct turn_meter *m)
{
	const struct usage calls = { .tool_calls = m->nr_calls };
	const struct budget_of of = of_turn(m);
	return budget_left(m->g, &of, &calls);
}

void turn_usage_lose(struct engine *g, const struct turn_spec *spec, const struct agent_answer *a)
{
	struct err ignored = { 0 };
	if (!is_open(&g->state, spec))
		return;
	json_t *body =
		json_pack("{s:s, s:s, s:f, s:o}", "role", agent_role_name(spec->role), "purpose",
			  spec->purpose, "seconds", a->seconds, "usage", usage_to_json(&a->usage));
	put_prices(g, &a->usage, body);
	const char *where = __FILE__ ":" EVENTLOG_TEXT(__LINE__);
	if (engine_event_at(g, EVENT_turn_lost, body, where, &ignored) < 0)
		log_warn("%s", ignored.text);
}

json_t *turn_usage_body(const struct engine *g, const struct turn_spec *spec,
			const struct agent_answer *a)
{
	json_t *body = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:o}", "role",
				 agent_role_name(spec->role), "kind", turn_kind_name(spec->kind),
				 "purpose", spec->purpose, "driver", driver_of(g, spec), "agent",
				 a->name, "version", a->version, "seconds", a->seconds, "usage",
				 usage_to_json(&a->usage));
	if (a->model[0])
		json_object_set_new(body, "model", json_string(a->model));
	if (a->provider[0])
		json_object_set_new(body, "provider", json_string(a->provider));
	put_prices(g, &a->usage, body);
	return body;
}

static void put_agent(json_t *agents, const char *role, const char *driver,
		      const struct state_agent *agent)
{
	if (!agent->name)
		return;
	json_object_set_new(agents, role,
			    json_pack("{s:s, s:s, s:s, s:s}", "driver", driver, "agent",
				      agent->name, "version", agent->version, "model",
				      agent->model[0] ? agent->model : "unknown"));
}

/* run.json is for people and scripts; the log has the same in agent_turn. */
int turn_usage_note_agents(const struct engine *g, struct err *e)
{
	const struct run_state *s = &g->state;
	AUTO_FREE char *path = engine_path(g, RUNDIR_RUN_JSON);
	AUTO_JSON json_t *now = json_object();
	put_agent(now, "teacher", g->task.teacher, &s->teacher_agent);
	put_agent(now, "student", g->task.student, &s->student_agent);
	if (!json_object_size(now))
		return 0;
	AUTO_JSON json_t *doc = json_read_file(path, e);
	if (!doc)
		return -1;
	if (json_equal(json_object_get(doc, "agents"), now))
		return 0;
	json_object_set(doc, "agents", now);
	return json_write_file(path, doc, e);
}

int turn_usage_settle(struct engine *g, const struct turn_spec *spec, const struct agent_answer *a,
		      struct err *e)
{
	if (turn_usage_note_agents(g, e) < 0)
		return -1;
	if (!usage_is_open(&a->usage))
		return 0;
	return engine_warn_once(g, e,
				"what the %s costs is not known, or not all of it: the budget of "
				"%.2f USD holds only what is known, those of tokens, requests and "
				"time hold as they are told",
				agent_role_name(spec->role),
				limits_get(&g->state.limits[LIMITS_RUN], RESOURCE_USD));
}
