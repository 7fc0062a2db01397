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
