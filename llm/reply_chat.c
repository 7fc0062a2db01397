#include "llm/reply.h"

/* Chat completions, as many servers speak it: fragments of calls are told apart by `index`, by a
 * new id, or by a new name, whichever the server sends; whether a reply calls tools is seen by the
 * calls and never by finish_reason. */

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "llm/lenient.h"

static struct call *find_call(struct reply *r, int64_t index)
{
	for (size_t i = r->nr_calls; i > 0; i--)
		if (r->calls[i - 1].index == index)
			return &r->calls[i - 1];
	return NULL;
}

/* The call that a fragment goes on with; NULL: it begins one. */
static struct call *continued(struct reply *r, int64_t index, const char *id, const char *name)
{
	struct call *call = NULL;
	if (index >= 0)
		call = find_call(r, index);
	else if (r->nr_calls && !(name[0] && !id[0]))
		call = &r->calls[r->nr_calls - 1];
	if (call && id[0] && call->id[0] && !str_equal(call->id, id))
		return NULL;
	return call;
}

static void add_arguments(struct call *call, const json_t *arguments)
{
	if (json_is_string(arguments))
		str_add_len(&call->arguments, json_string_value(arguments),
			    json_string_length(arguments));
	if (!json_is_object(arguments))
		return;
	AUTO_FREE char *text = json_line(arguments);
	str_add(&call->arguments, text);
}

static int take_call(struct reply *r, const json_t *fragment, struct err *e)
{
	const json_t *function = json_object_get(fragment, "function");
	int64_t index = json_int_or(fragment, "index", -1);
	const char *id = json_text_or(fragment, "id", "");
	const char *name = json_text_or(function, "name", "");
	struct call *call = continued(r, index, id, name);
	if (!call)
		call = reply_add_call(r, e);
	if (!call)
		return -1;
	call->index = index;
	if (id[0])
		reply_set(&call->id, id);
	if (name[0])
		reply_set(&call->name, name);
	add_arguments(call, json_object_get(function, "arguments"));
	return 0;
}

/* Of a detail these grow from piece to piece; all else is told once. */
static void go_on(json_t *detail, const json_t *piece)
{
	static const char *const growing[] = { "text", "summary", "data" };
	AUTO_JSON json_t *whole = json_deep_copy(piece);
	const char *key;
	json_t *value;
	for (size_t i = 0; i < ARRAY_LEN(growing); i++) {
		const char *before = json_text_or(detail, growing[i], NULL);
		const char *more = json_text_or(piece, growing[i], NULL);
		if (before && more)
			json_object_set_new(whole, growing[i], json_sprintf("%s%s", before, more));
	}
	json_object_foreach(whole, key, value)
	{
		if (!json_is_null(value) || !json_object_get(detail, key))
			json_object_set(detail, key, value);
	}
}

/* Pieces of one detail follow each other and say the same type and index; two whole ones differ in
 * the index or the id, or have no index. */
static bool is_piece_of(const json_t *detail, const json_t *piece)
{
	const json_t *index = json_object_get(piece, "index");
	const json_t *id = json_object_get(piece, "id");
	const json_t *known = json_object_get(detail, "id");
	bool is_other = json_is_string(id) && json_is_string(known) && !json_equal(id, known);
	return json_is_integer(index) && json_equal(json_object_get(detail, "index"), index) &&
	       json_equal(json_object_get(detail, "type"), json_object_get(piece, "type")) &&
	       !is_other;
}

static void take_details(struct reply *r, const json_t *pieces)
{
	size_t nr = json_array_size(pieces);
	if (nr && !r->details)
		r->details = json_array();
	for (size_t i = 0; i < nr; i++) {
		const json_t *piece = json_array_get(pieces, i);
		size_t nr_kept = json_array_size(r->details);
		json_t *last = nr_kept ? json_array_get(r->details, nr_kept - 1) : NULL;
		if (last && is_piece_of(last, piece))
			go_on(last, piece);
		else
			json_array_append_new(r->details, json_deep_copy(piece));
	}
}

static int take_delta(struct reply *r, const json_t *delta, struct err *e)
{
	const json_t *calls = json_object_get(delta, "tool_calls");
	const char *thought = json_text_or(delta, "reasoning_content", NULL);
	reply_add_text(r, json_text_or(delta, "content", ""));
	/* A refusal is text of a member of its own. */
	const char *refusal = json_text_or(delta, "refusal", NULL);
	if (refusal) {
		reply_add_text(r, refusal);
		r->stop = STOP_REFUSAL;
	}
	str_add(&r->reasoning, thought ? thought : json_text_or(delta, "reasoning", ""));
	take_details(r, json_object_get(delta, "reasoning_details"));
	for (size_t i = 0; i < json_array_size(calls); i++)
		if (take_call(r, json_array_get(calls, i), e) < 0)
			return -1;
	return 0;
}

static enum reply_stop stop_of(const char *finish)
{
	static const struct {
		const char *name;
		enum reply_stop stop;
	} rows[] = {
		{ "stop", STOP_END },
		{ "tool_calls", STOP_CALLS },
		{ "function_call", STOP_CALLS },
		{ "length", STOP_LENGTH },
		{ "content_filter", STOP_REFUSAL },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_equal(rows[i].name, finish))
			return rows[i].stop;
	return STOP_END;
}

/* The prompt counts what the cache gave and took. A server that tells no details may have a cache
 * or none; where it tells some, what is missing there is 0. The format knows one sort of writing.
 */
static void take_usage(struct token_use *use, const json_t *usage)
{
	const json_t *in = json_object_get(usage, "prompt_tokens_details");
	const json_t *out = json_object_get(usage, "completion_tokens_details");
	int64_t unsaid = json_is_object(in) ? 0 : -1;
	int64_t prompt = reply_count(usage, "prompt_tokens", -1);
	int64_t read = reply_count(in, "cached_tokens",
				   reply_count(usage, "prompt_cache_hit_tokens", unsaid));
	int64_t written = reply_count(in, "cache_write_tokens", unsaid);
	int64_t cached = (read > 0 ? read : 0) + (written > 0 ? written : 0);
	use->tokens[TOKENS_INPUT] = prompt < 0 ? -1 : prompt > cached ? prompt - cached : 0;
	use->tokens[TOKENS_CACHE_READ] = read;
	use->tokens[TOKENS_CACHE_WRITE_5M] = written;
	use->tokens[TOKENS_CACHE_WRITE_1H] = 0;
	use->tokens[TOKENS_OUTPUT] = reply_count(usage, "completion_tokens", -1);
	use->tokens[TOKENS_REASONING] = reply_count(out, "reasoning_tokens", -1);
	use->usd = json_real_or(usage, "cost", -1);
}

static int take_choice(struct reply *r, const json_t *choice, struct err *e)
{
	const json_t *delta = json_object_get(choice, "delta");
	const char *finish = json_text_or(choice, "finish_reason", NULL);
	if (take_delta(r, delta ? delta : json_object_get(choice, "message"), e) < 0)
		return -1;
	if (!finish)
		return 0;
	r->is_whole = true;
	if (r->stop != STOP_REFUSAL)
		r->stop = stop_of(finish);
	return 0;
}

int reply_chat_whole(struct reply *r, const json_t *body, struct err *e)
{
	const json_t *error = json_object_get(body, "error");
	const json_t *usage = json_object_get(body, "usage");
	const char *model = json_text_or(body, "model", "");
	if (!json_is_object(body))
		return err_set(e, ERR_INPUT, "the stream holds something that is no object");
	if (error && !json_is_null(error)) {
		reply_set_error(r, error);
		return 0;
	}
	if (model[0])
		reply_set(&r->model, model);
	if (json_is_object(usage))
		take_usage(&r->use, usage);
	return take_choice(r, json_array_get(json_object_get(body, "choices"), 0), e);
}

int reply_chat_take(struct reply *r, const char *name, const struct str *data, struct err *e)
{
	(void)name;
	if (str_equal(data->text, "[DONE]")) {
		r->is_whole = true;
		return 0;
	}
	AUTO_JSON json_t *chunk = lenient_json(data->text, data->len, e);
	return chunk ? reply_chat_whole(r, chunk, e) : -1;
}
