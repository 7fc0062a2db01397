/*
 * What the files of the server share: a request with its era, and the answers to each method.
 * Internal to src/mcp.
 */
#ifndef FORGE_MCP_MCP_IN_H
#define FORGE_MCP_MCP_IN_H

#include "mcp/jsonrpc.h"
#include "mcp/mcp.h"

struct err;
struct tool_spec;

/* With a handshake and a session, or each request on its own. */
enum mcp_era { MCP_LEGACY, MCP_MODERN };

struct mcp_ask {
	enum mcp_era era;
	const json_t *id;
	const json_t *params; /* NULL: none */
	uint64_t now_ns;
};

/* 0 with *result, or with NULL there for an answer that comes later; -1 with the fault. */
typedef int (*mcp_answer_fn)(struct mcp *m, const struct mcp_ask *ask, json_t **result,
			     struct rpc_fault *f);

int mcp_list_tools(struct mcp *m, const struct mcp_ask *ask, json_t **result, struct rpc_fault *f);
int mcp_call_tool(struct mcp *m, const struct mcp_ask *ask, json_t **result, struct rpc_fault *f);
int mcp_list_resources(struct mcp *m, const struct mcp_ask *ask, json_t **result,
		       struct rpc_fault *f);
int mcp_list_templates(struct mcp *m, const struct mcp_ask *ask, json_t **result,
		       struct rpc_fault *f);
int mcp_read_resource(struct mcp *m, const struct mcp_ask *ask, json_t **result,
		      struct rpc_fault *f);

/* The offered tool of that name, or NULL with the fault. */
const struct tool_spec *mcp_find_tool(struct mcp *m, const char *name, struct rpc_fault *f);
/* Add what the era wants in every result; takes `result`. */
void mcp_send_result(struct mcp *m, const struct mcp_ask *ask, bool is_cached, json_t *result);
/* Stop the call of this id; its sender hears nothing more of it. */
void mcp_cancel(struct mcp *m, const json_t *id);

#endif
