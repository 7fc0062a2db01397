/*
 * Why a request brought no reply, what class that is, and whether asking again can help (the
 * table stands in docs/format/providers.md). Pure: status, headers and body in, a class out.
 */
#ifndef FORGE_LLM_FAILURE_H
#define FORGE_LLM_FAILURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum failure_class {
	FAILURE_NONE,
	FAILURE_AUTH,       /* the key is not taken */
	FAILURE_BILLING,    /* no money */
	FAILURE_INVALID,    /* the request is refused as it is */
	FAILURE_CONTEXT,    /* the conversation is too long for the model */
	FAILURE_RATE_LIMIT, /* too much at once */
	FAILURE_OVERLOADED, /* the provider is */
	FAILURE_SERVER,     /* an error of the provider's own */
	FAILURE_NETWORK,    /* nothing, or half of an answer came */
	FAILURE_PROTOCOL,   /* a whole answer that is nothing the format says */
	FAILURE_DEADLINE,   /* the turn's time is over: the model was asked, and is slow */
};

enum { FAILURE_TEXT_BYTES = 600 };

struct failure {
	enum failure_class class;
	long status; /* of HTTP; 0: there was none */
	char text[FAILURE_TEXT_BYTES];
	double wait_s;  /* the provider asks to wait so long; -1: it says nothing */
	int says_retry; /* x-should-retry: 1 yes, 0 no, -1 nothing */
};

/* Headers of an answer that matter here; NULL: absent. */
struct failure_headers {
	const char *retry_after;
	const char *retry_after_ms;
	const char *should_retry;
	const char *location;
};

const char *failure_class_name(enum failure_class class);
/* An answer that is no reply: its status, headers and body, which may be anything. */
void failure_of_answer(struct failure *f, long status, const struct failure_headers *h,
		       const char *body, int64_t now_s);
/* An error that came in the middle of a stream that began well. */
void failure_of_stream(struct failure *f, const char *type, const char *text);
void failure_of_network(struct failure *f, const char *text);
/* What came is no JSON, or nothing that this format says. */
void failure_of_garble(struct failure *f, const char *text);
/* "rate_limit (HTTP 429): text": for people. */
void failure_describe(const struct failure *f, char *out, size_t cap);
/* Can the same request succeed later? */
bool failure_may_pass(const struct failure *f);
/* How long to wait before attempt `nr` (from 1: the first repetition); `unit` is uniform in
 * [0, 1). */
double failure_wait_s(const struct failure *f, unsigned nr, double base_s, double unit);

#endif
