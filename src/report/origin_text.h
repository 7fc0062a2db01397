/*
 * The number of a leaderboard in words, the same in the report and on the terminal.
 */
#ifndef FORGE_REPORT_ORIGIN_TEXT_H
#define FORGE_REPORT_ORIGIN_TEXT_H

#include <jansson.h>

struct str;

/* "by the rule of NAME (RULE): reference 1.2 ms, kernel 0.4 ms, 3.00x"; `origin` as in result.md.
 */
void origin_print(const json_t *origin, struct str *out);

#endif
