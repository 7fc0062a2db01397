/*
 * Live progress of `forge run` on stdout: lasting lines for what happened and, on a terminal, one
 * line below them that is drawn anew; plain lines elsewhere; JSON lines when asked. One rule: every
 * lasting line is also in the event log, so nothing is lost with the terminal.
 */
#ifndef FORGE_CMD_LIVE_H
#define FORGE_CMD_LIVE_H

#include <stdbool.h>

#include "base/str.h"
#include "cmd/term.h"

struct event;
struct run_state;

struct live {
	bool is_json;
	struct term term;
	struct str activity;
	bool is_drawn; /* the redrawn line stands on the screen */
};

void live_init(struct live *l, bool is_json);
/* Take the redrawn line off the screen. */
void live_release(struct live *l);
#define AUTO_LIVE __attribute__((cleanup(live_release)))
/* engine_hooks slots; ctx is the struct live. */
void live_see_event(void *ctx, const struct event *event, const struct run_state *state);
void live_see_agent(void *ctx, const char *text);
void live_see_progress(void *ctx, const struct run_state *state, const char *text);
/* The same, but a lasting line where nothing is drawn. */
void live_see_wait(void *ctx, const struct run_state *state, const char *text);

#endif
