/*
 * The session of a CLI agent that forge was stopped in the middle of: which one it was, and what
 * was recorded of it. Internal to cli_turn.c.
 */
#ifndef FORGE_AGENT_CLI_RESUME_H
#define FORGE_AGENT_CLI_RESUME_H

#include <jansson.h>
#include <stdbool.h>

struct cli;

/* Does the turn (a line of the wire) tell a session of an earlier process that this agent can take
 * up? Then the next process is asked for it. */
bool cli_resume_take(struct cli *c, const json_t *turn);

#endif
