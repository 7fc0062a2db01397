#include "tuner/kernel.h"

/* Deals a loop out to threads where its iterations are proved independent, partial results aside if
 * the row allows them. Only marked here; team.c writes what becomes of it. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/grid.h"
#include "tuner/ir.h"
#include "tuner/partials.h"
#include "tuner/proof.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/ttask.h"
#include "tuner/walk.h"

static bool see_threads(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	*is_found = *is_found || (s->loop && s->loop->threads);
	return true;
}

static bool has_threads_below(const struct stmt *s)
{
	bool is_found = false;
	for (size_t i = 0; i < s->nr; i++)
		walk_stmt(&(struct walk){ &is_found, NULL, see_threads }, s->items[i]);
	return is_found;
}

static bool has_threads_above(const struct variant *v, const struct stmt *loop)
{
	struct stmt *above = loop_around(v->body, loop);
	while (above && !above->loop->threads)
		above = loop_around(v->body, above);
	return above != NULL;
}

/* Rows of a table are handed on by pointers whose type needs their lengths. */
static bool has_open_rows(const struct decl *d)
{
	for (size_t i = 1; i < d->nr_dims; i++)
		if (d->dims[i]->kind != EXPR_NUMBER)
			return true;
	return false;
}

static bool needs_open_table(const struct kernel *k, const struct variant *v,
			     const struct stmt *loop)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	if (!env_open(env, &v->view, loop, k->a))
		return true;
	for (size_t i = 0; i < env->nr; i++) {
		const struct decl *d = env->items[i].decl;
		if (d && has_open_rows(d) && stmt_uses(loop, d->name))
			return true;
	}
	return false;
}

static bool see_kept(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	*is_found = *is_found || (s->decl && text_has_name(s->decl->type, "static") &&
				  !text_has_name(s->decl->type, "const"));
	return !*is_found;
}

/* A local that is not the iteration's own. */
static bool has_kept_local(const struct stmt *loop)
{
	bool is_found = false;
	walk_stmt(&(struct walk){ &is_found, NULL, see_kept }, loop);
	return is_found;
}

static const char *unproved(const struct kernel *k, const struct variant *v,
			    const struct stmt *loop, bool is_reduced)
{
	struct accesses list;
	struct partials partials;
	if (!is_reduced)
		return proof_independent(&v->view, loop, k->a);
	accesses_collect(&list, &v->view, loop, k->a);
	if (list.has_exit)
		return "it may be left early";
	const char *carried = partials_find(&partials, v, loop, &list, k->a);
	return carried ? carried : proof_arrays(&list, loop, k->a);
}

static const char *unsuitable(const struct kernel *k, const struct variant *v,
			      const struct stmt *loop, bool is_reduced)
{
	if (has_threads_below(loop) || has_threads_above(v, loop))
		return "a loop around or inside it is dealt out already";
	if (needs_open_table(k, v, loop))
		return "it uses a local table of its surroundings";
	if (has_kept_local(loop))
		return "it has a local that outlives an iteration";
	return unproved(k, v, loop, is_reduced);
}

static int parse_layout(const struct row *row, enum share_layout *out, struct err *e)
{
	static const char *const names[] = { "block", "deal", "dynamic", "grid" };
	const char *layout = row_get(row, "layout");
	*out = SHARE_BLOCK;
	for (size_t i = 0; layout && i < ARRAY_LEN(names); i++) {
		*out = (enum share_layout)i;
		if (strcmp(layout, names[i]) == 0)
			return 0;
	}
	return layout ? err_set(e, ERR_INPUT, "layout must be block, deal, dynamic or grid") : 0;
}

static int parse_reduce(const struct row *row, bool *out, struct err *e)
{
	const char *word = row_get(row, "reduce");
	*out = word && strcmp(word, "all") == 0;
	if (word && !*out && strcmp(word, "none") != 0)
		return err_set(e, ERR_INPUT, "reduce must be all or none");
	return 0;
}

static int check_keys(const struct row *row, enum share_layout layout, bool is_reduced,
		      struct err *e)
{
	bool has_both = row_get(row, "inner") && row_get(row, "grid");
	bool has_one = row_get(row, "inner") || row_get(row, "grid");
	if (layout == SHARE_GRID ? !has_both : has_one)
		return err_set(e, ERR_INPUT, "inner= and grid= go with layout=grid, both of them");
	if (layout == SHARE_GRID && is_reduced)
		return err_set(e, ERR_INPUT, "a grid has no partial results");
	return 0;
}

/* "2x3": two ranges of the outer loop, three of the inner one. */
static int parse_grid(const struct row *row, long n, unsigned *columns, struct err *e)
{
	const char *text = row_get(row, "grid");
	char *end;
	long rows = text ? strtol(text, &end, 10) : 0;
	long nr = rows > 0 && *end == 'x' ? strtol(end + 1, &end, 10) : 0;
	if (nr < 1 || *end || rows > n || nr > n || rows * nr != n)
		return err_set(e, ERR_INPUT, "grid must be RxC with R * C = n");
	*columns = (unsigned)nr;
	return 0;
}

/* NULL: the loop is one of a grid now. */
static const char *lay_grid(struct kernel *k, const struct variant *v, struct loop *l,
			    const struct stmt *loop, const struct row *row)
{
	const char *label = row_get(row, "inner");
	const struct stmt *inner = grid_inner(v, loop, label, k->a);
	if (!inner)
		return arena_printf(
			k->a, "there is not one loop %s in it whose range is known in front of it",
			label);
	const char *trouble = grid_trouble(v, loop, inner, k->a);
	if (trouble)
		return trouble;
	l->inner = inner->loop->label;
	return NULL;
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct err e = { 0 };
	enum share_layout layout;
	bool is_reduced;
	long n;
	unsigned columns = 0;
	if (row_get_number(row, "n", 2, 1024, &n, &e) < 0 || parse_layout(row, &layout, &e) < 0 ||
	    parse_reduce(row, &is_reduced, &e) < 0 || check_keys(row, layout, is_reduced, &e) < 0 ||
	    (layout == SHARE_GRID && parse_grid(row, n, &columns, &e) < 0))
		return arena_strdup(k->a, e.text);
	if (n > (long)k->task->threads)
		return arena_printf(k->a, "the task allows %u threads", k->task->threads);
	const char *trouble = unsuitable(k, v, loop, is_reduced);
	if (!trouble && layout == SHARE_GRID)
		trouble = lay_grid(k, v, loop->loop, loop, row);
	if (trouble)
		return trouble;
	loop->loop->threads = (unsigned)n;
	loop->loop->columns = columns;
	loop->loop->layout = layout;
	loop->loop->is_reduced = is_reduced;
	return NULL;
}

/* Bodies in which there is no such grid get its threads on the outer loop, so that one row serves
 * all sizes. */
static void serve_others(struct kernel *k, const struct row *row)
{
	for (size_t i = 0; i < k->nr_variants; i++) {
		struct variant *v = &k->variants[i];
		struct stmt *loop = kernel_loop(v, row_get(row, "loop"));
		long n;
		struct err ignored = { 0 };
		if (!loop || loop->loop->threads || unsuitable(k, v, loop, false) ||
		    row_get_number(row, "n", 2, 1024, &n, &ignored) < 0)
			continue;
		loop->loop->threads = (unsigned)n;
		loop->loop->layout = SHARE_BLOCK;
	}
}

int row_threads(struct kernel *k, const struct row *row, struct err *e)
{
	if (row_apply_each(k, row, apply_to, e) < 0)
		return -1;
	if (str_equal(row_get(row, "layout"), "grid"))
		serve_others(k, row);
	return 0;
}
