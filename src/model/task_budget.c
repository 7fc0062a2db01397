#include "model/task_budget.h"

/* A key that is there has a limit, one that is not has none: so a limit is looked for in the table
 * and not in the number that was read. */

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"
#include "base/toml_fields.h"
#include "model/task.h"

/* A year, and more than anybody means: a limit that is a typing mistake is no limit. */
enum { MAX_HOURS = 8760, MAX_USD = 1000000 };
#define HOUR_S 3600.0

/* Keys that all tables have beside hours, usd and tokens. */
#define COUNT_FIELDS(owner, counts)                                                                \
	TOML_OPTION("requests", INT, owner, counts[USAGE_REQUESTS]),                               \
		TOML_OPTION("tool_calls", INT, owner, counts[USAGE_TOOL_CALLS]),                   \
		TOML_OPTION("input", INT, owner, counts[USAGE_INPUT]),                             \
		TOML_OPTION("cache_read", INT, owner, counts[USAGE_CACHE_READ]),                   \
		TOML_OPTION("cache_write_5m", INT, owner, counts[USAGE_CACHE_WRITE_5M]),           \
		TOML_OPTION("cache_write_1h", INT, owner, counts[USAGE_CACHE_WRITE_1H]),           \
		TOML_OPTION("output", INT, owner, counts[USAGE_OUTPUT]),                           \
		TOML_OPTION("reasoning", INT, owner, counts[USAGE_REASONING])

struct raw_budget {
	double hours;
	double usd;
	int64_t tokens;
	int64_t max_meta;
	int64_t stall;
	int64_t teacher_jobs;
	int64_t counts[USAGE_NR_COUNTS];
};

static const struct toml_field run_fields[] = {
	TOML_OPTION("hours", REAL, raw_budget, hours),
	TOML_OPTION("max_meta", INT, raw_budget, max_meta),
	TOML_OPTION("stall", INT, raw_budget, stall),
	TOML_OPTION("usd", REAL, raw_budget, usd),
	TOML_OPTION("tokens", INT, raw_budget, tokens),
	TOML_OPTION("teacher_jobs", INT, raw_budget, teacher_jobs),
	COUNT_FIELDS(raw_budget, counts),
	TOML_NESTED("teacher"),
	TOML_NESTED("student"),
	TOML_NESTED("milestone"),
};
static const struct toml_field part_fields[] = {
	TOML_OPTION("hours", REAL, raw_budget, hours),
	TOML_OPTION("usd", REAL, raw_budget, usd),
	TOML_OPTION("tokens", INT, raw_budget, tokens),
	COUNT_FIELDS(raw_budget, counts),
};
static const struct toml_section run_section = TOML_SECTION("[budget]", run_fields);

static int check_run(struct toml_loader *l, const struct toml *budget, const struct raw_budget *b)
{
	if (!(b->hours > 0 && b->hours <= MAX_HOURS))
		return toml_fail_at(l, toml_get(budget, "hours"),
				    "hours must be above 0 and at most %d", MAX_HOURS);
	if (b->max_meta < 0)
		return toml_fail_at(l, toml_get(budget, "max_meta"),
				    "max_meta must not be negative");
	if (b->stall < 1)
		return toml_fail_at(l, toml_get(budget, "stall"), "stall must be at least 1");
	if (!(b->usd >= 0 && b->usd <= MAX_USD))
		return toml_fail_at(l, toml_get(budget, "usd"),
				    "usd must not be negative, and at most %d", MAX_USD);
	if (b->tokens < 0)
		return toml_fail_at(l, toml_get(budget, "tokens"), "tokens must not be negative");
	if (b->teacher_jobs < 0)
		return toml_fail_at(l, toml_get(budget, "teacher_jobs"),
				    "teacher_jobs must not be negative");
	return 0;
}

/* The counts of a table, where it has them. */
static int take_counts(struct toml_loader *l, const struct toml *table, const struct raw_budget *b,
		       struct limits *out)
{
	for (int i = 0; table && i < USAGE_NR_COUNTS; i++) {
		const char *key = usage_count_name((enum usage_count)i);
		const struct toml *at = i == USAGE_TOKENS ? NULL : toml_get(table, key);
		if (!at)
			continue;
		if (b->counts[i] < 1)
			return toml_fail_at(l, at,
					    "%s must be at least 1; without the key there is no "
					    "limit",
					    key);
		limits_set(out, resource_parse(key), (double)b->counts[i]);
	}
	return 0;
}

static int check_part(struct toml_loader *l, const struct toml *table, const struct raw_budget *b)
{
	const struct toml *hours = toml_get(table, "hours");
	const struct toml *usd = toml_get(table, "usd");
	const struct toml *tokens = toml_get(table, "tokens");
	if (hours && !(b->hours > 0 && b->hours <= MAX_HOURS))
		return toml_fail_at(l, hours, "hours must be above 0 and at most %d", MAX_HOURS);
	if (usd && !(b->usd > 0 && b->usd <= MAX_USD))
		return toml_fail_at(l, usd, "usd must be above 0 and at most %d", MAX_USD);
	if (tokens && b->tokens < 1)
		return toml_fail_at(l, tokens,
				    "tokens must be at least 1; without the key there is no limit");
	return 0;
}

static void take_part(const struct toml *table, const struct raw_budget *b, struct limits *out)
{
	if (toml_get(table, "hours"))
		limits_set(out, RESOURCE_TIME, b->hours * HOUR_S);
	if (toml_get(table, "usd"))
		limits_set(out, RESOURCE_USD, b->usd);
	if (toml_get(table, "tokens"))
		limits_set(out, RESOURCE_TOKENS, (double)b->tokens);
}

/* [budget.teacher] and its like. */
static int load_part(struct toml_loader *l, const struct toml *budget, enum limits_scope scope,
		     struct limits *out)
{
	const char *key = limits_scope_name(scope);
	const struct toml *table = budget ? toml_get(budget, key) : NULL;
	const struct toml_section section = { arena_printf(l->arena, "[budget.%s]", key),
					      part_fields, ARRAY_LEN(part_fields) };
	struct raw_budget raw = { 0 };
	if (!table)
		return 0;
	if (toml_read_fields(l, &section, table, &raw) < 0 || check_part(l, table, &raw) < 0)
		return -1;
	take_part(table, &raw, out);
	return take_counts(l, table, &raw, out);
}

int task_budget_load(struct toml_loader *l, const struct toml *budget, struct task_limits *m)
{
	struct raw_budget raw = { .hours = 2.0,
				  .max_meta = 3,
				  .stall = 4,
				  .usd = 20.0,
				  .tokens = 5000000,
				  .teacher_jobs = 8 };
	*m = (struct task_limits){ 0 };
	if (toml_read_fields(l, &run_section, budget, &raw) < 0 || check_run(l, budget, &raw) < 0)
		return -1;
	m->hours = raw.hours;
	m->max_meta = raw.max_meta;
	m->stall = raw.stall;
	m->teacher_jobs = raw.teacher_jobs;
	limits_set(&m->of[LIMITS_RUN], RESOURCE_TIME, raw.hours * HOUR_S);
	limits_set(&m->of[LIMITS_RUN], RESOURCE_USD, raw.usd);
	limits_set(&m->of[LIMITS_RUN], RESOURCE_TOKENS, (double)raw.tokens);
	if (take_counts(l, budget, &raw, &m->of[LIMITS_RUN]) < 0)
		return -1;
	for (int scope = LIMITS_TEACHER; scope < LIMITS_NR; scope++)
		if (load_part(l, budget, (enum limits_scope)scope, &m->of[scope]) < 0)
			return -1;
	return 0;
}
