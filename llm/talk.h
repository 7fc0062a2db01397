/*
 * The conversation with a model in one turn, as neither format spells it. It grows at its end
 * only, so that a provider's cache of its beginning holds; when it grows beyond its room the
 * outputs of the oldest tool calls are elided, and nothing else. Pure.
 */
#ifndef FORGE_LLM_TALK_H
#define FORGE_LLM_TALK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct reply;

enum talk_kind { TALK_USER, TALK_MODEL, TALK_RESULT };

struct talk_call {
	const char *id;
	const char *name;
	const char *arguments; /* JSON of an object */
};

struct talk_item {
	enum talk_kind kind;
	const char *text;
	/* TALK_MODEL */
	const char *reasoning;
	struct talk_call *calls;
	size_t nr_calls;
	json_t *blocks;  /* as the messages format sent them; NULL: none */
	json_t *details; /* of the reasoning, as they came; NULL: none */
	/* TALK_RESULT */
	const char *call_id;
	bool is_error;
	bool is_elided;
};

struct talk {
	struct arena arena;
	const char *head;
	json_t *tools; /* [{name, description, schema}]; owned */
	struct talk_item *items;
	size_t nr_items;
	size_t cap_items;
};

void talk_init(struct talk *t, const char *head, const json_t *tools);
void talk_release(struct talk *t);
#define AUTO_TALK __attribute__((cleanup(talk_release)))
void talk_add_user(struct talk *t, const char *text);
void talk_add_reply(struct talk *t, const struct reply *r);
void talk_add_result(struct talk *t, const char *call_id, const char *text, bool is_error);
/* Item `i`, to go on from in a later process; a new reference. */
json_t *talk_item_json(const struct talk *t, size_t i);
/* Append what talk_item_json gave. -1: it is none. */
int talk_restore(struct talk *t, const json_t *item);
/* The calls of the model's last words that have no result yet: the first of them, and how many.
 * They are the caller's to make. */
const struct talk_call *talk_open_calls(const struct talk *t, size_t *nr);
/* Bytes that a request carries, about. */
size_t talk_bytes(const struct talk *t);
/* Elide outputs, oldest first, until at most `max_bytes` are left or only the newest exchanges
 * are. True when something was elided. */
bool talk_elide(struct talk *t, size_t max_bytes);

#endif
