/*
 * A run told as it happens: which events deserve a line, what the line says, and the one-line
 * picture of where the run stands now. Pure text, no terminal.
 */
#ifndef FORGE_CMD_LIVE_TEXT_H
#define FORGE_CMD_LIVE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/term.h"

struct event;
struct run_state;
struct str;

/* Append the line for this event (no newline); false when it deserves none. */
bool live_line(const struct event *event, const struct run_state *s, struct str *out,
	       enum tone *tone);
/* "[5/7 student] round 4 D1.2 unroll = 8 | timing | best 1.52x [..] | 1 h 51 min left". */
void live_picture(const struct run_state *s, const char *activity, uint64_t mono_ns,
		  struct str *out);

#endif
