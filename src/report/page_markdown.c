#include "report/page.h"

/* GitHub's Markdown. Only '<' and '&' need care: our texts use no other mark-up on purpose. */

static void add_text(const char *text, struct str *out)
{
	for (; *text; text++) {
		if (*text == '<')
			str_add(out, "&lt;");
		else if (*text == '&')
			str_add(out, "&amp;");
		else
			str_add_char(out, *text);
	}
}

static void add_table(const struct table *t, struct str *out)
{
	AUTO_STR struct str text = STR_INIT;
	table_print_markdown(t, &text);
	add_text(text.text, out);
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
		str_addf(out, "```sh\n%s\n```\n\n", b->text.text);
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
