/*
 * The body of a lesson cut into lines of prose and lines of code, and what prose may hold: numbers
 * with their units, no code. Pure text.
 */
#ifndef FORGE_KNOW_PROSE_H
#define FORGE_KNOW_PROSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

enum prose_kind { PROSE_TEXT, PROSE_CODE, PROSE_FENCE };

struct prose_line {
	unsigned number;
	enum prose_kind kind;
	const char *text;  /* as it stands */
	const char *plain; /* PROSE_TEXT: what stands in backticks is blank */
	const char *info;  /* PROSE_FENCE that opens: the word behind it; NULL: it closes */
};

struct prose {
	struct arena arena;
	struct prose_line *items;
	size_t nr;
	unsigned open_fence; /* line of a fence that nothing closes; 0: none */
};

/* `first` is the number of the body's first line. */
void prose_cut(struct prose *p, const char *body, unsigned first);
void prose_release(struct prose *p);
#define AUTO_PROSE __attribute__((cleanup(prose_release)))
/* The text with what stands in backticks blanked, in the arena. */
const char *prose_plain(struct arena *a, const char *text);
/* The first number without its unit at or after *at, which is set behind it; NULL: there is none.
 * `next` is the line that goes on behind this one, or "". Yours. */
char *prose_bare_number(const char *plain, const char *next, size_t *at);
/* Has the prose a paragraph at all? */
bool prose_has_text(const struct prose *p);

#endif
