/*
 * Which agents can play a role here: for each driver, and each agent or provider it knows by a
 * profile (share/agents, share/providers.toml), whether its program, its version and its key are
 * there. Variables are named, their values never.
 */
#ifndef FORGE_CMD_DOCTOR_AGENTS_H
#define FORGE_CMD_DOCTOR_AGENTS_H

#include <jansson.h>
#include <stdbool.h>

struct err;
struct str;

/* [{"driver", "profile", "can_run", "why", "program", "version", "keys": [{"name", "is_set"}],
 * "live"}] (docs/format/command-json.md). `live` names profiles ("PROFILE" or "PROFILE=MODEL"),
 * parted by commas, that are asked for one small turn; NULL: none. A name that there is none of is
 * ERR_USAGE. */
json_t *doctor_agents(const char *live, struct err *e);
void doctor_agents_print(const json_t *rows, struct str *out);
/* Did each agent that was named answer? */
bool doctor_agents_answered(const json_t *rows);

#endif
