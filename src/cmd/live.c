#include "cmd/live.h"

/* Redrawing is "carriage return, text cut to the width, erase to the end": it never scrolls and it
 * survives a window that changes its size. */

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/untrusted.h"
#include "cmd/event_json.h"
#include "cmd/hand.h"
#include "cmd/live_text.h"
#include "store/eventlog.h"

enum { MAX_AGENT_LINE_BYTES = 400 };

void live_init(struct live *l, bool is_json)
{
	*l = (struct live){ .is_json = is_json, .term = term_probe(STDOUT_FILENO) };
	str_init(&l->activity);
	if (is_json)
		l->term = (struct term){ 0 };
}

static void erase(struct live *l)
{
	if (l->is_drawn)
		fputs("\r\033[K", stdout);
	l->is_drawn = false;
}

void live_release(struct live *l)
{
	erase(l);
	fflush(stdout);
	str_release(&l->activity);
}

/* Bytes of the first `width` characters. */
static size_t cut(const char *text, size_t width)
{
	size_t i = 0;
	for (size_t seen = 0; text[i]; i++) {
		bool is_start = ((unsigned char)text[i] & 0xc0) != 0x80;
		if (is_start && seen++ == width)
			break;
	}
	return i;
}

static void draw(struct live *l, const struct run_state *s)
{
	AUTO_STR struct str text = STR_INIT;
	if (!l->term.is_tty)
		return;
	AUTO_STR struct str line = STR_INIT;
	live_picture(s, l->activity.text, clock_mono_ns(), &text);
	untrusted_line(&line, text.text, 0);
	size_t len = cut(line.text, term_width(STDOUT_FILENO) - 1);
	printf("\r%.*s\033[K", (int)len, line.text);
	l->is_drawn = true;
	fflush(stdout);
}

static void put_lines(struct live *l, const char *text, enum tone tone)
{
	erase(l);
	fputs(term_tone(&l->term, tone), stdout);
	term_put(text);
	printf("%s\n", term_plain(&l->term, tone));
	fflush(stdout);
}

static void put_json(json_t *json)
{
	hand_print_json(json);
	json_decref(json);
	fflush(stdout);
}

void live_see_event(void *ctx, const struct event *event, const struct run_state *state)
{
	struct live *l = ctx;
	AUTO_STR struct str text = STR_INIT;
	enum tone tone = TONE_PLAIN;
	str_clear(&l->activity);
	if (l->is_json)
		put_json(event_json(event));
	else if (live_line(event, state, &text, &tone))
		put_lines(l, text.text, tone);
	draw(l, state);
}

void live_see_progress(void *ctx, const struct run_state *state, const char *text)
{
	struct live *l = ctx;
	str_clear(&l->activity);
	str_add(&l->activity, text);
	if (l->is_json)
		put_json(json_pack("{ss ss}", "type", "progress", "text", text));
	else if (!l->term.is_tty)
		log_debug("%s", text);
	draw(l, state);
}

void live_see_agent(void *ctx, const char *text)
{
	struct live *l = ctx;
	/* Its own words: the label keeps them apart from lines that forge says. */
	AUTO_STR struct str line = STR_INIT;
	str_add(&line, "  agent: ");
	untrusted_line(&line, text, MAX_AGENT_LINE_BYTES);
	if (l->is_json)
		put_json(json_pack("{ss ss}", "type", "agent", "text", text));
	else
		put_lines(l, line.text, TONE_DIM);
}

void live_see_wait(void *ctx, const struct run_state *state, const char *text)
{
	struct live *l = ctx;
	if (!l->is_json && !l->term.is_tty)
		log_info("%s", text);
	live_see_progress(ctx, state, text);
}
