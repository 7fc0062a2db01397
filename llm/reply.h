/*
 * What a model said to one request, gathered from the events of a stream. The readers of the two
 * formats (reply_chat.c, reply_messages.c) fill it; nothing else knows how a provider spells it.
 * Pure: bytes in, a struct out, and any cut of the stream gives the same.
 */
#ifndef FORGE_LLM_REPLY_H
#define FORGE_LLM_REPLY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct err;

/* Why the model stopped. */
enum reply_stop {
	STOP_NONE, /* nothing was said about it */
	STOP_END,
	STOP_CALLS,
	STOP_LENGTH,
	STOP_REFUSAL,
	STOP_PAUSE,   /* ask again with the same conversation */
	STOP_CONTEXT, /* the conversation does not fit the model */
};

struct call {
	int64_t index; /* as the stream counts it */
	char *id;      /* "" until it is told; reply_end makes one */
	char *name;
	struct str arguments; /* text as it came */
};

enum token_kind {
	TOKENS_INPUT, /* not from a cache */
	TOKENS_CACHE_READ,
	TOKENS_CACHE_WRITE_5M,
	TOKENS_CACHE_WRITE_1H,
	TOKENS_OUTPUT,
	TOKENS_REASONING, /* part of the output */
	NR_TOKEN_KINDS
};

/* -1: not told. */
struct token_use {
	int64_t tokens[NR_TOKEN_KINDS];
	double usd;
};

/* A piece of an answer in blocks, as it goes back with the conversation. */
struct block {
	json_t *json;
	struct str text; /* its deltas */
	struct str signature;
	size_t call; /* of a tool_use: number in `calls` */
};

struct reply {
	struct str text;
	struct str reasoning;
	json_t *details; /* of the reasoning, as chat completions of some carry it; or NULL */
	struct call *calls;
	size_t nr_calls;
	size_t cap_calls;
	struct block *blocks; /* of the messages format */
	size_t nr_blocks;
	size_t cap_blocks;
	enum reply_stop stop;
	bool is_whole; /* the stream said that it ends here */
	struct token_use use;
	char *model; /* as the provider names it, or NULL */
	/* An error that came in the stream; NULL: none. */
	char *error_type;
	char *error_text;
	/* Told of text as it comes; or NULL. */
	void (*see_text)(void *ctx, const char *text);
	void *ctx;
};

enum { REPLY_MAX_CALLS = 128, REPLY_MAX_BLOCKS = 1024 };

void reply_init(struct reply *r);
void reply_release(struct reply *r);
#define AUTO_REPLY __attribute__((cleanup(reply_release)))

/* One event of the stream; -1: it is nothing that this format says. */
int reply_chat_take(struct reply *r, const char *name, const struct str *data, struct err *e);
int reply_messages_take(struct reply *r, const char *name, const struct str *data, struct err *e);
/* The same from a body that is no stream. */
int reply_chat_whole(struct reply *r, const json_t *body, struct err *e);
int reply_messages_whole(struct reply *r, const json_t *body, struct err *e);
/* After the last event: calls without an id get one, blocks get their text. */
void reply_end(struct reply *r);

/* For the readers of the formats. */
struct call *reply_add_call(struct reply *r, struct err *e);
void reply_add_text(struct reply *r, const char *text);
/* A count of tokens; absent, or nothing that can be one, gives `otherwise`. */
int64_t reply_count(const json_t *usage, const char *key, int64_t otherwise);
void reply_set(char **slot, const char *text);
/* {"message", "type", "code"?}, or a text. */
void reply_set_error(struct reply *r, const json_t *error);

#endif
