/*
 * A turn of a CLI agent: how it is asked, what becomes of the end of a prompt, when it is asked
 * again, and how its program is stopped. Internal to cli_agent.c.
 */
#ifndef FORGE_AGENT_CLI_TURN_H
#define FORGE_AGENT_CLI_TURN_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/cli_event.h"

struct cli;
struct err;

/* The turn was offered in the mailbox: send the first prompt. `turn`: the line of the wire. */
int cli_turn_begin(struct cli *c, const json_t *turn, struct err *e);
/* The turn ended without an answer that can be taken: ask once more. */
int cli_turn_ask_again(struct cli *c, const char *why, struct err *e);
/* What its stream says: a cli_event_fn. */
void cli_turn_see(void *ctx, const struct cli_event *event);
/* What is due by the clock. */
void cli_turn_tick(struct cli *c);
/* Its output ended. */
void cli_turn_gone(struct cli *c);
/* Its output can not be followed any more. */
void cli_turn_break(struct cli *c, enum cli_error error, const char *why);
/* Interrupt, end of input, SIGTERM, SIGKILL: each after a while. */
void cli_turn_stop_process(struct cli *c);

/* Of cli_agent.c. Read what it said; false: nothing new. */
bool cli_take_output(struct cli *c);

#endif
