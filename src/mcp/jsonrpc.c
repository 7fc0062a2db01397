#include "mcp/jsonrpc.h"

/* Reading is as tolerant as the text allows (of two members of one name the last counts, U+0000 is
 * a character like any other), since a request that gets no answer with its id leaves its sender
 * waiting. What the protocol forbids, such as a fraction as an id, is refused by a code. */

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"

enum { MAX_FAULT_BYTES = 1000 };

int rpc_fault_set(struct rpc_fault *f, enum rpc_code code, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	struct str line = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	untrusted_line(&line, text.text, MAX_FAULT_BYTES);
	rpc_fault_release(f);
	f->code = code;
	f->text = str_take(&line);
	return -1;
}

void rpc_fault_release(struct rpc_fault *f)
{
	free(f->text);
	json_decref(f->data);
	*f = (struct rpc_fault){ 0 };
}

static void refuse(struct rpc_message *r, enum rpc_code code, const char *why)
{
	r->kind = RPC_BAD;
	rpc_fault_set(&r->fault, code, "%s", why);
}

/* Text that C reads whole. */
static bool is_plain_text(const json_t *value)
{
	return json_is_string(value) &&
	       strlen(json_string_value(value)) == json_string_length(value);
}

static bool is_response(const json_t *root)
{
	return !json_object_get(root, "method") &&
	       (json_object_get(root, "result") || json_object_get(root, "error"));
}

/* What is wrong is told in this order; a message with an id keeps it. */
static void read_members(struct rpc_message *r)
{
	const json_t *id = json_object_get(r->root, "id");
	const json_t *method = json_object_get(r->root, "method");
	const json_t *version = json_object_get(r->root, "jsonrpc");
	r->params = json_object_get(r->root, "params");
	r->method = json_string_value(method);
	if (json_is_string(id) || json_is_integer(id))
		r->id = id;
	if (is_response(r->root))
		r->kind = RPC_RESPONSE;
	else if (id && !r->id)
		refuse(r, RPC_NO_REQUEST, "\"id\" must be a string or an integer");
	else if (!is_plain_text(version) || !str_equal(json_string_value(version), "2.0"))
		refuse(r, RPC_NO_REQUEST, "\"jsonrpc\" must be \"2.0\"");
	else if (!is_plain_text(method))
		refuse(r, RPC_NO_REQUEST, "\"method\" must be a string");
	else if (r->params && !json_is_object(r->params))
		refuse(r, RPC_BAD_PARAMS, "\"params\" must be an object");
	else
		r->kind = id ? RPC_REQUEST : RPC_NOTIFICATION;
}

static void refuse_text(struct rpc_message *r, const json_error_t *why)
{
	r->kind = RPC_BAD;
	rpc_fault_set(&r->fault, RPC_NOT_JSON, "column %d: %s", why->column, why->text);
}

void rpc_read(struct rpc_message *r, const char *line, size_t len)
{
	json_error_t why;
	*r = (struct rpc_message){ .kind = RPC_BAD };
	/* jansson passes over such a byte where it ends a number. */
	if (memchr(line, 0, len)) {
		refuse(r, RPC_NOT_JSON, "a NUL byte");
		return;
	}
	r->root = json_loadb(line, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
	if (!r->root)
		refuse_text(r, &why);
	else if (json_is_array(r->root))
		refuse(r, RPC_NO_REQUEST, "a batch; send one request a line");
	else if (!json_is_object(r->root))
		refuse(r, RPC_NO_REQUEST, "a message is an object");
	else
		read_members(r);
}

void rpc_message_release(struct rpc_message *r)
{
	json_decref(r->root);
	rpc_fault_release(&r->fault);
	*r = (struct rpc_message){ 0 };
}

static void add_line(struct str *out, json_t *message)
{
	AUTO_FREE char *line = json_line(message);
	str_add(out, line);
	str_add_char(out, '\n');
	json_decref(message);
}

void rpc_add_result(struct str *out, const json_t *id, const json_t *result)
{
	add_line(out, json_pack("{s:s, s:O, s:O}", "jsonrpc", "2.0", "id", id, "result", result));
}

void rpc_add_error(struct str *out, const json_t *id, const struct rpc_fault *f)
{
	add_line(out,
		 json_pack("{s:s, s:O*, s:{s:i, s:s, s:O*}}", "jsonrpc", "2.0", "id", id, "error",
			   "code", (int)f->code, "message", f->text, "data", f->data));
}

void rpc_add_notification(struct str *out, const char *method, const json_t *params)
{
	add_line(out, json_pack("{s:s, s:s, s:O}", "jsonrpc", "2.0", "method", method, "params",
				params));
}

/* Keys have none: the parser refuses it there. Its JSON_PARSER_MAX_DEPTH bounds the depth. */
bool rpc_has_nul(const json_t *value)
{
	const char *key;
	json_t *item;
	if (json_is_string(value))
		return !is_plain_text(value);
	for (size_t i = 0; i < json_array_size(value); i++)
		if (rpc_has_nul(json_array_get(value, i)))
			return true;
	/* jansson's iterator wants a mutable object; it only reads. */
	json_object_foreach((json_t *)(uintptr_t)value, key, item)
	{
		if (rpc_has_nul(item))
			return true;
	}
	return false;
}
