/*
 * A server of the model context protocol over one mailbox (docs/format/mailbox.md): it gives the
 * tools of a role to whatever client speaks the protocol. This is the conversation alone: lines go
 * in, lines come out in `out`, time is an argument; mcp_serve.h connects it to descriptors. It
 * speaks the revisions with a handshake (2024-11-05 to 2025-11-25) and the one without
 * (2026-07-28), chosen request by request.
 */
#ifndef FORGE_MCP_MCP_H
#define FORGE_MCP_MCP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/agent.h"
#include "base/str.h"

struct mcp_call;

struct mcp_spec {
	const char *mailbox;
	enum agent_role role;
	const char *run_dir; /* for resources; NULL: only the mailbox is there */
	bool is_one_turn;    /* a client in an agent's box: it sees one turn and no verdict */
};

struct mcp {
	struct mcp_spec spec;
	bool is_introduced; /* by initialize */
	bool has_kind;      /* one turn: what it asks for is known, also when it is over */
	enum turn_kind kind;
	struct str out; /* lines for the client; whoever sends them takes them away */
	struct mcp_call *calls;
	size_t nr_calls;
	int64_t answered_turn; /* the last turn that was answered here; 0: none */
	char *refused; /* why forge did not take that answer, where it told so late; or NULL */
};

void mcp_init(struct mcp *m, const struct mcp_spec *spec);
/* Take one line without its line feed. */
void mcp_take(struct mcp *m, const char *line, size_t len, uint64_t now_ns);
/* A line was too long to be kept. */
void mcp_take_too_long(struct mcp *m, size_t max_bytes);
/* Look after the calls under way; due every MCP_TICK_NS while mcp_is_busy. */
void mcp_tick(struct mcp *m, uint64_t now_ns);
bool mcp_is_busy(const struct mcp *m);
/* The client is gone: what nobody took yet is withdrawn. */
void mcp_release(struct mcp *m);
#define AUTO_MCP __attribute__((cleanup(mcp_release)))

#define MCP_TICK_NS UINT64_C(50000000)

#endif
