/* A stream of events read into a reply, in one piece and byte by byte: for fuzzing and for tests.
 */
#ifndef FORGE_FUZZ_STREAM_H
#define FORGE_FUZZ_STREAM_H

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "llm/reply.h"
#include "llm/sse.h"

typedef int (*stream_take_fn)(struct reply *r, const char *name, const struct str *data,
			      struct err *e);

struct stream_reader {
	struct reply *reply;
	stream_take_fn take;
};

static inline int stream_event(void *ctx, const char *name, const struct str *data, struct err *e)
{
	struct stream_reader *s = ctx;
	return s->take(s->reply, name, data, e);
}

/* Pieces of `step` bytes (0: one) from `first` on. What came of it is told as one text. */
static inline char *stream_read(stream_take_fn take, const char *bytes, size_t len, size_t first,
				size_t step)
{
	AUTO_REPLY struct reply r;
	AUTO_STR struct str out = STR_INIT;
	struct stream_reader reader = { &r, take };
	struct sse sse;
	struct err e = { 0 };
	reply_init(&r);
	sse_init(&sse, stream_event, &reader);
	int rc = sse_feed(&sse, bytes, first, &e);
	for (size_t at = first; rc == 0 && at < len; at += step ? step : len) {
		size_t n = step && step < len - at ? step : len - at;
		rc = sse_feed(&sse, bytes + at, n, &e);
	}
	if (rc == 0)
		rc = sse_end(&sse, &e);
	sse_release(&sse);
	reply_end(&r);
	str_addf(&out, "text=%s\nreasoning=%s\n", r.text.text, r.reasoning.text);
	for (size_t i = 0; i < r.nr_calls; i++)
		str_addf(&out, "call=%s %s %s\n", r.calls[i].id, r.calls[i].name,
			 r.calls[i].arguments.text);
	for (size_t i = 0; i < r.nr_blocks; i++) {
		AUTO_FREE char *block = json_line(r.blocks[i].json);
		str_addf(&out, "block=%s\n", block);
	}
	for (size_t i = 0; i < json_array_size(r.details); i++) {
		AUTO_FREE char *detail = json_line(json_array_get(r.details, i));
		str_addf(&out, "detail=%s\n", detail);
	}
	str_add(&out, "tokens=");
	for (size_t i = 0; i < NR_TOKEN_KINDS; i++)
		str_addf(&out, "%lld ", (long long)r.use.tokens[i]);
	str_addf(&out, "usd=%g model=%s stop=%d whole=%d\n", r.use.usd, r.model ? r.model : "?",
		 (int)r.stop, r.is_whole);
	if (r.error_text)
		str_addf(&out, "error=%s: %s\n", r.error_type, r.error_text);
	if (rc < 0)
		str_addf(&out, "refused=%s\n", e.text);
	return str_take(&out);
}

#ifdef FUZZ_CHECK
static inline int stream_check(stream_take_fn take, const uint8_t *data, size_t len)
{
	AUTO_FREE char *whole = stream_read(take, (const char *)data, len, 0, 0);
	AUTO_FREE char *bytes = stream_read(take, (const char *)data, len, 0, 1);
	FUZZ_CHECK(str_equal(whole, bytes));
	return 0;
}
#endif

#endif
