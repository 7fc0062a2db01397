/*
 * What the stream of a CLI agent says, in one vocabulary. The pure parsers (claude_stream.h,
 * codex_stream.h, acp.h) make these; cli_agent.c turns them into lines of the wire. Texts are
 * borrowed until the call returns.
 */
#ifndef FORGE_AGENT_CLI_EVENT_H
#define FORGE_AGENT_CLI_EVENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum cli_event_kind {
	CLI_SESSION, /* id; name: model; text: version. Before the first text, again when it changes
		      */
	CLI_TEXT,
	CLI_THINK,
	CLI_TOOL_START, /* id, name */
	CLI_TOOL_END,   /* id, is_error */
	CLI_USAGE,      /* tokens: at least these, for a budget; name: model */
	CLI_RETRY,
	CLI_LIMIT, /* a rate limit: retry_at_s, or 0: not known */
	CLI_WARNING,
	CLI_REPLY,    /* text: a line for its standard input */
	CLI_TURN_END, /* exactly one a prompt: stop, error, text; tokens: all of the prompt */
	CLI_NR_EVENTS
};

enum cli_stop {
	CLI_STOP_DONE,
	CLI_STOP_MAX_TURNS,
	CLI_STOP_BUDGET,
	CLI_STOP_MAX_TOKENS,
	CLI_STOP_CONTEXT,
	CLI_STOP_REFUSAL,
	CLI_STOP_CANCELLED,
	CLI_STOP_ERROR,
};

/* Of a CLI_STOP_ERROR; what each calls for is told in docs/agents.md. */
enum cli_error {
	CLI_ERROR_NONE,
	CLI_ERROR_AUTH,
	CLI_ERROR_BILLING,
	CLI_ERROR_RATE_LIMIT,
	CLI_ERROR_OVERLOADED,
	CLI_ERROR_INVALID,
	CLI_ERROR_SERVER,
	CLI_ERROR_NETWORK,
	CLI_ERROR_PROTOCOL,
	CLI_ERROR_CRASH,
	CLI_ERROR_UNSUPPORTED,
};

struct cli_tokens {
	uint64_t requests; /* 0: not known */
	uint64_t input;    /* not cached */
	uint64_t cache_read;
	uint64_t cache_write;
	uint64_t output;
	uint64_t reasoning; /* of the output */
	double usd;
	bool has_tokens;
	bool has_usd;
	bool is_partial; /* the source contradicts itself; the larger reading was taken */
};

struct cli_event {
	enum cli_event_kind kind;
	const char *id;
	const char *name;
	const char *text;
	bool is_error;
	struct cli_tokens tokens;
	enum cli_stop stop;
	enum cli_error error;
	int64_t retry_at_s; /* Unix time; 0: not known */
	int64_t retry_in_s; /* from now; 0: not known */
};
typedef void (*cli_event_fn)(void *ctx, const struct cli_event *event);

/* Who listens to a parser. */
struct cli_sink {
	cli_event_fn see;
	void *ctx;
};

const char *cli_event_name(enum cli_event_kind kind);
const char *cli_stop_name(enum cli_stop stop);
const char *cli_error_name(enum cli_error error);
/* The class of a failure by what a CLI says of it; `otherwise` where nothing is known. */
enum cli_error cli_error_of_text(const char *text, enum cli_error otherwise);
enum cli_error cli_error_of_status(int64_t status);
/* Seconds of "try again in 5 minutes", or 0. */
int64_t cli_retry_in_s(const char *text);
/* `now` - `then` in every member, or `now` where the source began again at 0. */
struct cli_tokens cli_tokens_since(const struct cli_tokens *now, const struct cli_tokens *then);
/* What of `now` is beyond what was recorded of the same session: never less than nothing. */
struct cli_tokens cli_tokens_beyond(const struct cli_tokens *now, const struct cli_tokens *then);
/* One line of text, for tests and for people. */
void cli_event_print(struct str *out, const struct cli_event *event);

/* Short forms for the parsers. */
void cli_say(const struct cli_sink *sink, enum cli_event_kind kind, const char *text);
/* A line of JSON for its standard input; takes `line`. */
void cli_reply(const struct cli_sink *sink, json_t *line);
/* Tools that began and did not end: whatever the stream does, each gets its end. */
void cli_tool_start(json_t *open, const struct cli_sink *sink, const char *id, const char *name);
void cli_tool_end(json_t *open, const struct cli_sink *sink, const char *id, bool is_error);
void cli_tools_close(json_t *open, const struct cli_sink *sink);
/* A count: negative and missing numbers are 0. */
uint64_t cli_count(const json_t *obj, const char *key);
/* Is there a number that may be a count? */
bool cli_has_count(const json_t *obj, const char *key);

#endif
