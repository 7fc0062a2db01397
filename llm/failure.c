#include "llm/failure.h"

/* A status says less than the words beside it: 429 is a limit that passes or an account without
 * money, 400 a bad request or a conversation that is too long. So the words go first. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "llm/lenient.h"

#define MAX_WAIT_S 60.0
#define OVERLOADED_FACTOR 4.0
#define MAX_ASKED_WAIT_S (366.0 * 86400)

static const struct {
	const char *name;
	bool may_pass;
} classes[] = {
	[FAILURE_NONE] = { "none", false },
	[FAILURE_AUTH] = { "auth", false },
	[FAILURE_BILLING] = { "billing", false },
	[FAILURE_INVALID] = { "invalid", false },
	[FAILURE_CONTEXT] = { "context", false },
	[FAILURE_RATE_LIMIT] = { "rate_limit", true },
	[FAILURE_OVERLOADED] = { "overloaded", true },
	[FAILURE_SERVER] = { "server", true },
	[FAILURE_NETWORK] = { "network", true },
	[FAILURE_PROTOCOL] = { "protocol", true },
	[FAILURE_DEADLINE] = { "deadline", false },
};

const char *failure_class_name(enum failure_class class)
{
	return classes[class].name;
}

/* Words of a type, a code or a message, in the order in which they are looked for. */
static const struct {
	const char *word;
	enum failure_class class;
} words[] = {
	{ "insufficient_quota", FAILURE_BILLING },
	{ "billing", FAILURE_BILLING },
	{ "insufficient balance", FAILURE_BILLING },
	{ "credit balance", FAILURE_BILLING },
	{ "context_length_exceeded", FAILURE_CONTEXT },
	{ "context length", FAILURE_CONTEXT },
	{ "context window", FAILURE_CONTEXT },
	{ "context size", FAILURE_CONTEXT },
	{ "prompt is too long", FAILURE_CONTEXT },
	{ "request_too_large", FAILURE_CONTEXT },
	{ "invalid_api_key", FAILURE_AUTH },
	{ "authentication_error", FAILURE_AUTH },
	{ "permission_error", FAILURE_AUTH },
	{ "rate_limit", FAILURE_RATE_LIMIT },
	{ "overloaded", FAILURE_OVERLOADED },
	{ "model_not_found", FAILURE_INVALID },
	{ "not_found_error", FAILURE_INVALID },
	{ "invalid_request", FAILURE_INVALID },
	{ "timeout_error", FAILURE_SERVER },
	{ "server_error", FAILURE_SERVER },
	{ "api_error", FAILURE_SERVER },
};

static const struct {
	long status;
	enum failure_class class;
} statuses[] = {
	{ 401, FAILURE_AUTH },       { 403, FAILURE_AUTH },       { 402, FAILURE_BILLING },
	{ 413, FAILURE_CONTEXT },    { 408, FAILURE_SERVER },     { 409, FAILURE_SERVER },
	{ 425, FAILURE_SERVER },     { 429, FAILURE_RATE_LIMIT }, { 503, FAILURE_OVERLOADED },
	{ 529, FAILURE_OVERLOADED },
};

static enum failure_class class_of_status(long status)
{
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++)
		if (statuses[i].status == status)
			return statuses[i].class;
	return status >= 500 ? FAILURE_SERVER : FAILURE_INVALID;
}

static enum failure_class class_of_words(const char *text)
{
	for (size_t i = 0; text && i < ARRAY_LEN(words); i++)
		if (strcasestr(text, words[i].word))
			return words[i].class;
	return FAILURE_NONE;
}

/* Words refine a refusal or a limit; they do not make one of an error of the server's. */
static enum failure_class class_of(long status, const char *type, const char *text)
{
	enum failure_class by_status = class_of_status(status);
	enum failure_class by_type = class_of_words(type);
	enum failure_class by_text = class_of_words(text);
	bool is_plain = status == 400 || status == 429 || status == 422;
	if (by_type == FAILURE_BILLING || by_type == FAILURE_CONTEXT)
		return by_type;
	if (is_plain && (by_text == FAILURE_BILLING || by_text == FAILURE_CONTEXT))
		return by_text;
	if (by_status == FAILURE_SERVER && by_type == FAILURE_OVERLOADED)
		return by_type;
	return by_status;
}

static double seconds_of_date(const char *text, int64_t now_s)
{
	struct tm when = { 0 };
	const char *end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &when);
	if (!end)
		return -1;
	double wait_s = (double)(timegm(&when) - (time_t)now_s);
	return wait_s > 0 ? wait_s : 0;
}

static double number_of(const char *text)
{
	char *end;
	double value = text ? strtod(text, &end) : -1;
	return text && end != text && !*end && value >= 0 && value <= 1e12 ? value : -1;
}

static double asked_wait_s(const struct failure_headers *h, int64_t now_s)
{
	double ms = number_of(h->retry_after_ms);
	double wait_s = ms >= 0 ? ms / 1000 : number_of(h->retry_after);
	if (wait_s < 0 && h->retry_after)
		wait_s = seconds_of_date(h->retry_after, now_s);
	return wait_s > MAX_ASKED_WAIT_S ? MAX_ASKED_WAIT_S : wait_s;
}

static int says_retry(const char *text)
{
	if (!text)
		return -1;
	return strcasecmp(text, "true") == 0 ? 1 : strcasecmp(text, "false") == 0 ? 0 : -1;
}

/* What the body says; a page of a proxy is told by its beginning. */
struct said {
	char *type;
	char *text;
};

static struct said read_body(const char *body)
{
	struct err ignored = { 0 };
	AUTO_JSON json_t *json = lenient_json(body, strlen(body), &ignored);
	const json_t *error = json_is_object(json) ? json_object_get(json, "error") : NULL;
	if (json_is_string(error))
		return (struct said){ xstrdup(""), xstrdup(json_string_value(error)) };
	const json_t *from = json_is_object(error) ? error : json;
	const char *code = json_text_or(from, "code", "");
	const char *text = json_text_or(from, "message", json_text_or(from, "detail", NULL));
	AUTO_STR struct str line = STR_INIT;
	untrusted_line(&line, text ? text : body, FAILURE_TEXT_BYTES);
	return (struct said){ xasprintf("%s %s", json_text_or(from, "type", ""), code),
			      str_take(&line) };
}

void failure_of_answer(struct failure *f, long status, const struct failure_headers *h,
		       const char *body, int64_t now_s)
{
	struct said said = read_body(body);
	AUTO_FREE char *type = said.type;
	AUTO_FREE char *text = said.text;
	*f = (struct failure){ .class = class_of(status, type, text),
			       .status = status,
			       .wait_s = asked_wait_s(h, now_s),
			       .says_retry = says_retry(h->should_retry) };
	if (status >= 300 && status < 400)
		snprintf(f->text, sizeof(f->text),
			 "a redirect to %.200s is not followed; put the address that counts into "
			 "base_url",
			 h->location ? h->location : "elsewhere");
	else
		untrusted_copy(f->text, sizeof(f->text), text);
}

void failure_of_stream(struct failure *f, const char *type, const char *text)
{
	enum failure_class class = class_of_words(type);
	enum failure_class by_text = class_of_words(text);
	if (class == FAILURE_NONE || (class == FAILURE_INVALID && by_text == FAILURE_CONTEXT))
		class = by_text;
	*f = (struct failure){ .class = class == FAILURE_NONE ? FAILURE_SERVER : class,
			       .wait_s = -1,
			       .says_retry = -1 };
	untrusted_copy(f->text, sizeof(f->text), text);
}

void failure_of_network(struct failure *f, const char *text)
{
	*f = (struct failure){ .class = FAILURE_NETWORK, .wait_s = -1, .says_retry = -1 };
	untrusted_copy(f->text, sizeof(f->text), text);
}

void failure_of_garble(struct failure *f, const char *text)
{
	*f = (struct failure){ .class = FAILURE_PROTOCOL, .wait_s = -1, .says_retry = -1 };
	untrusted_copy(f->text, sizeof(f->text), text);
}

void failure_describe(const struct failure *f, char *out, size_t cap)
{
	if (f->status)
		snprintf(out, cap, "%s (HTTP %ld): %s", classes[f->class].name, f->status, f->text);
	else
		snprintf(out, cap, "%s: %s", classes[f->class].name, f->text);
}

/* A server that knows better is believed, but for money, keys and length: those do not pass. */
bool failure_may_pass(const struct failure *f)
{
	bool is_open = classes[f->class].may_pass || f->class == FAILURE_INVALID;
	if (f->says_retry >= 0 && is_open)
		return f->says_retry == 1;
	return classes[f->class].may_pass;
}

double failure_wait_s(const struct failure *f, unsigned nr, double base_s, double unit)
{
	double wait_s = base_s * (f->class == FAILURE_OVERLOADED ? OVERLOADED_FACTOR : 1);
	for (unsigned i = 1; i < nr && wait_s < MAX_WAIT_S; i++)
		wait_s *= 2;
	wait_s = (wait_s < MAX_WAIT_S ? wait_s : MAX_WAIT_S) * (0.75 + unit / 2);
	return f->wait_s > wait_s ? f->wait_s : wait_s;
}
