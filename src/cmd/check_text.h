/*
 * Findings of a lint in words and as JSON: shared by what `forge check` checks.
 */
#ifndef FORGE_CMD_CHECK_TEXT_H
#define FORGE_CMD_CHECK_TEXT_H

#include <jansson.h>
#include <stddef.h>

struct finding;
struct findings;

size_t check_count_errors(const struct findings *f);
/* "FILE:LINE: error: what; cure", a line of standard output. */
void check_print_finding(const struct finding *f);
json_t *check_findings_json(const struct findings *f);
/* "s" unless nr is 1. */
const char *check_plural(size_t nr);

#endif
