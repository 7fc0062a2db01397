#include "report/usage_text.h"

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/text.h"
#include "store/fold.h"

/* Below a cent two digits say more than two places. */
#define ONE_CENT 0.01

void text_count(const struct usage *u, enum usage_count count, struct str *out)
{
	unsigned long long value = usage_count_get(u, count);
	if (usage_is_told(u, count))
		str_addf(out, "%llu", value);
	else if (value)
		str_addf(out, "≥%llu", value);
	else
		str_add(out, "unknown");
}

static void add_dollars(double usd, struct str *out)
{
	str_addf(out, usd > 0 && usd < ONE_CENT ? "%.2g" : "%.2f", usd);
}

void text_usd(const struct usage *u, struct str *out)
{
	bool is_open = usage_is_open(u);
	if (is_open && u->usd <= 0) {
		str_add(out, "unknown");
		return;
	}
	if (is_open)
		str_add(out, "≥");
	add_dollars(u->usd, out);
}

const char *text_basis(const struct usage *u)
{
	static const char *const names[] = {
		[USAGE_UNKNOWN] = "unknown",
		[USAGE_REPORTED] = "reported",
		[USAGE_TABLE] = "price table",
		[USAGE_PARTIAL] = "known in part",
	};
	return usage_is_nothing(u) ? "-" : names[u->basis];
}

void text_usage(const struct usage *u, struct str *out)
{
	static const struct {
		enum usage_count count;
		const char *words;
		bool is_rare; /* not worth a word when there is none */
	} parts[] = {
		{ USAGE_REQUESTS, " requests", false },
		{ USAGE_TOOL_CALLS, " tool calls", false },
		{ USAGE_TOKENS, " tokens", false },
		{ USAGE_INPUT, " in", false },
		{ USAGE_CACHE_READ, " read from caches", true },
		{ USAGE_CACHE_WRITE_5M, " written to caches for 5 minutes", true },
		{ USAGE_CACHE_WRITE_1H, " written to caches for an hour", true },
		{ USAGE_OUTPUT, " out", false },
		{ USAGE_REASONING, " of them reasoning", true },
	};
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		if (parts[i].is_rare && !usage_count_get(u, parts[i].count))
			continue;
		str_add(out, i == 0 ? "" : parts[i].count == USAGE_INPUT ? ": " : ", ");
		text_count(u, parts[i].count, out);
		str_add(out, parts[i].words);
	}
	str_add(out, "; ");
	text_usd(u, out);
	str_addf(out, " USD (%s)", text_basis(u));
}

/* "12 of 20 requests"; what is not known reads so. */
static void add_limit(const struct spending *spent, const struct limits *limits, enum resource r,
		      struct str *out)
{
	double limit = limits_get(limits, r);
	if (r == RESOURCE_TIME) {
		text_seconds(spent->seconds, out);
		str_add(out, " of ");
		text_seconds(limit, out);
	} else if (r == RESOURCE_USD) {
		text_usd(&spent->used, out);
		str_addf(out, " of %.2f USD", limit);
	} else {
		text_count(&spent->used, usage_count_parse(resource_name(r)), out);
		str_addf(out, " of %.0f %s", limit, resource_unit(r));
	}
}

void text_spending(const struct spending *spent, const struct limits *limits, bool has_time,
		   struct str *out)
{
	const char *between = "";
	for (int i = has_time ? RESOURCE_TIME : RESOURCE_TIME + 1; i < RESOURCE_NR; i++) {
		enum resource r = (enum resource)i;
		if (!limits_has(limits, r))
			continue;
		str_add(out, between);
		add_limit(spent, limits, r, out);
		between = ", ";
	}
}

void text_limits(const struct run_state *s, struct str *out)
{
	const struct spending spent = run_state_spending(s, limits_scope_name(LIMITS_RUN));
	text_spending(&spent, &s->limits[LIMITS_RUN], false, out);
}

json_t *count_json(const struct usage *u, enum usage_count count)
{
	uint64_t value = usage_count_get(u, count);
	return value || usage_is_told(u, count) ? json_integer((json_int_t)value) : json_null();
}

json_t *usd_json(const struct usage *u)
{
	return usage_is_open(u) && u->usd <= 0 ? json_null() : json_number(u->usd);
}
