/*
 * JSON-RPC 2.0, one object a line, as the model context protocol has it: ids are strings or
 * integers and come back as they were, params are objects, there are no batches. Pure. A line that
 * is no message is a value, not an error: rpc_read never fails.
 */
#ifndef FORGE_MCP_JSONRPC_H
#define FORGE_MCP_JSONRPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum rpc_code {
	RPC_NOT_JSON = -32700,
	RPC_NO_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_BAD_PARAMS = -32602,
	RPC_NO_RESOURCE = -32002, /* until 2025-11-25; later RPC_BAD_PARAMS */
	RPC_BAD_VERSION = -32022,
};

/* The error of an answer. Zero: none. */
struct rpc_fault {
	enum rpc_code code;
	char *text;   /* owned, one harmless line */
	json_t *data; /* owned or NULL */
};

/* Fill `f` and return -1. */
int rpc_fault_set(struct rpc_fault *f, enum rpc_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rpc_fault_release(struct rpc_fault *f);
#define AUTO_RPC_FAULT __attribute__((cleanup(rpc_fault_release)))

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE, RPC_BAD };

struct rpc_message {
	enum rpc_kind kind;
	json_t *root;           /* owned */
	const json_t *id;       /* borrowed; NULL: it has none that can be echoed */
	const char *method;     /* borrowed */
	const json_t *params;   /* borrowed object or NULL */
	struct rpc_fault fault; /* RPC_BAD: what is wrong with it */
};

void rpc_read(struct rpc_message *r, const char *line, size_t len);
void rpc_message_release(struct rpc_message *r);
#define AUTO_RPC_MESSAGE __attribute__((cleanup(rpc_message_release)))

/* Append one line with its line feed. `id` NULL: the answer to a line whose id nobody knows. */
void rpc_add_result(struct str *out, const json_t *id, const json_t *result);
void rpc_add_error(struct str *out, const json_t *id, const struct rpc_fault *f);
void rpc_add_notification(struct str *out, const char *method, const json_t *params);

/* Is U+0000 in any string? Such text ends early for whoever reads it as C does. */
bool rpc_has_nul(const json_t *value);

#endif
