#include "model/limits.h"

/* Counts are those of struct usage by name, so a kind of token that is added there can be limited
 * by one row here. All amounts are doubles: counts stay below 2^50, so each is exact. */

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

#define HOUR_S 3600.0

static const struct {
	const char *name;
	const char *budget;
	const char *unit;
} resources[RESOURCE_NR] = {
#define RESOURCE(name, key, budget, unit) [RESOURCE_##name] = { key, budget, unit },
#include "model/resources.def"
#undef RESOURCE
};

const char *resource_name(enum resource r)
{
	return resources[r].name;
}

const char *resource_budget(enum resource r)
{
	return resources[r].budget;
}

const char *resource_unit(enum resource r)
{
	return resources[r].unit;
}

enum resource resource_parse(const char *name)
{
	int r = 0;
	while (r < RESOURCE_NR && !str_equal(resources[r].name, name))
		r++;
	return (enum resource)r;
}

const char *limits_scope_name(enum limits_scope scope)
{
	static const char *const names[LIMITS_NR] = { "run", "teacher", "student", "milestone" };
	return names[scope];
}

bool limits_has(const struct limits *l, enum resource r)
{
	return l->set & 1u << r;
}

void limits_set(struct limits *l, enum resource r, double most)
{
	l->most[r] = most;
	l->set |= 1u << r;
}

double limits_get(const struct limits *l, enum resource r)
{
	return limits_has(l, r) ? l->most[r] : 0;
}

static enum usage_count count_of(enum resource r)
{
	enum usage_count count = usage_count_parse(resources[r].name);
	if (count == USAGE_NR_COUNTS)
		BUG("usage holds no %s", resources[r].name);
	return count;
}

double spending_amount(const struct spending *s, enum resource r)
{
	if (r == RESOURCE_TIME)
		return s->seconds;
	if (r == RESOURCE_USD)
		return s->used.usd;
	return (double)usage_count_get(&s->used, count_of(r));
}

bool limits_is_over(const struct limits *l, const struct spending *s, enum resource r)
{
	double amount = spending_amount(s, r);
	return limits_has(l, r) && amount > 0 && amount >= l->most[r];
}

enum resource limits_over(const struct limits *l, const struct spending *s)
{
	int r = 0;
	while (r < RESOURCE_NR && !limits_is_over(l, s, (enum resource)r))
		r++;
	return (enum resource)r;
}

static json_t *number_of(enum resource r, double most)
{
	bool is_count = r != RESOURCE_TIME && r != RESOURCE_USD;
	return is_count ? json_integer((json_int_t)most) : json_number(most);
}

json_t *limits_to_json(const struct limits *l)
{
	json_t *obj = json_object();
	for (int i = 0; i < RESOURCE_NR; i++) {
		enum resource r = (enum resource)i;
		if (limits_has(l, r))
			json_object_set_new(obj, resources[r].name, number_of(r, l->most[r]));
	}
	return obj;
}

void limits_from_json(struct limits *l, const json_t *obj)
{
	for (int i = 0; i < RESOURCE_NR; i++) {
		const json_t *most = json_object_get(obj, resources[i].name);
		if (json_is_number(most))
			limits_set(l, (enum resource)i, json_number_value(most));
	}
}

bool limits_equal(const struct limits *a, const struct limits *b)
{
	for (int i = 0; i < RESOURCE_NR; i++) {
		enum resource r = (enum resource)i;
		bool is_same = limits_get(a, r) >= limits_get(b, r) &&
			       limits_get(a, r) <= limits_get(b, r);
		if (limits_has(a, r) != limits_has(b, r) || !is_same)
			return false;
	}
	return true;
}

void limits_print_name(const char *scope, enum resource r, struct str *out)
{
	if (str_equal(scope, limits_scope_name(LIMITS_RUN)))
		str_addf(out, "the %s", resource_budget(r));
	else if (str_equal(scope, limits_scope_name(LIMITS_TEACHER)) ||
		 str_equal(scope, limits_scope_name(LIMITS_STUDENT)))
		str_addf(out, "the %s's %s", scope, resource_budget(r));
	else
		str_addf(out, "milestone %s's %s", scope, resource_budget(r));
}

void resource_print(enum resource r, double amount, struct str *out)
{
	if (r == RESOURCE_TIME)
		str_addf(out, "%.4g h", amount / HOUR_S);
	else if (r == RESOURCE_USD)
		str_addf(out, "%.2f USD", amount);
	else
		str_addf(out, "%.0f %s", amount, resources[r].unit);
}

void limits_print(const struct limits *l, struct str *out)
{
	const char *between = "";
	for (int i = 0; i < RESOURCE_NR; i++) {
		enum resource r = (enum resource)i;
		if (!limits_has(l, r))
			continue;
		str_add(out, between);
		resource_print(r, l->most[r], out);
		between = ", ";
	}
}
