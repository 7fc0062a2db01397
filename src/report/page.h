/*
 * A report as blocks, written once and printed twice: as Markdown and as HTML. Text in blocks is
 * plain; `...` (backticks) marks code. Printers escape everything.
 */
#ifndef FORGE_REPORT_PAGE_H
#define FORGE_REPORT_PAGE_H

#include <stddef.h>

#include "base/str.h"
#include "base/table.h"

enum block_kind {
	BLOCK_HEADING,
	BLOCK_ALERT,  /* what a reader must know before believing a number */
	BLOCK_RESULT, /* the headline number */
	BLOCK_TEXT,
	BLOCK_ITEM, /* neighbours make one list */
	BLOCK_TABLE,
	BLOCK_CODE,
	BLOCK_FIGURE, /* SVG; Markdown shows its caption only */
};

struct block {
	enum block_kind kind;
	struct str text; /* heading, paragraph, code, caption */
	struct str svg;
	struct table table;
};

struct page {
	struct str title;
	struct block *items;
	size_t nr;
	size_t cap;
};

void page_init(struct page *p, const char *title);
void page_release(struct page *p);
#define AUTO_PAGE __attribute__((cleanup(page_release)))
/* Append a block; its text as printf. */
void page_add(struct page *p, enum block_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Append a table (see table_init) to be filled; borrowed until the next block is added. */
struct table *page_table(struct page *p, const char *align, const char *heading);
/* Append a figure; takes the SVG text. */
void page_figure(struct page *p, const char *caption, struct str *svg);

void page_print_markdown(const struct page *p, struct str *out);
void page_print_html(const struct page *p, struct str *out);
/* `text` with & < > " ' as references, otherwise as untrusted_block. */
void html_escape(const char *text, struct str *out);

#endif
