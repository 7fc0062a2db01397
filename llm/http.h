/*
 * One POST over HTTP, by libcurl: the answer's body comes in pieces as it arrives. Redirects are
 * not followed. Proxies of the environment are libcurl's; SSL_CERT_FILE, CURL_CA_BUNDLE and
 * SSL_CERT_DIR say whose certificates are taken. Every wait has its bound.
 */
#ifndef FORGE_LLM_HTTP_H
#define FORGE_LLM_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "llm/failure.h"

struct err;
struct http;

struct http_post {
	const char *url;
	const struct strv *headers; /* "Name: value" */
	const char *body;           /* JSON */
	double connect_s;
	double first_byte_s; /* from the start to the first byte of the answer */
	double idle_s;       /* without any byte after that */
	uint64_t until_ns;   /* monotonic: the end of it all */
	bool is_direct;      /* by no proxy */
	/* A piece of a stream's body; -1 stops. Only for an answer with status 200 that is neither
	 * JSON nor a page. */
	int (*take)(void *ctx, const char *bytes, size_t len, struct err *e);
	void *ctx;
};

struct http_answer {
	long status;
	bool is_stream; /* its body went to `take` */
	struct str body;
	char *content_type; /* these may be NULL */
	char *retry_after;
	char *retry_after_ms;
	char *should_retry;
	char *location;
};

int http_open(struct http **out, struct err *e);
void http_close(struct http **h);
/* 0: an answer came whole, whatever its status. -1: ERR_TIMEOUT, ERR_REMOTE (the connection),
 * ERR_USAGE (the address, or who answers there), or what `take` said. Release the answer in both
 * cases. */
int http_send(struct http *h, const struct http_post *post, struct http_answer *a, struct err *e);
void http_answer_release(struct http_answer *a);
#define AUTO_HTTP_ANSWER __attribute__((cleanup(http_answer_release)))

#endif
