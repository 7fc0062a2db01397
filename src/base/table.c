#include "base/table.h"

/* Cells live in one flat list; a table of our size is printed once, so widths are computed then. */

#include <stdarg.h>
#include <string.h>

#include "base/err.h"
#include "base/untrusted.h"

/* A cell with more is no cell. */
enum { MAX_CELL_BYTES = 2000 };

void table_init(struct table *t, const char *align)
{
	*t = (struct table){ .nr_cols = strlen(align) };
	if (!t->nr_cols || t->nr_cols >= sizeof(t->align))
		BUG("table of %zu columns", t->nr_cols);
	memcpy(t->align, align, t->nr_cols);
}

void table_release(struct table *t)
{
	strv_release(&t->cells);
}

void table_add(struct table *t, const char *text)
{
	AUTO_STR struct str shown = STR_INIT;
	untrusted_line(&shown, text, MAX_CELL_BYTES);
	strv_add(&t->cells, shown.text);
}

void table_addf(struct table *t, const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	table_add(t, text.text);
}

void table_line(struct table *t, const char *cells)
{
	size_t nr = 0;
	for (const char *at = cells;; at++, nr++) {
		size_t len = strcspn(at, "\t");
		strv_addf(&t->cells, "%.*s", (int)len, at);
		at += len;
		if (!*at)
			break;
	}
	if (nr + 1 != t->nr_cols)
		BUG("table line has %zu cells, not %zu: %s", nr + 1, t->nr_cols, cells);
}

size_t text_width(const char *text)
{
	size_t width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

static size_t nr_lines(const struct table *t)
{
	if (t->cells.nr % t->nr_cols)
		BUG("table with an unfinished line");
	return t->cells.nr / t->nr_cols;
}

static size_t column_width(const struct table *t, size_t col)
{
	size_t width = 0;
	for (size_t i = col; i < t->cells.nr; i += t->nr_cols) {
		size_t w = text_width(t->cells.items[i]);
		width = w > width ? w : width;
	}
	return width;
}

static void add_spaces(struct str *out, size_t n)
{
	str_addf(out, "%*s", (int)n, "");
}

static void trim_right(struct str *out)
{
	while (out->len && out->text[out->len - 1] == ' ')
		out->text[--out->len] = 0;
}

static void print_cell(const struct table *t, const char *text, size_t col, size_t width,
		       struct str *out)
{
	size_t pad = width - text_width(text);
	if (t->align[col] == 'r')
		add_spaces(out, pad);
	str_add(out, text);
	if (t->align[col] == 'l')
		add_spaces(out, pad);
}

void table_print(const struct table *t, const char *indent, struct str *out)
{
	size_t width[sizeof(t->align)];
	for (size_t col = 0; col < t->nr_cols; col++)
		width[col] = column_width(t, col);
	for (size_t line = 0; line < nr_lines(t); line++) {
		AUTO_STR struct str text = STR_INIT;
		str_add(&text, indent);
		for (size_t col = 0; col < t->nr_cols; col++) {
			str_add(&text, col ? "  " : "");
			print_cell(t, t->cells.items[line * t->nr_cols + col], col, width[col],
				   &text);
		}
		trim_right(&text);
		str_addf(out, "%s\n", text.text);
	}
}

/* A cell must not end its column or its line. */
static void add_markdown_cell(const char *text, struct str *out)
{
	str_add(out, " ");
	for (; *text; text++) {
		if (*text == '|')
			str_add_char(out, '\\');
		str_add_char(out, *text == '\n' ? ' ' : *text);
	}
	str_add(out, " |");
}

void table_print_markdown(const struct table *t, struct str *out)
{
	for (size_t line = 0; line < nr_lines(t); line++) {
		str_add(out, "|");
		for (size_t col = 0; col < t->nr_cols; col++)
			add_markdown_cell(t->cells.items[line * t->nr_cols + col], out);
		str_add(out, "\n");
		if (line)
			continue;
		str_add(out, "|");
		for (size_t col = 0; col < t->nr_cols; col++)
			str_add(out, t->align[col] == 'r' ? "---:|" : "---|");
		str_add(out, "\n");
	}
}
