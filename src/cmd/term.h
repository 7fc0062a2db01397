/*
 * What the terminal behind a stream can do, and the way to it. No terminal: plain lines. NO_COLOR
 * or TERM=dumb: no colours. Only plain ANSI sequences, no terminal database. Whatever goes to
 * standard output goes through term_print or term_put: texts of kernels, compilers, agents and file
 * names may be in it (tools/check-layers allows printf and its like in no other file of this
 * folder).
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
/* Print to standard output as printf, but for what an argument must not do: everything but the
 * format's own last newline is on one line, and harmless (base/untrusted.h). */
void term_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Print composed lines, tables, JSON. Whoever composed them kept strangers' line feeds out. */
void term_put(const char *lines);

#endif
