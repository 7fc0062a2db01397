/*
 * The client side of the Agent Client Protocol, version 1: from one JSON-RPC object of an agent to
 * events (cli_event.h) and replies. Pure; the caller writes CLI_REPLY lines to the agent. One
 * request of ours is open at a time. Nothing of the client's own is offered to the agent: no files,
 * no terminal.
 */
#ifndef FORGE_AGENT_ACP_H
#define FORGE_AGENT_ACP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "agent/cli_event.h"

/* How to open a session; borrowed for the life of the client. */
struct acp_setup {
	const char *workspace;   /* absolute, as the agent sees it */
	const char *mcp_program; /* the server with our tools, and its arguments */
	const char *const *mcp_arguments;
	size_t nr_mcp_arguments;
	const char *version; /* ours */
	const char *model;   /* wanted; NULL: the agent's own choice */
	const char *auth;    /* method to log in by, if it asks; NULL: none */
	const char *const
		*allowed; /* kinds of tools that are allowed although they are not by default */
	size_t nr_allowed;
};

enum acp_step {
	ACP_IDLE,
	ACP_INITIALIZE,
	ACP_AUTHENTICATE,
	ACP_NEW_SESSION,
	ACP_LOAD_SESSION,
	ACP_SET_MODEL,
	ACP_PROMPT,
	ACP_DEAD, /* it ended in an error that no further prompt can cure */
};

struct acp {
	struct cli_sink sink;
	const struct acp_setup *setup;
	enum acp_step open; /* the request that is to be answered */
	json_int_t last_id;
	char *session; /* NULL: none yet */
	char *resume;  /* the session to load in the place of a new one; NULL: none */
	char *prompt;  /* waits for the session */
	char *methods; /* by which one can log in; for messages */
	json_t *calls; /* what was told of tool calls: id -> {kind, locations} */
	json_t *tools; /* open ones */
	double usd;    /* of the session so far */
	double told_usd;
	bool has_usd; /* told since the last prompt ended */
	bool has_tried_auth;
	bool is_cancelled;
};

void acp_init(struct acp *a, const struct acp_setup *setup, struct cli_sink sink);
void acp_release(struct acp *a);
/* The next session is this one, of an earlier process, for which `told_usd` was recorded. */
void acp_resume(struct acp *a, const char *session, double told_usd);
/* Ask; opens the session first if there is none. One CLI_TURN_END will follow. */
void acp_prompt(struct acp *a, const char *text);
/* Ask it to end the turn; says so once. */
void acp_cancel(struct acp *a);
/* No answer will come: ends open tools. */
void acp_cut(struct acp *a);
void acp_take(struct acp *a, const json_t *msg);

#endif
