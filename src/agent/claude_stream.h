/*
 * The stream of Claude Code (`--output-format stream-json`), and of CLIs that speak like it: from
 * one object to events (cli_event.h). Pure. What is unknown is ignored; what fails is told by
 * `is_error` and never by `subtype` alone.
 */
#ifndef FORGE_AGENT_CLAUDE_STREAM_H
#define FORGE_AGENT_CLAUDE_STREAM_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/cli_event.h"

struct claude_stream {
	struct cli_sink sink;
	char *session;      /* NULL: none yet */
	char *message;      /* id of the last message that was counted */
	char *last_error;   /* of the newest api_retry or assistant line of this turn; NULL: none */
	int64_t retry_at_s; /* of the newest rate limit of this turn */
	json_t *tools;      /* open ones */
	struct cli_tokens total; /* of its process, as the last result told it */
	unsigned nr_requests;    /* of this turn, as its messages tell */
	bool is_in_turn;
	bool is_resumed; /* `total` is of an earlier process: see claude_stream_resume */
	bool runs_on;    /* its version says that totals go on from there */
};

void claude_stream_init(struct claude_stream *s, struct cli_sink sink);
void claude_stream_release(struct claude_stream *s);
/* A prompt was sent: one CLI_TURN_END will follow. */
void claude_stream_begin(struct claude_stream *s);
/* What was told of a session that a new process takes up again: newer versions go on from its
 * totals, older ones begin at 0, and where no version is told the larger reading is taken. */
void claude_stream_resume(struct claude_stream *s, const struct cli_tokens *total);
void claude_stream_take(struct claude_stream *s, const json_t *line);
/* No result will come: ends open tools. */
void claude_stream_cut(struct claude_stream *s);

/* Lines for its standard input. New references. */
json_t *claude_user_line(const char *text);
json_t *claude_interrupt_line(unsigned number);

#endif
