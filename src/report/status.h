/*
 * One screen about a run: where it stands, the best so far, the rounds, the budget, the warnings.
 * As text or as JSON (docs/format/command-json.md). Read only, also while forge works on the run.
 */
#ifndef FORGE_REPORT_STATUS_H
#define FORGE_REPORT_STATUS_H

#include <jansson.h>

struct run_state;
struct str;

void status_text(const struct run_state *s, const char *run_dir, struct str *out);
/* A new object. */
json_t *status_json(const struct run_state *s, const char *run_dir);
/* An estimate as JSON; null when there is none. */
struct state_estimate;
json_t *estimate_json(const struct state_estimate *estimate);

#endif
