#include "report/page.h"

/* GitHub's Markdown. A block's text is one line, which ours and a stranger's share; the only
 * mark-up that comes through is `code`. So that the reader's program sees the same code as we do,
 * single backticks are left in pairs only, and longer runs become apostrophes. '<' and '&' are
 * references even inside code: a mistake there would be a tag. */

#include <ctype.h>
#include <string.h>

#include "base/untrusted.h"

enum { MAX_TEXT_BYTES = 16 << 10, MAX_CODE_BYTES = 64 << 10 };

/* Runs of backticks go, and the last one of an odd number. */
static void backticks_pair(struct str *s)
{
	char *last = NULL;
	size_t nr = 0;
	for (char *at = s->text; *at;) {
		size_t run = strspn(at, "`");
		if (run > 1)
			memset(at, '\'', run);
		if (run == 1) {
			last = at;
			nr++;
		}
		at += run ? run : 1;
	}
	if (nr % 2)
		*last = '\'';
}

/* A list, heading, quotation or rule would begin here. */
static bool begins_a_block(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	if (digits)
		return (text[digits] == '.' || text[digits] == ')') &&
		       (!text[digits + 1] || text[digits + 1] == ' ');
	return *text && strchr("#>=+-", *text);
}

/* Whether the character at `at` would mark up the text that starts at `start`. */
static bool is_mark(const char *start, const char *at)
{
	bool is_in_word =
		at > start && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
	switch (*at) {
	case '\\':
	case '*':
	case '~':
		return true;
	case '_':
		return !is_in_word;
	case '(':
	case '[':
		return at > start && at[-1] == ']';
	case ':': /* what a link's name means is told where a line begins with it */
		return *start == '[' && at > start && at[-1] == ']';
	default:
		return false;
	}
}

static void add_char(const char *start, const char *at, bool is_code, struct str *out)
{
	if (*at == '<')
		str_add(out, "&lt;");
	else if (*at == '&')
		str_add(out, "&amp;");
	else if (is_code && *at == '|') /* no escape holds in the code of a cell */
		str_add(out, "¦");
	else if (!is_code && is_mark(start, at))
		str_addf(out, "\\%c", *at);
	else
		str_add_char(out, *at);
}

/* `text` as one line that marks up nothing but `code`. */
static void markdown_escape(const char *text, struct str *out)
{
	AUTO_STR struct str line = STR_INIT;
	bool is_code = false;
	untrusted_line(&line, text, MAX_TEXT_BYTES);
	backticks_pair(&line);
	for (const char *at = line.text; *at; at++) {
		is_code ^= *at == '`';
		add_char(line.text, at, is_code, out);
	}
}

/* The same where a block may begin. */
static void add_text(const char *text, struct str *out)
{
	text += strspn(text, " \t\n");
	if (begins_a_block(text)) {
		size_t digits = strspn(text, "0123456789");
		str_addf(out, "%.*s\\%c", (int)digits, text, text[digits]);
		text += digits + 1;
	}
	markdown_escape(text, out);
}

static void add_table(const struct table *t, struct str *out)
{
	AUTO_TABLE struct table safe = { .nr_cols = t->nr_cols };
	memcpy(safe.align, t->align, sizeof(safe.align));
	for (size_t i = 0; i < t->cells.nr; i++) {
		AUTO_STR struct str cell = STR_INIT;
		markdown_escape(t->cells.items[i], &cell);
		strv_add(&safe.cells, cell.text);
	}
	table_print_markdown(&safe, out);
}

/* A paragraph, or a list item, with what goes before and after. */
static void add_wrapped(const char *before, const char *text, const char *after, struct str *out)
{
	str_add(out, before);
	add_text(text, out);
	str_add(out, after);
}

static void add_block(const struct block *b, bool is_last_item, struct str *out)
{
	switch (b->kind) {
	case BLOCK_HEADING:
		add_wrapped("## ", b->text.text, "\n\n", out);
		break;
	case BLOCK_ALERT:
		add_wrapped("> **Note:** ", b->text.text, "\n\n", out);
		break;
	case BLOCK_RESULT:
		add_wrapped("**", b->text.text, "**\n\n", out);
		break;
	case BLOCK_TEXT:
		add_wrapped("", b->text.text, "\n\n", out);
		break;
	case BLOCK_ITEM:
		add_wrapped("- ", b->text.text, is_last_item ? "\n\n" : "\n", out);
		break;
	case BLOCK_TABLE:
		add_table(&b->table, out);
		str_add(out, "\n");
		break;
	case BLOCK_CODE:
		untrusted_fence(out, "sh", b->text.text, MAX_CODE_BYTES);
		str_add(out, "\n");
		break;
	case BLOCK_FIGURE:
		add_wrapped("*Figure in report.html:* ", b->text.text, "\n\n", out);
		break;
	}
}

static bool ends_list(const struct page *p, size_t i)
{
	return i + 1 == p->nr || p->items[i + 1].kind != BLOCK_ITEM;
}

void page_print_markdown(const struct page *p, struct str *out)
{
	add_wrapped("# ", p->title.text, "\n\n", out);
	for (size_t i = 0; i < p->nr; i++)
		add_block(&p->items[i], ends_list(p, i), out);
}
