#include "report/page.h"

/* One file, no script, no outside resource: it can be mailed, and opened in ten years. Colours are
 * variables, so that light and dark and the figures agree; all pairs of text and ground keep a
 * contrast of 4.5:1 at least, and no meaning rests on colour alone. */

#include <stddef.h>

#include "base/untrusted.h"
#include "report/html_style.h"

enum { MAX_TEXT_BYTES = 64 << 10 };

void html_escape(const char *text, struct str *out)
{
	AUTO_STR struct str shown = STR_INIT;
	untrusted_block(&shown, text, MAX_TEXT_BYTES);
	for (const char *c = shown.text; *c; c++) {
		if (*c == '&')
			str_add(out, "&amp;");
		else if (*c == '<')
			str_add(out, "&lt;");
		else if (*c == '>')
			str_add(out, "&gt;");
		else if (*c == '"')
			str_add(out, "&quot;");
		else if (*c == '\'')
			str_add(out, "&#39;");
		else
			str_add_char(out, *c);
	}
}

/* Escaped text in which `...` is code. */
static void add_text(const char *text, struct str *out)
{
	AUTO_STR struct str safe = STR_INIT;
	bool is_code = false;
	html_escape(text, &safe);
	for (const char *c = safe.text; *c; c++) {
		if (*c != '`') {
			str_add_char(out, *c);
			continue;
		}
		str_add(out, is_code ? "</code>" : "<code>");
		is_code = !is_code;
	}
	if (is_code)
		str_add(out, "</code>");
}

static void add_element(const char *open, const char *text, const char *close, struct str *out)
{
	str_add(out, open);
	add_text(text, out);
	str_addf(out, "%s\n", close);
}

static void add_row(const struct table *t, size_t line, struct str *out)
{
	const char *tag = line ? "td" : "th";
	str_add(out, "<tr>");
	for (size_t col = 0; col < t->nr_cols; col++) {
		str_addf(out, "<%s%s%s>", tag, line ? "" : " scope=\"col\"",
			 t->align[col] == 'r' ? " class=\"n\"" : "");
		add_text(t->cells.items[line * t->nr_cols + col], out);
		str_addf(out, "</%s>", tag);
	}
	str_add(out, "</tr>\n");
}

static void add_table(const struct table *t, struct str *out)
{
	size_t nr_lines = t->cells.nr / t->nr_cols;
	str_add(out, "<div class=\"wide\"><table>\n<thead>\n");
	add_row(t, 0, out);
	str_add(out, "</thead>\n<tbody>\n");
	for (size_t line = 1; line < nr_lines; line++)
		add_row(t, line, out);
	str_add(out, "</tbody>\n</table></div>\n");
}

static void add_figure(const struct block *b, struct str *out)
{
	str_addf(out, "<figure><div class=\"wide\">\n%s</div>\n", b->svg.text);
	add_element("<figcaption>", b->text.text, "</figcaption></figure>", out);
}

static void add_block(const struct block *b, struct str *out)
{
	switch (b->kind) {
	case BLOCK_HEADING:
		add_element("<h2>", b->text.text, "</h2>", out);
		break;
	case BLOCK_ALERT:
		add_element("<p class=\"alert\"><strong>Note:</strong> ", b->text.text, "</p>",
			    out);
		break;
	case BLOCK_RESULT:
		add_element("<p class=\"result\">", b->text.text, "</p>", out);
		break;
	case BLOCK_TEXT:
		add_element("<p>", b->text.text, "</p>", out);
		break;
	case BLOCK_ITEM:
		add_element("<li>", b->text.text, "</li>", out);
		break;
	case BLOCK_TABLE:
		add_table(&b->table, out);
		break;
	case BLOCK_CODE:
		add_element("<pre>", b->text.text, "</pre>", out);
		break;
	case BLOCK_FIGURE:
		add_figure(b, out);
		break;
	}
}

static bool is_item(const struct page *p, size_t i)
{
	return i < p->nr && p->items[i].kind == BLOCK_ITEM;
}

void page_print_html(const struct page *p, struct str *out)
{
	str_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n");
	add_element("<title>", p->title.text, "</title>", out);
	str_addf(out, "<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style());
	add_element("<h1>", p->title.text, "</h1>", out);
	for (size_t i = 0; i < p->nr; i++) {
		bool opens = is_item(p, i) && (i == 0 || !is_item(p, i - 1));
		str_add(out, opens ? "<ul>\n" : "");
		add_block(&p->items[i], out);
		str_add(out, is_item(p, i) && !is_item(p, i + 1) ? "</ul>\n" : "");
	}
	str_add(out, "</main>\n</body>\n</html>\n");
}
