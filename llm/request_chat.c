#include "llm/llm_format.h"

/* POST /chat/completions: the members that all servers know, and what the profile adds. */

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "llm/llm_settings.h"
#include "llm/talk.h"

static json_t *calls_of(const struct talk_item *item)
{
	json_t *calls = json_array();
	for (size_t i = 0; i < item->nr_calls; i++) {
		const struct talk_call *c = &item->calls[i];
		json_array_append_new(calls, json_pack("{s:s, s:s, s:{s:s, s:s}}", "id", c->id,
						       "type", "function", "function", "name",
						       c->name, "arguments", c->arguments));
	}
	return calls;
}

static const char in_details[] = "reasoning_details";

/* A message carries its reasoning where the provider wants it back; details, which may be signed or
 * hold what is no text, as they came. */
static void add_reasoning(const struct llm_settings *s, const struct talk_item *item, json_t *m)
{
	bool takes_details = str_equal(s->echo_reasoning, in_details);
	if (takes_details && item->details)
		json_object_set(m, in_details, item->details);
	else if (takes_details && item->reasoning[0])
		json_object_set_new(m, "reasoning", json_string(item->reasoning));
	else if (!takes_details && s->echo_reasoning)
		json_object_set_new(m, s->echo_reasoning, json_string(item->reasoning));
}

static json_t *of_model(const struct llm_settings *s, const struct talk_item *item)
{
	json_t *content = item->text[0] || !item->nr_calls ? json_string(item->text) : json_null();
	json_t *m = json_pack("{s:s, s:o}", "role", "assistant", "content", content);
	add_reasoning(s, item, m);
	if (item->nr_calls)
		json_object_set_new(m, "tool_calls", calls_of(item));
	return m;
}

static json_t *message(const struct llm_settings *s, const struct talk_item *item)
{
	switch (item->kind) {
	case TALK_USER:
		return json_pack("{s:s, s:s}", "role", "user", "content", item->text);
	case TALK_MODEL:
		return of_model(s, item);
	case TALK_RESULT:
		return json_pack("{s:s, s:s, s:s}", "role", "tool", "tool_call_id", item->call_id,
				 "content", item->text);
	}
	return NULL;
}

static json_t *tool(const struct llm_settings *s, const json_t *t)
{
	json_t *function = json_pack("{s:O, s:O*, s:O*}", "name", json_object_get(t, "name"),
				     "description", json_object_get(t, "description"), "parameters",
				     json_object_get(t, "schema"));
	if (s->is_strict)
		json_object_set_new(function, "strict", json_true());
	return json_pack("{s:s, s:o}", "type", "function", "function", function);
}

static void add_tools(json_t *body, const struct llm_settings *s, const struct talk *t)
{
	json_t *tools = json_array();
	for (size_t i = 0; i < json_array_size(t->tools); i++)
		json_array_append_new(tools, tool(s, json_array_get(t->tools, i)));
	json_object_set_new(body, "tools", tools);
	json_object_set_new(body, "tool_choice", json_string(s->must_call ? "required" : "auto"));
}

static json_t *body(const struct llm_settings *s, const struct talk *t)
{
	json_t *messages = json_array();
	json_array_append_new(messages,
			      json_pack("{s:s, s:s}", "role", "system", "content", t->head));
	for (size_t i = 0; i < t->nr_items; i++)
		json_array_append_new(messages, message(s, &t->items[i]));
	json_t *out =
		json_pack("{s:s, s:b, s:o}", "model", s->model, "stream", 1, "messages", messages);
	json_object_set_new(out, s->max_tokens_field, json_integer(s->max_output_tokens));
	if (s->has_stream_usage)
		json_object_set_new(out, "stream_options", json_pack("{s:b}", "include_usage", 1));
	if (json_array_size(t->tools))
		add_tools(out, s, t);
	llm_body_finish(out, s);
	return out;
}

static void headers(const char *key, struct strv *out)
{
	if (key)
		strv_addf(out, "Authorization: Bearer %s", key);
}

const struct llm_format llm_chat = {
	.name = "openai-chat",
	.path = "/chat/completions",
	.body = body,
	.headers = headers,
	.take = reply_chat_take,
	.whole = reply_chat_whole,
};
