/*
 * The TOML reader's lower half: a position in the text and the scalars that start there. Used by
 * toml.c only; toml.h is the public face.
 */
#ifndef FORGE_BASE_TOML_SCAN_H
#define FORGE_BASE_TOML_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct str;
struct toml;

struct toml_scan {
	const char *at;
	const char *end;
	const char *line_start;
	unsigned line;
	unsigned depth;
	const char *name; /* of the document, for messages */
	struct arena *arena;
	struct err *e;
};

/* "name:LINE:COL: ..." for a place on the current line. Returns -1. */
int toml_fail(struct toml_scan *s, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
unsigned toml_col(const struct toml_scan *s, const char *at);
/* The byte at the position, or -1 at the end. */
int toml_peek(const struct toml_scan *s);
bool toml_looking_at(const struct toml_scan *s, const char *text);
void toml_skip_blanks(struct toml_scan *s);
/* Step over LF or CRLF; false when there is none. */
bool toml_take_newline(struct toml_scan *s);
/* UTF-8 and control characters of the whole document. */
int toml_check_bytes(struct toml_scan *s);
/* Blanks, a comment, then the end of the line or of the document. */
int toml_end_line(struct toml_scan *s);
/* Blanks, comments and newlines, as between the items of an array. */
int toml_skip_lines(struct toml_scan *s);

/* toml_text.c: strings, from the opening quote; `is_key` forbids the multi-line forms. */
int toml_scan_string(struct toml_scan *s, bool is_key, struct str *out);
/* toml_scan.c: booleans, numbers; dates are passed on. */
int toml_scan_scalar(struct toml_scan *s, struct toml *value);
/* toml_date.c: true when the token starts as dates and times do. */
bool toml_is_date(const char *token, size_t len);
int toml_scan_date(struct toml_scan *s, const char *token, size_t len, struct toml *value);

#endif
