/*
 * How usage reads: the same words in status, report and command lines. What is not known reads
 * "unknown" and what is known in part "≥12"; neither ever reads 0.
 */
#ifndef FORGE_REPORT_USAGE_TEXT_H
#define FORGE_REPORT_USAGE_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "model/limits.h"

struct run_state;
struct state_usage;
struct str;

/* "1200", "≥1200", "unknown". */
void text_count(const struct usage *u, enum usage_count count, struct str *out);
/* "1.25", "≥1.25", "unknown"; in dollars. */
void text_usd(const struct usage *u, struct str *out);
/* "reported", "price table", "known in part", "unknown", "-". */
const char *text_basis(const struct usage *u);
/* "12 requests, 4 tool calls, 900 tokens in, 100 read from caches, ...: 1.25 USD (price table)" */
void text_usage(const struct usage *u, struct str *out);
/* "1.25 of 10.00 USD, 1200 of 1000 tokens": of what is limited; `has_time`: of hours, too. */
void text_spending(const struct spending *spent, const struct limits *limits, bool has_time,
		   struct str *out);
/* The same of the run, whose hours are told elsewhere. */
void text_limits(const struct run_state *s, struct str *out);
/* Number, or null where it is not known at all. New references. */
json_t *count_json(const struct usage *u, enum usage_count count);
json_t *usd_json(const struct usage *u);

#endif
