#include "agent/meter.h"

/* Each line is priced by itself: the tier of a price goes by the prompt of one request. A done line
 * that tells the whole turn replaces the sum of the lines before: those were what was known at the
 * time, good enough to stop by. */

#include "agent/agent.h"
#include "agent/agent_ops.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/prices.h"

static void take_name(struct meter *m, const json_t *obj, const char *key, const char **slot)
{
	const char *name = json_text_or(obj, key, "");
	if (name[0] && !str_equal(name, *slot))
		*slot = arena_strdup(&m->answer->arena, name);
}

void meter_take_names(struct meter *m, const json_t *obj)
{
	if (json_object_get(obj, "model"))
		m->answer->provider = "";
	take_name(m, obj, "model", &m->answer->model);
	take_name(m, obj, "provider", &m->answer->provider);
}

static struct usage read_priced(struct meter *m, const json_t *obj)
{
	struct usage u;
	char wall[32];
	const struct agent_answer *a = m->answer;
	usage_read(&u, obj);
	u.tool_calls = 0; /* counted here, call by call */
	u.untold &= ~(1u << USAGE_TOOL_CALLS);
	meter_take_names(m, obj);
	if (!m->spec->prices)
		return u;
	clock_format_wall(clock_wall_ns(), wall);
	const struct price_query query = { .provider = a->provider[0] ? a->provider : NULL,
					   .model = a->model[0] ? a->model : NULL,
					   .date = wall };
	prices_apply(m->spec->prices, &query, &u);
	return u;
}

static bool spend(struct meter *m, const struct usage *more, struct str *why)
{
	return m->spec->spend && m->spec->spend(m->spec->ctx, more, why);
}

bool meter_take_line(struct meter *m, const json_t *line, struct str *why)
{
	const struct usage more = read_priced(m, line);
	m->has_any = true;
	usage_add(&m->answer->usage, &more);
	return spend(m, &more, why);
}

void meter_take_done(struct meter *m, const json_t *usage)
{
	struct usage *sum = &m->answer->usage;
	if (!usage)
		return;
	const struct usage more = read_priced(m, usage);
	m->has_any = true;
	if (json_bool_or(usage, "whole", false))
		*sum = (struct usage){ .tool_calls = sum->tool_calls };
	usage_add(sum, &more);
}

bool meter_take_call(struct meter *m, struct str *why)
{
	const struct usage call = { .tool_calls = 1 };
	if (spend(m, &call, why))
		return true;
	m->answer->usage.tool_calls++;
	return false;
}

void meter_end(struct meter *m, bool has_done)
{
	struct usage *sum = &m->answer->usage;
	struct usage rest = usage_unknown();
	const struct agent_ops *ops = m->spec->ops;
	if (ops->is_free && !m->has_any)
		sum->basis = USAGE_REPORTED;
	if (ops->is_free || ops->is_paid_elsewhere || (has_done && m->has_any))
		return;
	rest.untold &= ~(1u << USAGE_TOOL_CALLS);
	usage_add(sum, &rest);
}
