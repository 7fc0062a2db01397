#include "agent/cli_event.h"

/* Tables of words: what CLIs say of a failure is prose, and it changes; a wrong guess costs a retry
 * and nothing else. The first row that fits wins, so the certain ones stand first. */

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"

enum {
	MAX_TEXT_BYTES = 4000,
	MINUTE_S = 60,
	HOUR_S = 3600,
	DAY_S = 86400,
	MAX_RETRY_S = 7 * DAY_S
};
/* No count of one turn reaches this; one that does is nonsense, and sums must not overflow. */
#define MAX_COUNT (INT64_C(1) << 50)

const char *cli_event_name(enum cli_event_kind kind)
{
	static const char *const names[] = { "session",  "text",  "think",   "tool_start",
					     "tool_end", "usage", "retry",   "limit",
					     "warning",  "reply", "turn_end" };
	return names[kind];
}

const char *cli_stop_name(enum cli_stop stop)
{
	static const char *const names[] = { "done",    "max_turns", "budget",    "max_tokens",
					     "context", "refusal",   "cancelled", "error" };
	return names[stop];
}

const char *cli_error_name(enum cli_error error)
{
	static const char *const names[] = { "none",       "auth",    "billing",    "rate_limit",
					     "overloaded", "invalid", "server",     "network",
					     "protocol",   "crash",   "unsupported" };
	return names[error];
}

enum cli_error cli_error_of_text(const char *text, enum cli_error otherwise)
{
	static const struct {
		const char *words;
		enum cli_error error;
	} rows[] = {
		{ "credit balance", CLI_ERROR_BILLING },
		{ "spend limit", CLI_ERROR_BILLING },
		{ "insufficient_quota", CLI_ERROR_BILLING },
		{ "billing", CLI_ERROR_BILLING },
		{ "session limit", CLI_ERROR_RATE_LIMIT },
		{ "usage limit", CLI_ERROR_RATE_LIMIT },
		{ "rate limit", CLI_ERROR_RATE_LIMIT },
		{ "429", CLI_ERROR_RATE_LIMIT },
		{ "temporarily limiting", CLI_ERROR_RATE_LIMIT },
		{ "overloaded", CLI_ERROR_OVERLOADED },
		{ "529", CLI_ERROR_OVERLOADED },
		{ "invalid api key", CLI_ERROR_AUTH },
		{ "not logged in", CLI_ERROR_AUTH },
		{ "/login", CLI_ERROR_AUTH },
		{ "unauthorized", CLI_ERROR_AUTH },
		{ "authentication", CLI_ERROR_AUTH },
		{ "401", CLI_ERROR_AUTH },
		{ "403", CLI_ERROR_AUTH },
		{ "no conversation found", CLI_ERROR_INVALID },
		{ "context window", CLI_ERROR_INVALID },
		{ "stream disconnected", CLI_ERROR_NETWORK },
		{ "connection", CLI_ERROR_NETWORK },
		{ "timed out", CLI_ERROR_NETWORK },
	};
	for (size_t i = 0; text && i < ARRAY_LEN(rows); i++)
		if (strcasestr(text, rows[i].words))
			return rows[i].error;
	return otherwise;
}

enum cli_error cli_error_of_status(int64_t status)
{
	static const struct {
		int64_t status;
		enum cli_error error;
	} rows[] = {
		{ 401, CLI_ERROR_AUTH },       { 403, CLI_ERROR_AUTH },
		{ 402, CLI_ERROR_BILLING },    { 429, CLI_ERROR_RATE_LIMIT },
		{ 503, CLI_ERROR_OVERLOADED }, { 529, CLI_ERROR_OVERLOADED },
		{ 408, CLI_ERROR_SERVER },     { 409, CLI_ERROR_SERVER },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].status == status)
			return rows[i].error;
	if (status >= 500 && status < 600)
		return CLI_ERROR_SERVER;
	return status >= 400 && status < 500 ? CLI_ERROR_INVALID : CLI_ERROR_NONE;
}

int64_t cli_retry_in_s(const char *text)
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} rows[] = { { "s", 1 }, { "m", MINUTE_S }, { "h", HOUR_S }, { "d", DAY_S } };
	static const char words[] = "try again in ";
	const char *at = text ? strcasestr(text, words) : NULL;
	char *rest;
	if (!at)
		return 0;
	double number = strtod(at + sizeof(words) - 1, &rest);
	while (*rest == ' ')
		rest++;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (number > 0 && number <= MAX_RETRY_S && rest[0] == rows[i].unit[0] &&
		    !str_starts(rest, "ms"))
			return (int64_t)(number * (double)rows[i].seconds) + 1;
	return 0;
}

static bool is_behind(const struct cli_tokens *now, const struct cli_tokens *then)
{
	return now->input < then->input || now->cache_read < then->cache_read ||
	       now->cache_write < then->cache_write || now->output < then->output ||
	       now->reasoning < then->reasoning || now->usd < then->usd;
}

struct cli_tokens cli_tokens_since(const struct cli_tokens *now, const struct cli_tokens *then)
{
	struct cli_tokens d = *now;
	if (is_behind(now, then))
		return d;
	d.input -= then->input;
	d.cache_read -= then->cache_read;
	d.cache_write -= then->cache_write;
	d.output -= then->output;
	d.reasoning -= then->reasoning;
	d.usd -= then->usd;
	return d;
}

static uint64_t beyond(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

struct cli_tokens cli_tokens_beyond(const struct cli_tokens *now, const struct cli_tokens *then)
{
	struct cli_tokens d = *now;
	d.input = beyond(now->input, then->input);
	d.cache_read = beyond(now->cache_read, then->cache_read);
	d.cache_write = beyond(now->cache_write, then->cache_write);
	d.output = beyond(now->output, then->output);
	d.reasoning = beyond(now->reasoning, then->reasoning);
	d.usd = now->usd > then->usd ? now->usd - then->usd : 0;
	return d;
}

static void print_tokens(struct str *out, const struct cli_tokens *t)
{
	if (t->requests)
		str_addf(out, " requests=%llu", (unsigned long long)t->requests);
	if (t->has_tokens)
		str_addf(out, " input=%llu read=%llu write=%llu output=%llu reasoning=%llu",
			 (unsigned long long)t->input, (unsigned long long)t->cache_read,
			 (unsigned long long)t->cache_write, (unsigned long long)t->output,
			 (unsigned long long)t->reasoning);
	if (t->has_usd)
		str_addf(out, " usd=%.6f", t->usd);
	if (t->is_partial)
		str_add(out, " partial");
}

static void print_word(struct str *out, const char *text)
{
	if (!text || !text[0])
		return;
	str_add_char(out, ' ');
	untrusted_line(out, text, MAX_TEXT_BYTES);
}

void cli_event_print(struct str *out, const struct cli_event *event)
{
	str_add(out, cli_event_name(event->kind));
	if (event->kind == CLI_TURN_END)
		str_addf(out, " %s", cli_stop_name(event->stop));
	if (event->kind == CLI_TURN_END && event->error)
		str_addf(out, " %s", cli_error_name(event->error));
	if (event->kind == CLI_TOOL_END)
		str_add(out, event->is_error ? " failed" : " ok");
	print_word(out, event->id);
	print_word(out, event->name);
	print_word(out, event->text);
	if (event->retry_at_s)
		str_addf(out, " at=%lld", (long long)event->retry_at_s);
	if (event->retry_in_s)
		str_addf(out, " in=%lld", (long long)event->retry_in_s);
	print_tokens(out, &event->tokens);
}

void cli_say(const struct cli_sink *sink, enum cli_event_kind kind, const char *text)
{
	sink->see(sink->ctx, &(struct cli_event){ .kind = kind, .text = text });
}

void cli_reply(const struct cli_sink *sink, json_t *line)
{
	AUTO_JSON json_t *owned = line;
	AUTO_FREE char *text = json_line(owned);
	cli_say(sink, CLI_REPLY, text);
}

void cli_tool_start(json_t *open, const struct cli_sink *sink, const char *id, const char *name)
{
	if (json_object_get(open, id))
		return;
	json_object_set_new(open, id, json_true());
	sink->see(sink->ctx, &(struct cli_event){ .kind = CLI_TOOL_START, .id = id, .name = name });
}

void cli_tool_end(json_t *open, const struct cli_sink *sink, const char *id, bool is_error)
{
	if (!json_object_get(open, id))
		return;
	sink->see(sink->ctx,
		  &(struct cli_event){ .kind = CLI_TOOL_END, .id = id, .is_error = is_error });
	json_object_del(open, id);
}

void cli_tools_close(json_t *open, const struct cli_sink *sink)
{
	for (void *at = json_object_iter(open); at; at = json_object_iter(open)) {
		AUTO_FREE char *id = xstrdup(json_object_iter_key(at));
		cli_tool_end(open, sink, id, true);
	}
}

uint64_t cli_count(const json_t *obj, const char *key)
{
	const json_t *value = json_object_get(obj, key);
	double real = json_is_number(value) ? json_number_value(value) : 0;
	if (!(real > 0))
		return 0;
	return real < (double)MAX_COUNT ? (uint64_t)real : (uint64_t)MAX_COUNT;
}

bool cli_has_count(const json_t *obj, const char *key)
{
	const json_t *value = json_object_get(obj, key);
	return json_is_number(value) && json_number_value(value) >= 0;
}
