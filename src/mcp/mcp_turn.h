/* The turn that is open in the mailbox, read once for a request. */
#ifndef FORGE_MCP_MCP_TURN_H
#define FORGE_MCP_MCP_TURN_H

#include <jansson.h>
#include <stdint.h>

#include "agent/agent.h"

struct err;
struct mcp;

struct mcp_turn {
	json_t *json; /* owned: turn.json of docs/format/mailbox.md */
	int64_t id;
	enum turn_kind kind;
	const json_t *data; /* borrowed from json */
};

/* -1 and ERR_INPUT where no turn is open: the text says what the run does instead and what the
 * client can do. */
int mcp_turn_load(struct mcp_turn *t, const struct mcp *m, struct err *e);
void mcp_turn_release(struct mcp_turn *t);
#define AUTO_MCP_TURN __attribute__((cleanup(mcp_turn_release)))

#endif
