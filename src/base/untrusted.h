/*
 * Text that somebody else wrote - a kernel's comment, a compiler, an agent, a file name - made
 * harmless to show: on one line, or as a block. What a terminal, a person or a parser could take
 * for more than text (control characters, escape sequences, bidirectional and invisible characters,
 * bytes that are no UTF-8) is spelled out as \x1b or \u{202e}; what is too long is cut, and how
 * much was cut is said. Each medium has one function on top of this: term_print and log_*
 * (terminal), html_escape and page_print_markdown (reports), agent_frame (agents), json_line
 * (files).
 */
#ifndef FORGE_BASE_UNTRUSTED_H
#define FORGE_BASE_UNTRUSTED_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum char_kind {
	CHAR_PLAIN,
	CHAR_BREAK,     /* tab and line feed */
	CHAR_CONTROL,   /* the other C0, delete, C1, line and paragraph separators, noncharacters */
	CHAR_BIDI,      /* marks, embeddings, overrides, isolates */
	CHAR_INVISIBLE, /* zero width, fillers, variation selectors, tags */
	CHAR_INVALID,   /* a byte that begins no UTF-8 character */
};

/* The character at `at` (`left` > 0 bytes are there): its kind, code and length. An invalid byte is
 * its own code, of length 1. */
enum char_kind char_kind_at(const char *at, size_t left, uint32_t *code, size_t *len);
/* "control", "bidirectional", ... for messages. */
const char *char_kind_name(enum char_kind kind);

/* Append as one line: tab and line feed become blanks. At most `max_bytes` of text (0: all), then
 * "... (N bytes more)". */
void untrusted_line(struct str *out, const char *text, size_t max_bytes);
/* As untrusted_line, keeping tabs and line feeds; a carriage return before a line feed goes. */
void untrusted_block(struct str *out, const char *text, size_t max_bytes);
/* As untrusted_line into `cap` bytes, without allocation; a cut ends in "...". `text` may not be
 * `out`. */
void untrusted_copy(char *out, size_t cap, const char *text);
/* Append JSON text with such characters, which only strings can hold, as \uXXXX: the same value. */
void untrusted_json(struct str *out, const char *json);
/* Append a Markdown code block: a fence longer than any run of backticks in the text, `info` behind
 * it. */
void untrusted_fence(struct str *out, const char *info, const char *text, size_t max_bytes);

#endif
