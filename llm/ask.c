#include "llm/ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/str.h"
#include "llm/http.h"
#include "llm/lenient.h"
#include "llm/llm_format.h"
#include "llm/llm_settings.h"
#include "llm/llm_wire.h"
#include "llm/reply.h"
#include "llm/sse.h"

/* One garbled answer may have been an accident; a second is how this server speaks. */
enum { MAX_GARBLED = 1 };

/* Events of one stream on their way into the reply. */
struct stream {
	struct asker *a;
	struct reply *reply;
	struct sse sse;
	bool is_garbled; /* a whole event was nothing that the format says */
};

static int take_event(void *ctx, const char *name, const struct str *data, struct err *e)
{
	struct stream *s = ctx;
	if (s->reply->error_text)
		return 0;
	return s->a->settings->format->take(s->reply, name, data, e);
}

static int take_bytes(void *ctx, const char *bytes, size_t len, struct err *e)
{
	struct stream *s = ctx;
	int rc = sse_feed(&s->sse, bytes, len, e);
	s->is_garbled = rc < 0;
	return rc;
}

static void see_text(void *ctx, const char *text)
{
	llm_wire_say(ctx, text);
}

static char *url_of(const struct llm_settings *s)
{
	size_t len = strlen(s->base_url);
	while (len && s->base_url[len - 1] == '/')
		len--;
	return xasprintf("%.*s%s", (int)len, s->base_url, s->format->path);
}

static void add_headers(const struct asker *a, struct strv *out)
{
	a->settings->format->headers(a->key, out);
	for (size_t i = 0; i < json_array_size(a->settings->extra_headers); i++) {
		const char *header =
			json_string_value(json_array_get(a->settings->extra_headers, i));
		if (header)
			strv_add(out, header);
	}
}

/* What failed may quote the request, key and all. */
static void mask_failure(const struct asker *a, struct failure *f)
{
	AUTO_STR struct str masked = STR_INIT;
	mask_add(a->mask, &masked, f->text);
	memcpy(f->text, masked.text,
	       masked.len < sizeof(f->text) ? masked.len + 1 : sizeof(f->text));
	f->text[sizeof(f->text) - 1] = 0;
}

static void fail_as_answer(const struct asker *a, struct failure *f, const struct http_answer *got)
{
	const struct failure_headers h = { .retry_after = got->retry_after,
					   .retry_after_ms = got->retry_after_ms,
					   .should_retry = got->should_retry,
					   .location = got->location };
	AUTO_STR struct str masked = STR_INIT;
	mask_add(a->mask, &masked, got->body.text);
	failure_of_answer(f, got->status, &h, masked.text, (int64_t)(clock_wall_ns() / NS_PER_S));
}

/* A body of JSON with status 200: a server that does not stream. */
static int take_whole(struct asker *a, struct reply *r, const struct http_answer *got,
		      struct err *e)
{
	AUTO_JSON json_t *body = lenient_json(got->body.text, got->body.len, e);
	return body ? a->settings->format->whole(r, body, e) : -1;
}

static int judge_end(struct asker *a, struct stream *s, struct http_answer *got, struct failure *f)
{
	struct err why = { 0 };
	if (got->status != 200) {
		fail_as_answer(a, f, got);
		return -1;
	}
	if (!got->is_stream && got->content_type && str_starts(got->content_type, "text/html")) {
		fail_as_answer(a, f, got);
		f->class = FAILURE_INVALID;
		return -1;
	}
	int rc = got->is_stream ? sse_end(&s->sse, &why) : take_whole(a, s->reply, got, &why);
	if (s->reply->error_text) {
		failure_of_stream(f, s->reply->error_type, s->reply->error_text);
		return -1;
	}
	if (rc == 0 && s->reply->is_whole)
		return 0;
	/* An event without its end may be half of one; a whole body is whole. */
	if (rc < 0 && !got->is_stream)
		failure_of_garble(f, why.text);
	else
		failure_of_network(f, rc < 0 ? why.text : "the answer broke off in its middle");
	return -1;
}

static int attempt(struct asker *a, const char *body, struct reply *reply, struct failure *f)
{
	const struct llm_settings *settings = a->settings;
	AUTO_FREE char *url = url_of(settings);
	AUTO_STRV struct strv headers = { 0 };
	AUTO_HTTP_ANSWER struct http_answer got = { .body = STR_INIT };
	struct stream s = { .a = a, .reply = reply };
	struct err why = { 0 };
	add_headers(a, &headers);
	sse_init(&s.sse, take_event, &s);
	const struct http_post post = { .url = url,
					.headers = &headers,
					.body = body,
					.connect_s = settings->connect_s,
					.first_byte_s = settings->first_byte_s,
					.idle_s = settings->idle_s,
					.is_direct = settings->is_here,
					.until_ns = a->until_ns,
					.take = take_bytes,
					.ctx = &s };
	a->nr_requests++;
	int rc = http_send(a->http, &post, &got, &why);
	if (rc == 0)
		rc = judge_end(a, &s, &got, f);
	else if (reply->error_text)
		failure_of_stream(f, reply->error_type, reply->error_text);
	else if (s.is_garbled)
		failure_of_garble(f, why.text);
	else
		failure_of_network(f, why.text);
	if (rc < 0 && why.kind == ERR_USAGE)
		f->class = FAILURE_INVALID;
	if (f->class == FAILURE_NETWORK && clock_mono_ns() > a->until_ns)
		f->class = FAILURE_DEADLINE;
	if (rc < 0)
		a->has_lost |= got.status == 200 || why.kind == ERR_TIMEOUT;
	sse_release(&s.sse);
	llm_wire_say_end(a->wire);
	mask_failure(a, f);
	return rc;
}

/* Before the repetition `nr`. False: it would come too late. */
static bool wait_before(struct asker *a, unsigned nr, struct failure *f)
{
	double wait_s = failure_wait_s(f, nr, a->settings->backoff_s, rng_unit(&a->rng));
	char what[FAILURE_TEXT_BYTES + 64];
	failure_describe(f, what, sizeof(what));
	uint64_t now = clock_mono_ns();
	if (now >= a->until_ns || wait_s * 1e9 > (double)(a->until_ns - now))
		return false;
	AUTO_FREE char *line = xasprintf("asking again in %.3g s: %s", wait_s, what);
	llm_wire_log(a->wire, line);
	clock_sleep_ns((uint64_t)(wait_s * 1e9));
	return true;
}

static void reset(struct asker *a, struct reply *reply)
{
	reply_init(reply);
	reply->see_text = see_text;
	reply->ctx = a->wire;
}

int ask_model(struct asker *a, const struct talk *talk, struct reply *reply,
	      struct failure *failure)
{
	AUTO_JSON json_t *request = a->settings->format->body(a->settings, talk);
	AUTO_FREE char *body = json_dumps(request, JSON_COMPACT);
	unsigned nr_garbled = 0;
	reset(a, reply);
	for (unsigned nr = 1;; nr++) {
		*failure = (struct failure){ 0 };
		if (attempt(a, body, reply, failure) == 0) {
			reply_end(reply);
			return 0;
		}
		nr_garbled += failure->class == FAILURE_PROTOCOL;
		if (!failure_may_pass(failure) || nr >= a->settings->max_attempts ||
		    nr_garbled > MAX_GARBLED || !wait_before(a, nr, failure))
			return -1;
		reply_release(reply);
		reset(a, reply);
	}
}
