#include "llm/reply.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "llm/lenient.h"

/* No request has more tokens, and sums of some counts fit. */
#define MAX_COUNT (INT64_C(1) << 50)

void reply_init(struct reply *r)
{
	*r = (struct reply){ .use = { .usd = -1 } };
	for (size_t i = 0; i < NR_TOKEN_KINDS; i++)
		r->use.tokens[i] = -1;
	str_init(&r->text);
	str_init(&r->reasoning);
}

void reply_release(struct reply *r)
{
	for (size_t i = 0; i < r->nr_calls; i++) {
		free(r->calls[i].id);
		free(r->calls[i].name);
		str_release(&r->calls[i].arguments);
	}
	for (size_t i = 0; i < r->nr_blocks; i++) {
		json_decref(r->blocks[i].json);
		str_release(&r->blocks[i].text);
		str_release(&r->blocks[i].signature);
	}
	json_decref(r->details);
	free(r->calls);
	free(r->blocks);
	free(r->model);
	free(r->error_type);
	free(r->error_text);
	str_release(&r->text);
	str_release(&r->reasoning);
}

struct call *reply_add_call(struct reply *r, struct err *e)
{
	if (r->nr_calls == REPLY_MAX_CALLS) {
		err_set(e, ERR_INPUT, "more than %d tool calls in one reply", REPLY_MAX_CALLS);
		return NULL;
	}
	if (r->nr_calls == r->cap_calls) {
		r->cap_calls = r->cap_calls ? 2 * r->cap_calls : 4;
		r->calls = xreallocarray(r->calls, r->cap_calls, sizeof(*r->calls));
	}
	struct call *call = &r->calls[r->nr_calls++];
	*call = (struct call){ .index = -1, .id = xstrdup(""), .name = xstrdup("") };
	str_init(&call->arguments);
	return call;
}

void reply_add_text(struct reply *r, const char *text)
{
	str_add(&r->text, text);
	if (r->see_text && text[0])
		r->see_text(r->ctx, text);
}

int64_t reply_count(const json_t *usage, const char *key, int64_t otherwise)
{
	int64_t value = json_int_or(usage, key, -1);
	return value >= 0 && value <= MAX_COUNT ? value : otherwise;
}

void reply_set(char **slot, const char *text)
{
	free(*slot);
	*slot = xstrdup(text);
}

/* Codes are numbers at some providers and words at others; a word says more than the type. */
void reply_set_error(struct reply *r, const json_t *error)
{
	const char *code = json_text_or(error, "code", NULL);
	const char *text = json_is_string(error) ? json_string_value(error)
						 : json_text_or(error, "message", "no message");
	reply_set(&r->error_type, code ? code : json_text_or(error, "type", ""));
	reply_set(&r->error_text, text);
}

static void end_block(const struct reply *r, struct block *b)
{
	const char *type = json_text_or(b->json, "type", "");
	if (str_equal(type, "text"))
		json_object_set_new(b->json, "text", json_string(b->text.text));
	if (str_equal(type, "thinking")) {
		json_object_set_new(b->json, "thinking", json_string(b->text.text));
		json_object_set_new(b->json, "signature", json_string(b->signature.text));
	}
	if (!str_equal(type, "tool_use"))
		return;
	/* What is no object can not go back as one; the call's own error tells the model. */
	struct err ignored = { 0 };
	const struct str *arguments = &r->calls[b->call].arguments;
	json_t *input = lenient_json(arguments->text, arguments->len, &ignored);
	if (!json_is_object(input)) {
		json_decref(input);
		input = json_object();
	}
	json_object_set_new(b->json, "input", input);
}

void reply_end(struct reply *r)
{
	for (size_t i = 0; i < r->nr_calls; i++) {
		if (r->calls[i].id[0])
			continue;
		free(r->calls[i].id);
		r->calls[i].id = xasprintf("call_%zu", i);
	}
	for (size_t i = 0; i < r->nr_blocks; i++)
		end_block(r, &r->blocks[i]);
}
