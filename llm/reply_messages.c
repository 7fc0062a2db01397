#include "llm/reply.h"

/* The messages format: named events that build blocks. Blocks go back with the conversation as they
 * came; thinking is signed, and a changed one is refused. */

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "llm/lenient.h"

static void keep_count(int64_t *slot, const json_t *usage, const char *key)
{
	*slot = reply_count(usage, key, *slot);
}

/* Counts in a later event replace those before: they are totals of the reply so far. Where what was
 * written is not split, all of it is of the sort that is asked for here, five minutes. */
static void take_usage(struct token_use *use, const json_t *usage)
{
	const json_t *split = json_object_get(usage, "cache_creation");
	int64_t *tokens = use->tokens;
	keep_count(&tokens[TOKENS_INPUT], usage, "input_tokens");
	keep_count(&tokens[TOKENS_CACHE_READ], usage, "cache_read_input_tokens");
	keep_count(&tokens[TOKENS_OUTPUT], usage, "output_tokens");
	if (!json_is_object(split)) {
		keep_count(&tokens[TOKENS_CACHE_WRITE_5M], usage, "cache_creation_input_tokens");
		if (tokens[TOKENS_CACHE_WRITE_5M] >= 0 && tokens[TOKENS_CACHE_WRITE_1H] < 0)
			tokens[TOKENS_CACHE_WRITE_1H] = 0;
		return;
	}
	keep_count(&tokens[TOKENS_CACHE_WRITE_5M], split, "ephemeral_5m_input_tokens");
	keep_count(&tokens[TOKENS_CACHE_WRITE_1H], split, "ephemeral_1h_input_tokens");
}

static int begin_call(struct reply *r, struct block *b, struct err *e)
{
	struct call *call = reply_add_call(r, e);
	if (!call)
		return -1;
	b->call = r->nr_calls - 1;
	reply_set(&call->id, json_text_or(b->json, "id", ""));
	reply_set(&call->name, json_text_or(b->json, "name", ""));
	return 0;
}

static int begin_block(struct reply *r, const json_t *content, struct err *e)
{
	if (!json_is_object(content) || r->nr_blocks == REPLY_MAX_BLOCKS)
		return err_set(e, ERR_INPUT, "a block that can not be kept");
	if (r->nr_blocks == r->cap_blocks) {
		r->cap_blocks = r->cap_blocks ? 2 * r->cap_blocks : 4;
		r->blocks = xreallocarray(r->blocks, r->cap_blocks, sizeof(*r->blocks));
	}
	struct block *b = &r->blocks[r->nr_blocks++];
	*b = (struct block){ .json = json_deep_copy(content) };
	str_init(&b->text);
	str_init(&b->signature);
	const char *type = json_text_or(content, "type", "");
	const char *text =
		json_text_or(content, str_equal(type, "thinking") ? "thinking" : "text", "");
	str_add(&b->text, text);
	str_add(&b->signature, json_text_or(content, "signature", ""));
	if (str_equal(type, "text"))
		reply_add_text(r, text);
	return str_equal(type, "tool_use") ? begin_call(r, b, e) : 0;
}

static void take_delta(struct reply *r, struct block *b, const json_t *delta)
{
	const char *text = json_text_or(delta, "text", NULL);
	const char *thinking = json_text_or(delta, "thinking", NULL);
	if (text) {
		str_add(&b->text, text);
		reply_add_text(r, text);
	}
	if (thinking) {
		str_add(&b->text, thinking);
		str_add(&r->reasoning, thinking);
	}
	str_add(&b->signature, json_text_or(delta, "signature", ""));
	if (r->nr_calls && str_equal(json_text_or(b->json, "type", ""), "tool_use"))
		str_add(&r->calls[b->call].arguments, json_text_or(delta, "partial_json", ""));
}

static enum reply_stop stop_of(const char *reason)
{
	static const struct {
		const char *name;
		enum reply_stop stop;
	} rows[] = {
		{ "tool_use", STOP_CALLS },
		{ "max_tokens", STOP_LENGTH },
		{ "refusal", STOP_REFUSAL },
		{ "pause_turn", STOP_PAUSE },
		{ "model_context_window_exceeded", STOP_CONTEXT },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].name, reason))
			return rows[i].stop;
	return STOP_END;
}

static int on_start(struct reply *r, const json_t *event, struct err *e)
{
	const json_t *message = json_object_get(event, "message");
	const char *model = json_text_or(message, "model", "");
	(void)e;
	if (model[0])
		reply_set(&r->model, model);
	take_usage(&r->use, json_object_get(message, "usage"));
	return 0;
}

static int on_block(struct reply *r, const json_t *event, struct err *e)
{
	if (json_int_or(event, "index", (int64_t)r->nr_blocks) != (int64_t)r->nr_blocks)
		return err_set(e, ERR_INPUT, "blocks out of order");
	return begin_block(r, json_object_get(event, "content_block"), e);
}

static int on_delta(struct reply *r, const json_t *event, struct err *e)
{
	int64_t index = json_int_or(event, "index", -1);
	if (index < 0 || index >= (int64_t)r->nr_blocks)
		return err_set(e, ERR_INPUT, "a delta of a block that was not begun");
	take_delta(r, &r->blocks[index], json_object_get(event, "delta"));
	return 0;
}

static int on_message_delta(struct reply *r, const json_t *event, struct err *e)
{
	const char *reason = json_text_or(json_object_get(event, "delta"), "stop_reason", NULL);
	(void)e;
	take_usage(&r->use, json_object_get(event, "usage"));
	if (reason)
		r->stop = stop_of(reason);
	return 0;
}

static int on_stop(struct reply *r, const json_t *event, struct err *e)
{
	(void)event;
	(void)e;
	r->is_whole = true;
	return 0;
}

static int on_error(struct reply *r, const json_t *event, struct err *e)
{
	(void)e;
	reply_set_error(r, json_object_get(event, "error"));
	return 0;
}

static const struct {
	const char *type;
	int (*take)(struct reply *r, const json_t *event, struct err *e);
} events[] = {
	{ "message_start", on_start },       { "content_block_start", on_block },
	{ "content_block_delta", on_delta }, { "message_delta", on_message_delta },
	{ "message_stop", on_stop },         { "error", on_error },
};

/* Events of types that are not known here (ping among them) are passed over. */
int reply_messages_take(struct reply *r, const char *name, const struct str *data, struct err *e)
{
	AUTO_JSON json_t *event = lenient_json(data->text, data->len, e);
	if (!event)
		return -1;
	if (!json_is_object(event))
		return err_set(e, ERR_INPUT, "the stream holds something that is no object");
	const char *type = json_text_or(event, "type", name);
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (str_equal(events[i].type, type))
			return events[i].take(r, event, e);
	return 0;
}

static int take_whole_block(struct reply *r, const json_t *content, struct err *e)
{
	const json_t *input = json_object_get(content, "input");
	if (begin_block(r, content, e) < 0)
		return -1;
	if (!json_is_object(input) || !r->nr_calls)
		return 0;
	AUTO_FREE char *text = json_line(input);
	str_add(&r->calls[r->nr_calls - 1].arguments, text);
	return 0;
}

int reply_messages_whole(struct reply *r, const json_t *body, struct err *e)
{
	const json_t *error = json_object_get(body, "error");
	const json_t *content = json_object_get(body, "content");
	if (error) {
		reply_set_error(r, error);
		return 0;
	}
	if (!json_is_array(content))
		return err_set(e, ERR_INPUT, "the answer has no content");
	take_usage(&r->use, json_object_get(body, "usage"));
	reply_set(&r->model, json_text_or(body, "model", ""));
	for (size_t i = 0; i < json_array_size(content); i++)
		if (take_whole_block(r, json_array_get(content, i), e) < 0)
			return -1;
	r->stop = stop_of(json_text_or(body, "stop_reason", ""));
	r->is_whole = true;
	return 0;
}
