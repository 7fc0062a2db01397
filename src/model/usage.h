/*
 * What an agent used: requests, tool calls, tokens by kind, dollars and how these are known.
 * Drivers tell it on the wire (docs/format/agent-wire.md), the log keeps it, budgets and reports
 * add it up. The rule: what nobody told is unknown and is never 0. Zero in every field is "nothing
 * was used", and adding it changes nothing.
 */
#ifndef FORGE_MODEL_USAGE_H
#define FORGE_MODEL_USAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum usage_basis {
	USAGE_UNKNOWN,
	USAGE_REPORTED, /* the agent told the dollars */
	USAGE_TABLE,    /* some or all of them come from the price table (model/prices.h) */
	USAGE_PARTIAL,  /* a part has no price: the dollars are a lower bound */
};

enum usage_count {
#define USAGE_COUNT(name, member) USAGE_##name,
#include "model/usage_counts.def"
#undef USAGE_COUNT
	USAGE_NR_COUNTS
};

struct usage {
	uint64_t requests;
	uint64_t tool_calls;
	uint64_t input; /* not from a cache */
	uint64_t cache_read;
	uint64_t cache_write_5m;
	uint64_t cache_write_1h;
	uint64_t output;
	uint64_t reasoning;
	uint64_t tokens; /* of all kinds */
	unsigned untold; /* bits 1 << enum usage_count: the count is a lower bound */
	double usd;
	enum usage_basis basis;
};

const char *usage_basis_name(enum usage_basis basis);
const char *usage_count_name(enum usage_count count);
/* USAGE_NR_COUNTS for a name that is none. */
enum usage_count usage_count_parse(const char *name);
uint64_t usage_count_get(const struct usage *u, enum usage_count count);
/* Was the count told, by every part of a sum? */
bool usage_is_told(const struct usage *u, enum usage_count count);

/* Nothing was asked of the agent. */
bool usage_is_nothing(const struct usage *u);
/* Is it known that this cost nothing, no token and no money? (Tool calls may have been made.) */
bool usage_is_free(const struct usage *u);
/* Are the dollars unknown, or a lower bound? */
bool usage_is_open(const struct usage *u);
/* What somebody used who told nothing of it. */
struct usage usage_unknown(void);
/* `*total` becomes the sum; dollars with an unknown part are a lower bound. */
void usage_add(struct usage *total, const struct usage *more);

/* Read the members of docs/format/agent-wire.md; one that is missing or makes no sense is untold.
 * -1: `obj` is no object; `u` is then usage_unknown(). Model and provider are the caller's. */
int usage_read(struct usage *u, const json_t *obj);
/* The form of the event log: usage_read gives the same again. A new reference. */
json_t *usage_to_json(const struct usage *u);

#endif
