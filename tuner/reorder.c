#include "tuner/reorder.h"

/* An array is summed into when every use of its name below the loop is the target of a sum: no
 * iteration then sees what another has added. The other arrays must be proved apart. */

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/ir.h"
#include "tuner/proof.h"
#include "tuner/reduce.h"
#include "tuner/walk.h"

struct sums {
	const char *array;
	unsigned nr_uses;
	unsigned nr_sums;
};

static bool see_use(void *ctx, const struct expr *e)
{
	struct sums *s = ctx;
	s->nr_uses += expr_is_name(e, s->array);
	return true;
}

/* a[...] += e, where the array is in no other place of the statement. */
static bool is_sum(const struct expr *e, const char *array)
{
	if (!e || e->kind != EXPR_ASSIGN ||
	    (strcmp(e->text, "+=") != 0 && strcmp(e->text, "-=") != 0))
		return false;
	const struct expr *target = e->items[0];
	for (; target->kind == EXPR_INDEX; target = target->items[0])
		if (expr_uses(target->items[1], array))
			return false;
	return expr_is_name(target, array) && !expr_uses(e->items[1], array);
}

static bool see_sum(void *ctx, const struct stmt *s)
{
	struct sums *sums = ctx;
	sums->nr_sums += s->kind == STMT_EXPR && is_sum(s->expr, sums->array);
	return true;
}

static bool is_summed(const struct stmt *loop, const char *array)
{
	struct sums s = { .array = array };
	walk_stmt(&(struct walk){ &s, see_use, see_sum }, loop);
	return s.nr_uses == s.nr_sums;
}

const char *reorder_arrays(const struct accesses *list, const struct stmt *loop, struct arena *a)
{
	struct accesses others = *list;
	if (list->trouble)
		return list->trouble;
	others.items = arena_array(a, list->nr + 1, sizeof(*others.items));
	others.nr = 0;
	for (size_t i = 0; i < list->nr; i++)
		if (!is_summed(loop, list->items[i]->array))
			others.items[others.nr++] = list->items[i];
	return proof_arrays(&others, loop, a);
}

const char *reorder_trouble(const struct view *view, const struct stmt *loop, struct arena *a)
{
	struct accesses list;
	accesses_collect(&list, view, loop, a);
	if (list.has_exit)
		return "it may be left early";
	for (size_t i = 0; i < list.nr_scalars; i++)
		if (!reduce_operation(loop, list.scalars[i]))
			return arena_printf(a, "%s goes from one iteration to the next",
					    list.scalars[i]);
	return reorder_arrays(&list, loop, a);
}
