/*
 * Server-sent events out of bytes that come in any pieces: the same bytes give the same events,
 * however they are cut. Pure. Lines end in LF, CR or CRLF; comments, `id` and `retry` are passed
 * over; several `data` lines are joined by LF; a last event without its blank line counts.
 */
#ifndef FORGE_LLM_SSE_H
#define FORGE_LLM_SSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct err;

/* `name` is "" where the event has none; `data` may hold any bytes. 0, or -1 to stop. */
typedef int (*sse_event_fn)(void *ctx, const char *name, const struct str *data, struct err *e);

struct sse {
	sse_event_fn take;
	void *ctx;
	struct str line; /* the one that is not whole yet */
	struct str name;
	struct str data;
	bool has_data;
	bool after_cr; /* an LF that follows belongs to the same line end */
	bool has_begun;
};

enum { SSE_MAX_EVENT_BYTES = 64 << 20 };

void sse_init(struct sse *s, sse_event_fn take, void *ctx);
void sse_release(struct sse *s);
/* -1: an event is too large, or `take` said stop. */
int sse_feed(struct sse *s, const char *bytes, size_t len, struct err *e);
/* No more bytes come. */
int sse_end(struct sse *s, struct err *e);

#endif
