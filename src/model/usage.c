#include "model/usage.h"

/* Counts are a table over the struct, so that reading, adding and writing are loops. Numbers come
 * from agents: each is bounded, so that no sum can wrap, and what is out of bounds was not told. */

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

/* More tokens than all machines of this world make in a day, and sums of 2^13 of them fit. */
#define MAX_COUNT (INT64_C(1) << 50)
#define MAX_USD 1e9

enum { ALL_UNTOLD = (1u << USAGE_NR_COUNTS) - 1 };

static const struct {
	const char *name;
	size_t offset;
} counts[USAGE_NR_COUNTS] = {
#define USAGE_COUNT(name, member) [USAGE_##name] = { #member, offsetof(struct usage, member) },
#include "model/usage_counts.def"
#undef USAGE_COUNT
};

static const char *const basis_names[] = { "unknown", "reported", "table", "partial" };

const char *usage_basis_name(enum usage_basis basis)
{
	return basis_names[basis];
}

const char *usage_count_name(enum usage_count count)
{
	return counts[count].name;
}

enum usage_count usage_count_parse(const char *name)
{
	int count = 0;
	while (count < USAGE_NR_COUNTS && !str_equal(counts[count].name, name))
		count++;
	return (enum usage_count)count;
}

static uint64_t *count_of(struct usage *u, int count)
{
	return (uint64_t *)(void *)((char *)u + counts[count].offset);
}

uint64_t usage_count_get(const struct usage *u, enum usage_count count)
{
	struct usage copy = *u;
	return *count_of(&copy, (int)count);
}

bool usage_is_told(const struct usage *u, enum usage_count count)
{
	return !(u->untold & 1u << count);
}

struct usage usage_unknown(void)
{
	return (struct usage){ .untold = ALL_UNTOLD };
}

/* Tool calls are counted by whoever answers them, beside what the agent tells. */
bool usage_is_nothing(const struct usage *u)
{
	return u->basis == USAGE_UNKNOWN && !u->untold && !u->requests && !u->tokens &&
	       !u->reasoning;
}

bool usage_is_open(const struct usage *u)
{
	return !usage_is_nothing(u) && (u->basis == USAGE_UNKNOWN || u->basis == USAGE_PARTIAL);
}

bool usage_is_free(const struct usage *u)
{
	return !usage_is_open(u) && !u->requests && !u->tokens && u->usd <= 0;
}

/* What cost nothing says nothing about what the rest cost. */
static enum usage_basis basis_of_sum(const struct usage *a, const struct usage *b)
{
	if (usage_is_free(a))
		return usage_is_nothing(b) ? a->basis : b->basis;
	if (usage_is_free(b))
		return a->basis;
	if (a->basis == b->basis)
		return a->basis;
	if (a->basis == USAGE_UNKNOWN || b->basis == USAGE_UNKNOWN || a->basis == USAGE_PARTIAL ||
	    b->basis == USAGE_PARTIAL)
		return USAGE_PARTIAL;
	return USAGE_TABLE;
}

void usage_add(struct usage *total, const struct usage *more)
{
	struct usage add = *more;
	total->basis = basis_of_sum(total, more);
	for (int i = 0; i < USAGE_NR_COUNTS; i++)
		*count_of(total, i) += *count_of(&add, i);
	total->untold |= more->untold;
	total->usd += more->usd;
}

static void read_count(struct usage *u, int count, const json_t *obj)
{
	const json_t *value = json_object_get(obj, counts[count].name);
	json_int_t number = json_integer_value(value);
	if (json_is_integer(value) && number >= 0 && number <= MAX_COUNT)
		*count_of(u, count) = (uint64_t)number;
	else
		u->untold |= 1u << count;
}

/* Agents tell the kinds or only their sum. */
static void read_sum(struct usage *u)
{
	if (!usage_is_told(u, USAGE_INPUT) || !usage_is_told(u, USAGE_OUTPUT)) {
		uint64_t kinds = u->input + u->cache_read + u->cache_write_5m + u->cache_write_1h +
				 u->output;
		u->tokens = u->tokens > kinds ? u->tokens : kinds;
		return;
	}
	u->tokens = u->input + u->cache_read + u->cache_write_5m + u->cache_write_1h + u->output;
	u->untold &= ~(1u << USAGE_TOKENS);
}

static enum usage_basis read_basis(const json_t *obj)
{
	const char *name = json_text_or(obj, "basis", "reported");
	for (size_t i = 0; i < ARRAY_LEN(basis_names); i++)
		if (str_equal(basis_names[i], name))
			return (enum usage_basis)i;
	return USAGE_REPORTED;
}

/* No request and no token: that much costs nothing. */
static bool is_told_zero(const struct usage *u)
{
	return !u->requests && !u->tokens && usage_is_told(u, USAGE_REQUESTS) &&
	       usage_is_told(u, USAGE_TOKENS);
}

static void read_usd(struct usage *u, const json_t *obj)
{
	const json_t *usd = json_object_get(obj, "usd");
	double value = json_number_value(usd);
	if (!usd && !json_object_get(obj, "basis") && is_told_zero(u))
		u->basis = USAGE_REPORTED;
	if (!json_is_number(usd) || !(value >= 0 && value <= MAX_USD))
		return;
	u->usd = value;
	u->basis = read_basis(obj);
}

/* Counts of a sum to which some part told nothing. */
static void read_at_least(struct usage *u, const json_t *obj)
{
	const json_t *names = json_object_get(obj, "at_least");
	for (size_t i = 0; i < json_array_size(names); i++)
		for (int count = 0; count < USAGE_NR_COUNTS; count++)
			if (str_equal(counts[count].name,
				      json_string_value(json_array_get(names, i))))
				u->untold |= 1u << count;
}

int usage_read(struct usage *u, const json_t *obj)
{
	*u = usage_unknown();
	if (!json_is_object(obj))
		return -1;
	u->untold = 0;
	for (int i = 0; i < USAGE_NR_COUNTS; i++)
		read_count(u, i, obj);
	read_sum(u);
	read_usd(u, obj);
	read_at_least(u, obj);
	return 0;
}

json_t *usage_to_json(const struct usage *u)
{
	json_t *obj = json_object();
	json_t *at_least = json_array();
	for (int i = 0; i < USAGE_NR_COUNTS; i++) {
		enum usage_count count = (enum usage_count)i;
		uint64_t value = usage_count_get(u, count);
		if (!usage_is_told(u, count) && !value)
			continue;
		json_object_set_new(obj, counts[i].name, json_integer((json_int_t)value));
		if (!usage_is_told(u, count))
			json_array_append_new(at_least, json_string(counts[i].name));
	}
	if (json_array_size(at_least))
		json_object_set(obj, "at_least", at_least);
	json_decref(at_least);
	enum usage_basis basis = usage_is_nothing(u) ? USAGE_REPORTED : u->basis;
	if (basis != USAGE_UNKNOWN)
		json_object_set_new(obj, "usd", json_number(u->usd));
	json_object_set_new(obj, "basis", json_string(usage_basis_name(basis)));
	return obj;
}
