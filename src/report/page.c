#include "report/page.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/mem.h"

void page_init(struct page *p, const char *title)
{
	*p = (struct page){ 0 };
	str_init(&p->title);
	str_add(&p->title, title);
}

static void block_release(struct block *b)
{
	str_release(&b->text);
	str_release(&b->svg);
	table_release(&b->table);
}

void page_release(struct page *p)
{
	for (size_t i = 0; i < p->nr; i++)
		block_release(&p->items[i]);
	free(p->items);
	str_release(&p->title);
	*p = (struct page){ 0 };
}

static struct block *push(struct page *p, enum block_kind kind)
{
	if (p->nr == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 32;
		p->items = xreallocarray(p->items, p->cap, sizeof(*p->items));
	}
	struct block *b = &p->items[p->nr++];
	*b = (struct block){ .kind = kind };
	str_init(&b->text);
	str_init(&b->svg);
	return b;
}

void page_add(struct page *p, enum block_kind kind, const char *fmt, ...)
{
	struct block *b = push(p, kind);
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&b->text, fmt, ap);
	va_end(ap);
}

struct table *page_table(struct page *p, const char *align, const char *heading)
{
	struct block *b = push(p, BLOCK_TABLE);
	table_init(&b->table, align);
	table_line(&b->table, heading);
	return &b->table;
}

void page_figure(struct page *p, const char *caption, struct str *svg)
{
	struct block *b = push(p, BLOCK_FIGURE);
	str_add(&b->text, caption);
	b->svg = *svg;
	str_init(svg);
}
