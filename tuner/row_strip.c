#include "tuner/kernel.h"

/* A loop in strips: legal always, useful for what later rows do to one of the two loops. */

#include "base/err.h"
#include "tuner/cut.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"

enum { STRIP_MAX = 1 << 16 };

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct cut cut;
	struct err ignored = { 0 };
	long u;
	if (row_get_number(row, "u", 2, STRIP_MAX, &u, &ignored) < 0)
		return "u is no number";
	const char *trouble = cut_open(&cut, k, v, loop, u);
	if (trouble)
		return trouble;
	cut_shift(&cut);
	struct stmt *strip = cut_strip(&cut, LOOP_PLAIN);
	struct stmt *block = stmt_new(k->a, STMT_BLOCK);
	strip->items[0] = cut.main->items[0];
	stmt_add(k->a, block, strip);
	cut.main->items[0] = block;
	cut_commit(&cut, NULL, NULL);
	return NULL;
}

int row_strip(struct kernel *k, const struct row *row, struct err *e)
{
	long u;
	if (row_get_number(row, "u", 2, STRIP_MAX, &u, e) < 0)
		return -1;
	return row_apply_each(k, row, apply_to, e);
}
