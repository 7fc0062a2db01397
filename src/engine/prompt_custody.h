/*
 * Which prompts and which strategy a run is made with: version and digest of each file, kept in
 * run.json and in run_created. A run that goes on with others says so. Runs whose agents read no
 * prompts keep none.
 */
#ifndef FORGE_ENGINE_PROMPT_CUSTODY_H
#define FORGE_ENGINE_PROMPT_CUSTODY_H

#include <jansson.h>
#include <stdbool.h>

struct engine;
struct err;
struct task;

/* Does an agent of this task read prompts? */
bool prompt_custody_is_needed(const struct task *t);
/* {"prompts/judge.md": {"version", "digest"}, ...}; NULL with the file that can not be used. */
json_t *prompt_custody_take(const struct task *t, struct err *e);
/* A warning of the run names the files that are not those it was made with. */
int prompt_custody_check(struct engine *g, struct err *e);

#endif
