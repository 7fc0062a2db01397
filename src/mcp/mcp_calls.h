/*
 * Calls of tools that take time: what is in the mailbox and not answered yet, and `wait`. Internal
 * to src/mcp.
 */
#ifndef FORGE_MCP_MCP_CALLS_H
#define FORGE_MCP_MCP_CALLS_H

#include "agent/mailbox_post.h"
#include "mcp/mcp_in.h"

struct mcp_call {
	const struct tool_spec *tool;
	json_t *args;
	json_t *id; /* owned; NULL: nobody waits for it, its answer is for who calls the same again
		     */
	json_t *token; /* owned; of progress; NULL: none is wanted */
	enum mcp_era era;
	uint64_t since_ns;
	uint64_t told_ns;              /* when progress was told last */
	uint64_t until_ns;             /* then its caller is told that it still runs */
	char mail[MAILBOX_ID_LEN + 1]; /* "": a wait */
	int64_t turn;                  /* that it is for */
};

/* A tool's result: the object, its JSON as text, whether it is an error; takes `obj`. */
json_t *mcp_tool_result(const struct mcp *m, json_t *obj, bool is_error);
/* A tool error of words alone: what is wrong and what cures it. */
json_t *mcp_tool_error(const char *text);
/* Begin; the caller has `call` filled up to `mail`, and its references move. */
void mcp_call_begin(struct mcp *m, const struct mcp_call *call);
/* The call of the same tool with the same arguments that nobody waits for, or NULL. */
struct mcp_call *mcp_call_left(struct mcp *m, const struct tool_spec *t, const json_t *args);
size_t mcp_calls_max(void);
/* What a wait can say at once, with the result; NULL: nothing yet. */
json_t *mcp_wait_look(const struct mcp *m);

#endif
