/*
 * What agents may use: by the run as a whole, by each role, by each milestone. A task says it
 * (task.md, [budget] and its tables), the log keeps it, the engine holds it, reports show it. What
 * is not set has no limit.
 */
#ifndef FORGE_MODEL_LIMITS_H
#define FORGE_MODEL_LIMITS_H

#include <jansson.h>
#include <stdbool.h>

#include "model/usage.h"

struct str;

enum resource {
#define RESOURCE(name, key, budget, unit) RESOURCE_##name,
#include "model/resources.def"
#undef RESOURCE
	RESOURCE_NR
};

enum limits_scope { LIMITS_RUN, LIMITS_TEACHER, LIMITS_STUDENT, LIMITS_MILESTONE, LIMITS_NR };

struct limits {
	double most[RESOURCE_NR]; /* seconds, USD, numbers */
	unsigned set;             /* bits 1 << enum resource */
};

/* What somebody used, and how long it took. */
struct spending {
	struct usage used;
	double seconds;
};

/* "tokens"; "token budget"; "tokens", behind a number. */
const char *resource_name(enum resource r);
const char *resource_budget(enum resource r);
const char *resource_unit(enum resource r);
/* RESOURCE_NR for a name that is none. */
enum resource resource_parse(const char *name);
/* "run", "teacher", "student", "milestone". */
const char *limits_scope_name(enum limits_scope scope);

bool limits_has(const struct limits *l, enum resource r);
void limits_set(struct limits *l, enum resource r, double most);
/* The limit, or 0 where there is none. */
double limits_get(const struct limits *l, enum resource r);
double spending_amount(const struct spending *s, enum resource r);
/* Is the resource limited and used up? A limit that nothing of was used is not. */
bool limits_is_over(const struct limits *l, const struct spending *s, enum resource r);
/* The first resource that is used up; RESOURCE_NR: none is. */
enum resource limits_over(const struct limits *l, const struct spending *s);

/* {"requests": 10, "usd": 2.0, "time": 1800.0}: of those that are set. A new reference. */
json_t *limits_to_json(const struct limits *l);
/* Sets those that `obj` tells; others stay as they are. */
void limits_from_json(struct limits *l, const json_t *obj);
bool limits_equal(const struct limits *a, const struct limits *b);
/* "the token budget", "the teacher's token budget", "milestone M1's token budget". */
void limits_print_name(const char *scope, enum resource r, struct str *out);
/* "1800 s": an amount with its unit. */
void resource_print(enum resource r, double amount, struct str *out);
/* "0.5 h, 2.00 USD, 10 requests"; nothing where nothing is set. */
void limits_print(const struct limits *l, struct str *out);

#endif
