#include "llm/http.h"

/* The one file that knows libcurl. Bounds are looked at in its progress callback, which comes about
 * once a second and after every piece. */

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

/* Of an answer that is no stream: a whole reply is smaller, an error says enough in less. */
enum { MAX_BODY_BYTES = 16 << 20, MAX_STREAM_BYTES = 256 << 20 };

struct http {
	CURL *curl;
};

/* One exchange. */
struct exchange {
	struct http *http;
	const struct http_post *post;
	struct http_answer *answer;
	uint64_t start_ns;
	uint64_t byte_ns; /* when the last byte came; 0: none did */
	size_t nr_bytes;
	bool is_known;       /* what the answer is was looked at */
	const char *expired; /* which bound, or NULL */
	struct err why;      /* of `take` */
};

int http_open(struct http **out, struct err *e)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(e, ERR_SYSTEM, "libcurl does not start");
	*out = xcalloc(1, sizeof(**out));
	(*out)->curl = curl_easy_init();
	return (*out)->curl ? 0 : err_set(e, ERR_SYSTEM, "libcurl does not start");
}

void http_close(struct http **h)
{
	if (*h)
		curl_easy_cleanup((*h)->curl);
	free(*h);
	*h = NULL;
	curl_global_cleanup();
}

static void keep_header(char **slot, const char *value, size_t len)
{
	while (len && (value[0] == ' ' || value[0] == '\t')) {
		value++;
		len--;
	}
	while (len && strchr(" \t\r\n", value[len - 1]))
		len--;
	free(*slot);
	*slot = xstrndup(value, len);
}

static size_t on_header(char *line, size_t size, size_t nr, void *ctx)
{
	struct exchange *x = ctx;
	struct http_answer *a = x->answer;
	const struct {
		const char *name;
		char **slot;
	} rows[] = {
		{ "content-type:", &a->content_type },
		{ "retry-after:", &a->retry_after },
		{ "retry-after-ms:", &a->retry_after_ms },
		{ "x-should-retry:", &a->should_retry },
		{ "location:", &a->location },
	};
	size_t len = size * nr;
	x->byte_ns = clock_mono_ns();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t name_len = strlen(rows[i].name);
		if (len >= name_len && strncasecmp(line, rows[i].name, name_len) == 0)
			keep_header(rows[i].slot, line + name_len, len - name_len);
	}
	return len;
}

static bool is_of_type(const struct http_answer *a, const char *type)
{
	return a->content_type && strncasecmp(a->content_type, type, strlen(type)) == 0;
}

static void look_at_head(struct exchange *x)
{
	struct http_answer *a = x->answer;
	curl_easy_getinfo(x->http->curl, CURLINFO_RESPONSE_CODE, &a->status);
	a->is_stream = a->status == 200 && !is_of_type(a, "application/json") &&
		       !is_of_type(a, "text/html");
	x->is_known = true;
}

static size_t on_body(char *bytes, size_t size, size_t nr, void *ctx)
{
	struct exchange *x = ctx;
	size_t len = size * nr;
	x->byte_ns = clock_mono_ns();
	x->nr_bytes += len;
	if (!x->is_known)
		look_at_head(x);
	if (!x->answer->is_stream) {
		size_t room = MAX_BODY_BYTES - x->answer->body.len;
		str_add_len(&x->answer->body, bytes, len < room ? len : room);
		return len;
	}
	if (x->nr_bytes > MAX_STREAM_BYTES)
		err_set(&x->why, ERR_INPUT, "the stream is longer than %d MiB",
			MAX_STREAM_BYTES >> 20);
	else if (x->post->take(x->post->ctx, bytes, len, &x->why) == 0)
		return len;
	return 0;
}

static bool is_past(uint64_t since_ns, double seconds)
{
	return (double)(clock_mono_ns() - since_ns) > seconds * 1e9;
}

static int on_progress(void *ctx, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
		       curl_off_t up)
{
	struct exchange *x = ctx;
	(void)down_all;
	(void)down;
	(void)up_all;
	(void)up;
	if (clock_mono_ns() > x->post->until_ns)
		x->expired = "the turn's time is over";
	else if (!x->byte_ns && is_past(x->start_ns, x->post->first_byte_s))
		x->expired = "no answer began in time";
	else if (x->byte_ns && is_past(x->byte_ns, x->post->idle_s))
		x->expired = "the answer stopped in its middle";
	return x->expired != NULL;
}

static struct curl_slist *headers_of(const struct http_post *post)
{
	/* "Expect:" keeps curl from asking for leave before it sends a long body. */
	struct curl_slist *list = curl_slist_append(NULL, "Content-Type: application/json");
	list = curl_slist_append(list, "Accept: text/event-stream, application/json");
	list = curl_slist_append(list, "Expect:");
	for (size_t i = 0; i < post->headers->nr; i++)
		list = curl_slist_append(list, post->headers->items[i]);
	return list;
}

/* The variables that other programs know, which libcurl leaves to its callers. */
static void set_certificates(CURL *c)
{
	static const struct {
		const char *name;
		CURLoption option;
	} rows[] = { { "SSL_CERT_DIR", CURLOPT_CAPATH },
		     { "SSL_CERT_FILE", CURLOPT_CAINFO },
		     { "CURL_CA_BUNDLE", CURLOPT_CAINFO } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *path = getenv(rows[i].name);
		if (path && path[0])
			curl_easy_setopt(c, rows[i].option, path);
	}
}

static void set_up(struct exchange *x, struct curl_slist *headers)
{
	CURL *c = x->http->curl;
	const struct http_post *post = x->post;
	curl_easy_reset(c);
	curl_easy_setopt(c, CURLOPT_URL, post->url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
	if (post->is_direct)
		curl_easy_setopt(c, CURLOPT_PROXY, "");
	set_certificates(c);
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(post->body));
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, post->body);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)(post->connect_s * 1000));
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, x);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, x);
	curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(c, CURLOPT_XFERINFODATA, x);
	curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
}

/* What no repetition mends. */
static bool is_address_wrong(CURLcode code)
{
	static const CURLcode codes[] = { CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL,
					  CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
					  CURLE_SSL_ISSUER_ERROR };
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		if (codes[i] == code)
			return true;
	return false;
}

static enum err_kind kind_of(CURLcode code)
{
	if (is_address_wrong(code))
		return ERR_USAGE;
	return code == CURLE_OPERATION_TIMEDOUT ? ERR_TIMEOUT : ERR_REMOTE;
}

static int end_of(const struct exchange *x, CURLcode code, const char *detail, struct err *e)
{
	if (x->expired)
		return err_set(e, ERR_TIMEOUT, "%s", x->expired);
	if (x->why.kind != ERR_NONE) {
		*e = x->why;
		return -1;
	}
	if (code != CURLE_OK)
		return err_set(e, kind_of(code), "%s",
			       detail[0] ? detail : curl_easy_strerror(code));
	return 0;
}

int http_send(struct http *h, const struct http_post *post, struct http_answer *a, struct err *e)
{
	char detail[CURL_ERROR_SIZE] = "";
	struct exchange x = { .http = h, .post = post, .answer = a, .start_ns = clock_mono_ns() };
	struct curl_slist *headers = headers_of(post);
	*a = (struct http_answer){ 0 };
	str_init(&a->body);
	set_up(&x, headers);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, detail);
	CURLcode code = curl_easy_perform(h->curl);
	if (!x.is_known)
		look_at_head(&x);
	curl_slist_free_all(headers);
	return end_of(&x, code, detail, e);
}

void http_answer_release(struct http_answer *a)
{
	str_release(&a->body);
	free(a->content_type);
	free(a->retry_after);
	free(a->retry_after_ms);
	free(a->should_retry);
	free(a->location);
}
