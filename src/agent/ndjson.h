/*
 * JSON lines from a program that is not ours, cut out of bytes as they come. What is no object is
 * told apart: a plain line is for the log, a broken one is counted, one that is too long is
 * skipped. Text that is no UTF-8 reads U+FFFD. Pure: the same bytes give the same lines however
 * they are cut.
 */
#ifndef FORGE_AGENT_NDJSON_H
#define FORGE_AGENT_NDJSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum ndjson_kind {
	NDJSON_OBJECT,
	NDJSON_TEXT,    /* a line that does not begin with {: `text` */
	NDJSON_WARNING, /* a line was dropped: `text` says why */
	NDJSON_BROKEN,  /* too many were: the program does not speak this protocol. Said once */
};

struct ndjson_item {
	enum ndjson_kind kind;
	const char *text;  /* NDJSON_OBJECT: the line as it was parsed */
	const json_t *obj; /* NDJSON_OBJECT; borrowed */
};
typedef void (*ndjson_fn)(void *ctx, const struct ndjson_item *item);

enum { NDJSON_MAX_BYTES = 64 << 20, NDJSON_MAX_DEPTH = 128, NDJSON_MAX_MALFORMED = 20 };

struct ndjson {
	struct str line; /* what has come of the next one */
	size_t max_line; /* 0: NDJSON_MAX_BYTES */
	bool is_skipping;
	bool is_broken;
	unsigned nr_lines; /* that begin with { */
	unsigned nr_malformed;
	unsigned nr_long;
};

void ndjson_init(struct ndjson *n);
void ndjson_release(struct ndjson *n);
void ndjson_feed(struct ndjson *n, const char *bytes, size_t len, ndjson_fn see, void *ctx);
/* The stream is over: a last line may lack its line feed. */
void ndjson_end(struct ndjson *n, ndjson_fn see, void *ctx);

#endif
