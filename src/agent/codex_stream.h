/*
 * The stream of Codex (`codex exec --json`): from one object to events (cli_event.h). Pure. Only
 * `turn.failed` ends a turn badly; an `error` line or item is a remark.
 */
#ifndef FORGE_AGENT_CODEX_STREAM_H
#define FORGE_AGENT_CODEX_STREAM_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/cli_event.h"

struct codex_stream {
	struct cli_sink sink;
	char *thread; /* NULL: none yet; what `resume` wants */
	char *remark; /* the newest error line of this turn; NULL: none */
	json_t *tools;
	struct cli_tokens total; /* of the thread, over all its processes */
	bool is_in_turn;
	bool is_resumed; /* `total` is what an earlier process told: see codex_stream_resume */
};

void codex_stream_init(struct codex_stream *s, struct cli_sink sink);
void codex_stream_release(struct codex_stream *s);
/* A prompt was sent, of the same thread or of a new one. */
void codex_stream_begin(struct codex_stream *s);
/* What was recorded of a thread that a new process takes up again; its totals go on. */
void codex_stream_resume(struct codex_stream *s, const struct cli_tokens *total);
void codex_stream_take(struct codex_stream *s, const json_t *line);
/* No end of the turn will come. What it used is not known then. */
void codex_stream_cut(struct codex_stream *s);

#endif
