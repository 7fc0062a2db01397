#include "tuner/kernel.h"

/* Deals a loop out to threads where its iterations are proved independent. Only marked here; the
 * printer moves the body into a function of its own, because a compiler forgets `restrict` when it
 * outlines a parallel region by itself. */

#include <string.h>

#include "base/err.h"
#include "tuner/ir.h"
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

/* Whether a loop around it is dealt out already. */
static bool has_threads_above(const struct variant *v, const struct stmt *loop)
{
	const struct stmt *outer = loop_around(v->body, loop);
	while (outer && !outer->loop->threads)
		outer = loop_around(v->body, outer);
	return outer != NULL;
}

/* A local table with several subscripts, or a static one, can not be handed to a function as a
 * plain pointer. */
static bool needs_table(const struct kernel *k, const struct variant *v, const struct stmt *loop)
{
	struct env env;
	if (!env_open(&env, &v->view, loop, k->a))
		return true;
	for (size_t i = 0; i < env.nr; i++) {
		const struct decl *d = env.items[i].decl;
		if (d && (d->nr_dims > 1 || text_has_name(d->type, "static")) &&
		    stmt_uses(loop, d->name))
			return true;
	}
	return false;
}

static const char *unsuitable(const struct kernel *k, const struct variant *v,
			      const struct stmt *loop)
{
	if (has_threads_below(loop) || has_threads_above(v, loop))
		return "a loop around or inside it is dealt out already";
	if (needs_table(k, v, loop))
		return "it uses a local table of its surroundings";
	return proof_independent(&v->view, loop, k->a);
}

static int parse_layout(const struct row *row, enum share_layout *out, struct err *e)
{
	const char *layout = row_get(row, "layout");
	bool is_deal = layout && strcmp(layout, "deal") == 0;
	if (layout && !is_deal && strcmp(layout, "block") != 0)
		return err_set(e, ERR_INPUT, "layout must be block or deal");
	*out = is_deal ? SHARE_DEAL : SHARE_BLOCK;
	return 0;
}

static int check_machine(const struct kernel *k, long n, struct err *e)
{
	if (n > (long)k->task->threads)
		return err_set(e, ERR_INPUT, "the task allows %u threads", k->task->threads);
	if (strcmp(k->cc, "gcc") != 0)
		return err_set(e, ERR_INPUT, "the thread runtime belongs to gcc");
	return 0;
}

int row_threads(struct kernel *k, const struct row *row, struct err *e)
{
	long n;
	enum share_layout layout = SHARE_BLOCK;
	const char *why = "no body has it";
	bool is_applied = false;
	if (kernel_need_loop(k, row, e) < 0 || row_get_number(row, "n", 2, 1024, &n, e) < 0 ||
	    parse_layout(row, &layout, e) < 0 || check_machine(k, n, e) < 0)
		return -1;
	for (size_t i = 0; i < k->nr_variants; i++) {
		struct variant *v = &k->variants[i];
		struct stmt *loop = kernel_loop(v, row_get(row, "loop"));
		const char *trouble = loop ? unsuitable(k, v, loop) : why;
		if (trouble) {
			why = trouble;
			continue;
		}
		loop->loop->threads = (unsigned)n;
		loop->loop->layout = layout;
		is_applied = true;
	}
	return is_applied ? 0
			  : err_set(e, ERR_INPUT, "loop %s can not be dealt out: %s",
				    row_get(row, "loop"), why);
}
