/*
 * What the terminal behind a stream can do. No terminal: plain lines. NO_COLOR or TERM=dumb: no
 * colours. Only plain ANSI sequences, no terminal database.
 */
#ifndef FORGE_CMD_TERM_H
#define FORGE_CMD_TERM_H

#include <stdbool.h>
#include <stddef.h>

enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_WARN, TONE_DIM };

struct term {
	bool is_tty;
	bool has_colour;
};

struct term term_probe(int fd);
/* Columns now (the window may change); 80 when nobody knows. */
size_t term_width(int fd);
/* Sequences to start and end a tone; "" without colours. */
const char *term_tone(const struct term *t, enum tone tone);
const char *term_plain(const struct term *t, enum tone tone);

#endif
