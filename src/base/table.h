/*
 * A text table: rows of cells, columns as wide as their widest cell (counted in characters, not
 * bytes), numbers to the right. Prints as aligned text for terminals or as Markdown.
 */
#ifndef FORGE_BASE_TABLE_H
#define FORGE_BASE_TABLE_H

#include <stddef.h>

#include "base/str.h"

struct table {
	struct strv cells; /* row after row, nr_cols each */
	size_t nr_cols;
	char align[16]; /* 'l' or 'r' a column */
};

/* `align` has one letter a column ("llr"); at most 15 columns. */
void table_init(struct table *t, const char *align);
void table_release(struct table *t);
#define AUTO_TABLE __attribute__((cleanup(table_release)))
/* One cell, left to right, line by line; the first line is the heading. */
void table_add(struct table *t, const char *text);
void table_addf(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A whole line, cells separated by '\t'. */
void table_line(struct table *t, const char *cells);
/* Aligned columns, two spaces between, `indent` before; an unfinished line is a BUG. */
void table_print(const struct table *t, const char *indent, struct str *out);
void table_print_markdown(const struct table *t, struct str *out);
/* Characters of a UTF-8 text (every code point counts one). */
size_t text_width(const char *text);

#endif
