/*
 * Where a source comes from. A file that this program wrote lists the rows it applied and holds the
 * text they were applied to (docs/format/decision-rows.md), so that a later search can go on from
 * both. Here these marks are written, and read back.
 */
#ifndef FORGE_TUNER_ORIGIN_H
#define FORGE_TUNER_ORIGIN_H

#include "tuner/plan.h"

struct arena;
struct kernel;
struct str;
struct tuner_task;

struct origin {
	const char *source; /* what rows apply to */
	struct plan plan;   /* rows that the text holds already, its build first; nr 0: none */
	const char *doubt;  /* why a text that lists rows is taken as any other; NULL: it is not */
};

/* Rows count only when applying them again gives the same file, word for word. All in the arena. */
void origin_find(struct origin *o, const char *text, const struct tuner_task *task,
		 struct arena *a);
/* Lines of the file's first comment. */
void origin_print_rows(const struct kernel *k, struct str *out);
/* The entry as it was read, under another name, and the mark behind it. */
void origin_print_plain(const struct kernel *k, struct str *out);
/* The mark between what the rows made and the rest of the source. */
void origin_print_rest(struct str *out);

#endif
