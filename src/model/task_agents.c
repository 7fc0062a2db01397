#include "model/task_agents.h"

/* A table of one role is read over a copy of the driver's own, so what it does not say stays. */

#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/task.h"

static const struct toml_field agents_fields[] = {
	TOML_OPTION("teacher", TEXT, task, teacher),
	TOML_OPTION("student", TEXT, task, student),
	TOML_NESTED("tuner"),
	TOML_NESTED("claude"),
	TOML_NESTED("codex"),
	TOML_NESTED("openai-chat"),
	TOML_NESTED("anthropic"),
	TOML_NESTED("acp"),
	TOML_NESTED("cmd"),
	TOML_NESTED("manual"),
	TOML_NESTED("replay"),
};
static const struct toml_field settings_fields[] = {
	TOML_OPTION("profile", TEXT, agent_settings, profile),
	TOML_OPTION("model", TEXT, agent_settings, model),
	TOML_OPTION("effort", TEXT, agent_settings, effort),
	TOML_OPTION("base_url", TEXT, agent_settings, base_url),
	TOML_OPTION("context_window", INT, agent_settings, context_window),
	TOML_OPTION("max_output_tokens", INT, agent_settings, max_output_tokens),
	TOML_LIST("command", agent_settings, command),
	TOML_NESTED("teacher"),
	TOML_NESTED("student"),
};
static const struct toml_section agents_section = TOML_SECTION("[agents]", agents_fields);

/* A window or a reply of less can not hold a turn; more than this is a typing mistake. */
enum { MIN_CONTEXT = 1024, MIN_OUTPUT = 64, MAX_TOKENS = 100000000 };

static int check_tokens(struct toml_loader *l, const struct toml *table, const char *key,
			int64_t least)
{
	const struct toml *value = toml_get(table, key);
	if (!value || (value->integer >= least && value->integer <= MAX_TOKENS))
		return 0;
	return toml_fail_at(l, value, "%s must be from %lld to %d", key, (long long)least,
			    MAX_TOKENS);
}

static int read_settings(struct toml_loader *l, const char *name, const struct toml *table,
			 struct agent_settings *out)
{
	const struct toml_section section = { name, settings_fields, ARRAY_LEN(settings_fields) };
	if (toml_read_fields(l, &section, table, out) < 0)
		return -1;
	if (!table)
		return 0;
	if (check_tokens(l, table, "context_window", MIN_CONTEXT) < 0)
		return -1;
	return check_tokens(l, table, "max_output_tokens", MIN_OUTPUT);
}

/* A role's table holds settings and no role's table of its own. */
static int read_role(struct toml_loader *l, const char *driver, const char *role,
		     const struct toml *driver_table, struct agent_settings *out)
{
	const char *name = arena_printf(l->arena, "[agents.%s.%s]", driver, role);
	const struct toml *table = toml_get(driver_table, role);
	const struct toml *nested =
		table && table->type == TOML_TABLE ? toml_get(table, "teacher") : NULL;
	if (table && table->type == TOML_TABLE && !nested)
		nested = toml_get(table, "student");
	if (nested)
		return toml_fail_at(l, nested, "%s holds settings only; take this table out", name);
	return read_settings(l, name, table, out);
}

static int read_driver(struct toml_loader *l, const struct toml_member *member,
		       struct task_agent *out)
{
	const char *name = arena_printf(l->arena, "[agents.%s]", member->key);
	out->driver = member->key;
	if (read_settings(l, name, member->value, &out->teacher) < 0)
		return -1;
	out->student = out->teacher;
	if (read_role(l, member->key, "teacher", member->value, &out->teacher) < 0)
		return -1;
	return read_role(l, member->key, "student", member->value, &out->student);
}

int task_agents_load(struct toml_loader *l, const struct toml *agents, struct task *t)
{
	if (toml_read_fields(l, &agents_section, agents, t) < 0)
		return -1;
	size_t nr = agents ? agents->nr_members : 0;
	t->agents = arena_array(l->arena, nr, sizeof(*t->agents));
	for (size_t i = 0; i < nr; i++) {
		const struct toml_member *member = &agents->members[i];
		if (str_equal(member->key, "teacher") || str_equal(member->key, "student"))
			continue;
		if (read_driver(l, member, &t->agents[t->nr_agents]) < 0)
			return -1;
		t->nr_agents++;
	}
	return 0;
}

struct agent_settings task_agent_settings(const struct task *t, const char *driver, bool is_teacher)
{
	for (size_t i = 0; i < t->nr_agents; i++)
		if (str_equal(t->agents[i].driver, driver))
			return is_teacher ? t->agents[i].teacher : t->agents[i].student;
	return (struct agent_settings){ 0 };
}
