#include "llm/llm_format.h"

/* POST /v1/messages. Results of one message's calls stand in one message of the user, first.
 * Breakpoints of the cache: the tools, the system text, and the two newest messages of the user, so
 * that a request finds what the one before it wrote. */

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "llm/llm_settings.h"
#include "llm/talk.h"

enum { CACHED_MESSAGES = 2 };

static void mark(json_t *block)
{
	json_object_set_new(block, "cache_control", json_pack("{s:s}", "type", "ephemeral"));
}

static json_t *text_block(const char *text)
{
	return json_pack("{s:s, s:s}", "type", "text", "text", text);
}

static json_t *result_block(const struct talk_item *item)
{
	json_t *block = json_pack("{s:s, s:s, s:s}", "type", "tool_result", "tool_use_id",
				  item->call_id, "content", item->text);
	if (item->is_error)
		json_object_set_new(block, "is_error", json_true());
	return block;
}

/* What the model said, out of its parts where no blocks came. */
static json_t *model_blocks(const struct talk_item *item)
{
	if (item->blocks)
		return json_deep_copy(item->blocks);
	json_t *blocks = json_array();
	if (item->text[0])
		json_array_append_new(blocks, text_block(item->text));
	for (size_t i = 0; i < item->nr_calls; i++)
		json_array_append_new(
			blocks, json_pack("{s:s, s:s, s:s, s:o}", "type", "tool_use", "id",
					  item->calls[i].id, "name", item->calls[i].name, "input",
					  json_loads(item->calls[i].arguments, 0, NULL)));
	return blocks;
}

/* The content of the last message where that is of this role, else that of a new one. */
static json_t *content_for(json_t *messages, const char *role)
{
	size_t nr = json_array_size(messages);
	json_t *last = nr ? json_array_get(messages, nr - 1) : NULL;
	if (!last || !str_equal(json_text_or(last, "role", ""), role)) {
		last = json_pack("{s:s, s:[]}", "role", role, "content");
		json_array_append_new(messages, last);
	}
	return json_object_get(last, "content");
}

static void add_item(json_t *messages, const struct talk_item *item)
{
	switch (item->kind) {
	case TALK_USER:
		json_array_append_new(content_for(messages, "user"), text_block(item->text));
		break;
	case TALK_RESULT:
		json_array_append_new(content_for(messages, "user"), result_block(item));
		break;
	case TALK_MODEL: {
		AUTO_JSON json_t *blocks = model_blocks(item);
		if (json_array_size(blocks))
			json_array_extend(content_for(messages, "assistant"), blocks);
		break;
	}
	}
}

static void mark_newest(json_t *messages)
{
	size_t left = CACHED_MESSAGES;
	for (size_t i = json_array_size(messages); i > 0 && left; i--) {
		json_t *m = json_array_get(messages, i - 1);
		json_t *content = json_object_get(m, "content");
		if (!str_equal(json_text_or(m, "role", ""), "user"))
			continue;
		mark(json_array_get(content, json_array_size(content) - 1));
		left--;
	}
}

static void add_tools(json_t *out, const struct llm_settings *s, const struct talk *t)
{
	json_t *tools = json_array();
	for (size_t i = 0; i < json_array_size(t->tools); i++) {
		const json_t *tool = json_array_get(t->tools, i);
		json_array_append_new(
			tools, json_pack("{s:O, s:O*, s:O*}", "name", json_object_get(tool, "name"),
					 "description", json_object_get(tool, "description"),
					 "input_schema", json_object_get(tool, "schema")));
	}
	mark(json_array_get(tools, json_array_size(tools) - 1));
	json_object_set_new(out, "tools", tools);
	json_object_set_new(out, "tool_choice",
			    json_pack("{s:s}", "type", s->must_call ? "any" : "auto"));
}

static json_t *body(const struct llm_settings *s, const struct talk *t)
{
	json_t *head = text_block(t->head);
	mark(head);
	json_t *messages = json_array();
	for (size_t i = 0; i < t->nr_items; i++)
		add_item(messages, &t->items[i]);
	mark_newest(messages);
	json_t *out = json_pack("{s:s, s:b, s:[o], s:o}", "model", s->model, "stream", 1, "system",
				head, "messages", messages);
	json_object_set_new(out, "max_tokens", json_integer(s->max_output_tokens));
	if (json_array_size(t->tools))
		add_tools(out, s, t);
	llm_body_finish(out, s);
	return out;
}

static void headers(const char *key, struct strv *out)
{
	strv_add(out, "anthropic-version: 2023-06-01");
	if (key)
		strv_addf(out, "x-api-key: %s", key);
}

const struct llm_format llm_messages = {
	.name = "anthropic",
	.path = "/v1/messages",
	.body = body,
	.headers = headers,
	.take = reply_messages_take,
	.whole = reply_messages_whole,
};
