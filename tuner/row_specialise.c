#include "tuner/kernel.h"

/* One body per visible size, in which the size parameters are constants, and the general body for
 * every other size. What earlier rows did to the general body is copied into each. */

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/ttask.h"
#include "tuner/walk.h"

enum { SHAPES_MAX = 8 };

static const char *function_name(const struct kernel *k, const char *shape)
{
	char *name = arena_printf(k->a, "%s_%s", k->unit.entry.name, shape);
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return fresh_name(k, NULL, name);
}

/* Values of the size parameters at a shape, under the names of the source. */
static struct dims bind(const struct kernel *k, const struct tuner_shape *shape)
{
	const struct function *f = &k->unit.entry;
	struct dims bound = { .items = arena_array(k->a, f->nr_params + 1, sizeof(struct dim)) };
	for (size_t i = 0; i < f->nr_params; i++) {
		const struct dim *d = dims_find(&shape->sizes, k->task->args[i].name);
		if (d)
			bound.items[bound.nr++] = (struct dim){ f->params[i].name, d->value };
	}
	return bound;
}

static bool same_values(const struct dims *a, const struct dims *b)
{
	bool is_same = a->nr == b->nr;
	for (size_t i = 0; is_same && i < a->nr; i++)
		is_same = a->items[i].value == b->items[i].value;
	return is_same;
}

static bool is_known(const struct variant *list, size_t nr, const struct dims *bound)
{
	for (size_t i = 0; i < nr; i++)
		if (same_values(&list[i].view.bound, bound))
			return true;
	return false;
}

/* Extents of local arrays become numbers: a length that is only known to be constant still makes a
 * variable-length array. */
static void fix_extents(const struct kernel *k, const struct view *view, struct stmt *s)
{
	struct env env;
	bool is_array = s->kind == STMT_DECL && s->decl->nr_dims;
	if (is_array && env_open(&env, view, s, k->a)) {
		for (size_t i = 0; i < s->decl->nr_dims; i++) {
			struct poly extent = env_poly(&env, s->decl->dims[i]);
			int64_t value;
			if (poly_is_number(&extent, &value) && value > 0)
				s->decl->dims[i] = expr_number(k->a, value);
		}
	}
	for (size_t i = 0; i < s->nr; i++)
		fix_extents(k, view, s->items[i]);
}

static struct variant make_variant(const struct kernel *k, const struct variant *general,
				   const struct tuner_shape *shape, const struct dims *bound)
{
	struct variant v = *general;
	v.function = function_name(k, shape->name);
	v.shape = shape->name;
	v.body = stmt_clone(k->a, general->body);
	v.view.body = v.body;
	v.view.bound = *bound;
	fix_extents(k, &v.view, v.body);
	return v;
}

int row_specialise(struct kernel *k, const struct row *row, struct err *e)
{
	const char *which = row_get(row, "shapes");
	bool is_all = strcmp(which, "all") == 0;
	if (k->unread)
		return err_set(e, ERR_INPUT, "the source was not read: %s", k->unread);
	if (!is_all && strcmp(which, "none") != 0)
		return err_set(e, ERR_INPUT, "shapes must be all or none");
	const struct kernel before = *k;
	const struct variant general = k->variants[k->nr_variants - 1];
	struct variant *list = arena_array(k->a, SHAPES_MAX + 1, sizeof(*list));
	k->variants = list;
	k->nr_variants = 0;
	for (size_t i = 0; is_all && i < k->task->nr_shapes && k->nr_variants < SHAPES_MAX; i++) {
		struct dims bound = bind(k, &k->task->shapes[i]);
		if (bound.nr && !is_known(list, k->nr_variants, &bound))
			list[k->nr_variants++] =
				make_variant(k, &general, &k->task->shapes[i], &bound);
	}
	if (is_all && !k->nr_variants) {
		*k = before;
		return err_set(e, ERR_INPUT, "no argument of the task is a size");
	}
	list[k->nr_variants] = general;
	list[k->nr_variants].function = function_name(k, "any");
	k->nr_variants++;
	k->is_restrict = true;
	return 0;
}
