#include "llm/talk.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "base/err.h"
#include "llm/lenient.h"
#include "llm/reply.h"

enum {
	KEPT_EXCHANGES = 4, /* the newest, which the model is at work on */
	SMALL_BYTES = 200,  /* eliding less saves nothing */
	CALL_BYTES = 64,    /* names and punctuation around a call or a message */
};

void talk_init(struct talk *t, const char *head, const json_t *tools)
{
	*t = (struct talk){ .tools = tools ? json_deep_copy(tools) : json_array() };
	t->head = arena_strdup(&t->arena, head);
}

void talk_release(struct talk *t)
{
	for (size_t i = 0; i < t->nr_items; i++) {
		json_decref(t->items[i].blocks);
		json_decref(t->items[i].details);
	}
	free(t->items);
	json_decref(t->tools);
	arena_release(&t->arena);
}

static struct talk_item *add_item(struct talk *t, enum talk_kind kind, const char *text)
{
	if (t->nr_items == t->cap_items) {
		t->cap_items = t->cap_items ? 2 * t->cap_items : 16;
		t->items = xreallocarray(t->items, t->cap_items, sizeof(*t->items));
	}
	struct talk_item *item = &t->items[t->nr_items++];
	*item = (struct talk_item){ .kind = kind, .text = arena_strdup(&t->arena, text) };
	return item;
}

void talk_add_user(struct talk *t, const char *text)
{
	add_item(t, TALK_USER, text);
}

/* Arguments that are no object go back as an empty one: servers parse the history, and the call's
 * own error tells the model what it wrote. */
static const char *sound_arguments(struct talk *t, const struct str *arguments)
{
	struct err ignored = { 0 };
	AUTO_JSON json_t *json = lenient_json(arguments->text, arguments->len, &ignored);
	if (!json_is_object(json))
		return "{}";
	AUTO_FREE char *text = json_line(json);
	return arena_strdup(&t->arena, text);
}

/* An empty text is refused on its way back. */
static json_t *blocks_of(const struct reply *r)
{
	json_t *blocks = json_array();
	for (size_t i = 0; i < r->nr_blocks; i++) {
		json_t *block = r->blocks[i].json;
		if (!str_equal(json_text_or(block, "type", ""), "text") || r->blocks[i].text.len)
			json_array_append(blocks, block);
	}
	return blocks;
}

void talk_add_reply(struct talk *t, const struct reply *r)
{
	struct talk_item *item = add_item(t, TALK_MODEL, r->text.text);
	item->reasoning = arena_strdup(&t->arena, r->reasoning.text);
	item->calls = arena_array(&t->arena, r->nr_calls, sizeof(*item->calls));
	item->nr_calls = r->nr_calls;
	for (size_t i = 0; i < r->nr_calls; i++)
		item->calls[i] = (struct talk_call){
			.id = arena_strdup(&t->arena, r->calls[i].id),
			.name = arena_strdup(&t->arena, r->calls[i].name),
			.arguments = sound_arguments(t, &r->calls[i].arguments),
		};
	item->blocks = r->nr_blocks ? blocks_of(r) : NULL;
	item->details = json_incref(r->details);
}

void talk_add_result(struct talk *t, const char *call_id, const char *text, bool is_error)
{
	struct talk_item *item = add_item(t, TALK_RESULT, text);
	item->call_id = arena_strdup(&t->arena, call_id);
	item->is_error = is_error;
}

static const char *const kind_names[] = {
	[TALK_USER] = "user", [TALK_MODEL] = "model", [TALK_RESULT] = "result"
};

/* Words of a parser may be cut in the middle of a character. */
static json_t *text_json(const char *text)
{
	AUTO_STR struct str sound = STR_INIT;
	json_t *value = json_string(text);
	if (value)
		return value;
	json_mend(&sound, text, strlen(text), false);
	return json_string(sound.text);
}

static json_t *calls_json(const struct talk_item *item)
{
	json_t *calls = json_array();
	for (size_t i = 0; i < item->nr_calls; i++)
		json_array_append_new(calls, json_pack("{s:o, s:o, s:o}", "id",
						       text_json(item->calls[i].id), "name",
						       text_json(item->calls[i].name), "arguments",
						       text_json(item->calls[i].arguments)));
	return calls;
}

json_t *talk_item_json(const struct talk *t, size_t i)
{
	const struct talk_item *item = &t->items[i];
	json_t *out = json_pack("{s:s, s:o}", "kind", kind_names[item->kind], "text",
				text_json(item->text));
	if (item->kind == TALK_MODEL) {
		json_object_set_new(out, "reasoning", text_json(item->reasoning));
		json_object_set_new(out, "calls", calls_json(item));
	}
	if (item->blocks)
		json_object_set(out, "blocks", item->blocks);
	if (item->details)
		json_object_set(out, "details", item->details);
	if (item->kind == TALK_RESULT) {
		json_object_set_new(out, "call_id", text_json(item->call_id));
		json_object_set_new(out, "is_error", json_boolean(item->is_error));
	}
	return out;
}

static void restore_model(struct talk *t, struct talk_item *item, const json_t *from)
{
	const json_t *calls = json_object_get(from, "calls");
	json_t *blocks = json_object_get(from, "blocks");
	item->reasoning = arena_strdup(&t->arena, json_text_or(from, "reasoning", ""));
	item->nr_calls = json_array_size(calls);
	item->calls = arena_array(&t->arena, item->nr_calls, sizeof(*item->calls));
	for (size_t i = 0; i < item->nr_calls; i++) {
		const json_t *call = json_array_get(calls, i);
		item->calls[i] = (struct talk_call){
			.id = arena_strdup(&t->arena, json_text_or(call, "id", "")),
			.name = arena_strdup(&t->arena, json_text_or(call, "name", "")),
			.arguments = arena_strdup(&t->arena, json_text_or(call, "arguments", "{}")),
		};
	}
	item->blocks = json_is_array(blocks) ? json_incref(blocks) : NULL;
	item->details = json_incref(json_object_get(from, "details"));
}

int talk_restore(struct talk *t, const json_t *from)
{
	const char *kind = json_text_or(from, "kind", "");
	const char *text = json_text_or(from, "text", NULL);
	if (text && str_equal(kind, kind_names[TALK_USER])) {
		talk_add_user(t, text);
		return 0;
	}
	if (text && str_equal(kind, kind_names[TALK_RESULT])) {
		talk_add_result(t, json_text_or(from, "call_id", ""), text,
				json_bool_or(from, "is_error", false));
		return 0;
	}
	if (!text || !str_equal(kind, kind_names[TALK_MODEL]))
		return -1;
	restore_model(t, add_item(t, TALK_MODEL, text), from);
	return 0;
}

const struct talk_call *talk_open_calls(const struct talk *t, size_t *nr)
{
	size_t answered = 0;
	*nr = 0;
	for (size_t i = t->nr_items; i > 0; i--) {
		const struct talk_item *item = &t->items[i - 1];
		if (item->kind == TALK_USER)
			return NULL;
		if (item->kind == TALK_RESULT) {
			answered++;
			continue;
		}
		*nr = item->nr_calls > answered ? item->nr_calls - answered : 0;
		return *nr ? &item->calls[answered] : NULL;
	}
	return NULL;
}

static size_t item_bytes(const struct talk_item *item)
{
	size_t bytes = CALL_BYTES + strlen(item->text);
	if (item->reasoning)
		bytes += strlen(item->reasoning);
	if (item->details)
		bytes += json_dumpb(item->details, NULL, 0, JSON_COMPACT);
	for (size_t i = 0; i < item->nr_calls; i++)
		bytes += CALL_BYTES + strlen(item->calls[i].arguments);
	return bytes;
}

size_t talk_bytes(const struct talk *t)
{
	AUTO_FREE char *tools = json_line(t->tools);
	size_t bytes = strlen(t->head) + strlen(tools);
	for (size_t i = 0; i < t->nr_items; i++)
		bytes += item_bytes(&t->items[i]);
	return bytes;
}

/* The first item of the newest exchanges: an exchange begins with what the model said. */
static size_t newest(const struct talk *t)
{
	size_t left = KEPT_EXCHANGES;
	for (size_t i = t->nr_items; i > 0; i--)
		if (t->items[i - 1].kind == TALK_MODEL && --left == 0)
			return i - 1;
	return 0;
}

bool talk_elide(struct talk *t, size_t max_bytes)
{
	bool has_elided = false;
	size_t bytes = talk_bytes(t);
	size_t end = newest(t);
	for (size_t i = 0; i < end && bytes > max_bytes; i++) {
		struct talk_item *item = &t->items[i];
		size_t len = strlen(item->text);
		if (item->kind != TALK_RESULT || item->is_elided || len < SMALL_BYTES)
			continue;
		item->text = arena_printf(&t->arena, "[elided %zu bytes]", len);
		item->is_elided = has_elided = true;
		bytes -= len - strlen(item->text);
	}
	return has_elided;
}
