#include "tuner/team.h"

/* A compiler forgets `restrict` when it outlines a parallel region by itself, so a part is an
 * ordinary function with ordinary parameters, and the share is unpacked once for each chunk. A team
 * may come out smaller than was asked for: threads take chunks until none is left. Partial results
 * belong to chunks, not to threads, so what is computed does not depend on who was first. */

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/access.h"
#include "tuner/cprint.h"
#include "tuner/emit.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/grid.h"
#include "tuner/rewrite.h"
#include "tuner/team_in.h"
#include "tuner/walk.h"

/* Chunks for each thread when they are dealt round: a triangle is then uneven by 1/16 or less; and
 * when they are taken as threads get free: a late thread waits for 1/16 of a share. */
enum { DEALS_PER_THREAD = 8, TAKES_PER_THREAD = 16 };

void team_print_runtime(struct str *out)
{
	str_add(out, "void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);\n"
		     "int omp_get_thread_num(void);\n"
		     "int omp_get_num_threads(void);\n\n");
}

static bool is_bound(const struct team *t, const char *name)
{
	return dims_find(&t->v->view.bound, name) != NULL;
}

/* A local of the surroundings that is a known number there. */
static bool is_known_local(const struct part *p, const struct meaning *name, int64_t *value)
{
	AUTO_FREE struct env *env = xmalloc(sizeof(*env));
	if (!name->decl || *name->decl->stars || name->decl->nr_dims)
		return false;
	*env = p->env;
	const struct expr as_name = { .kind = EXPR_NAME, .text = name->name };
	struct poly known = env_poly(env, &as_name);
	return poly_is_number(&known, value);
}

static bool part_uses(const struct part *p, const struct meaning *name)
{
	return !name->is_inside && stmt_uses(p->loop, name->name);
}

bool part_takes(const struct team *t, const struct part *p, const struct meaning *name)
{
	int64_t value;
	return part_uses(p, name) && !is_bound(t, name->name) && !is_known_local(p, name, &value);
}

static void print_known_locals(const struct team *t, const struct part *p)
{
	for (size_t i = 0; i < p->env.nr; i++) {
		const struct meaning *n = &p->env.items[i];
		int64_t value;
		if (!part_uses(p, n) || !is_known_local(p, n, &value))
			continue;
		str_addf(t->out, "\t%s%s %s = %lld;\n",
			 text_has_name(n->decl->type, "const") ? "" : "const ", n->decl->type,
			 n->name, (long long)value);
	}
}

static bool takes_alias(const struct team *t, const struct part *p)
{
	for (size_t i = 0; i < p->env.nr; i++) {
		const struct meaning *n = &p->env.items[i];
		if (part_takes(t, p, n) && n->decl && *n->decl->stars && !decl_is_fresh(n->decl))
			return true;
	}
	return false;
}

static const char *plain_type(const struct team *t, const struct decl *d)
{
	static const char word[] = "static ";
	const char *at = strstr(d->type, word);
	return !at ? d->type
		   : arena_printf(t->k->a, "%.*s%s", (int)(at - d->type), d->type,
				  at + strlen(word));
}

/* A table is handed on as a pointer to its rows, whose lengths are numbers. */
static void print_table(const struct team *t, const struct decl *d, bool is_restrict)
{
	const char *word = is_restrict ? "restrict " : "";
	str_addf(t->out, d->nr_dims > 1 ? "%s (*%s%s)" : "%s *%s%s", plain_type(t, d), word,
		 d->name);
	for (size_t i = 1; i < d->nr_dims; i++) {
		str_add_char(t->out, '[');
		print_expr(t->out, d->dims[i]);
		str_add_char(t->out, ']');
	}
}

static void print_name(const struct team *t, const struct meaning *n, bool is_restrict)
{
	if (n->param)
		print_param(t->out, n->param, is_restrict);
	else if (n->loop)
		str_addf(t->out, "%s %s", n->loop->loop->type, n->name);
	else if (n->decl->nr_dims || decl_is_fresh(n->decl))
		print_table(t, n->decl, is_restrict);
	else
		str_addf(t->out, "%s %s%s", plain_type(t, n->decl), n->decl->stars, n->name);
}

/* Two pointers into one array must not both be restrict. */
static void print_part_params(const struct team *t, const struct part *p)
{
	bool is_restrict = t->k->is_restrict && !takes_alias(t, p);
	for (size_t i = 0; i < p->env.nr; i++) {
		if (!part_takes(t, p, &p->env.items[i]))
			continue;
		print_name(t, &p->env.items[i], is_restrict);
		str_add(t->out, ", ");
	}
	for (size_t i = 0; i < p->partials.nr; i++)
		str_addf(t->out, "%s *%s, ", p->partials.items[i].type, p->partials.items[i].slot);
	str_addf(t->out, "int64_t %s, int64_t %s", p->first, p->last);
	if (p->inner)
		str_addf(t->out, ", int64_t %s, int64_t %s", p->left, p->right);
}

/* A sum starts from nothing; the largest so far is a start as good as any. */
static void print_starts(const struct team *t, const struct partials *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct partial *x = &list->items[i];
		if (x->op && (*x->op == '+' || *x->op == '*'))
			str_addf(t->out, "\t%s = %d;\n", x->name, *x->op == '*');
	}
}

/* Counters of one address's width need no sign extension at every use. */
static void widen_counters(struct stmt *s)
{
	if (s->loop && strcmp(s->loop->type, "int") == 0)
		s->loop->type = "int64_t";
	for (size_t i = 0; i < s->nr; i++)
		widen_counters(s->items[i]);
}

static bool see_unsigned(void *ctx, const struct stmt *s)
{
	bool *is_found = ctx;
	const char *type = s->decl ? s->decl->type : s->loop ? s->loop->type : "";
	*is_found = *is_found || strstr(type, "unsigned") || strstr(type, "uint");
	return !*is_found;
}

/* Where nothing is unsigned a wider type can not change a result. */
static bool may_widen(const struct part *p)
{
	bool is_found = stmt_has_opaque(p->loop);
	walk_stmt(&(struct walk){ &is_found, NULL, see_unsigned }, p->loop);
	for (size_t i = 0; i < p->env.nr; i++) {
		const struct meaning *n = &p->env.items[i];
		const char *type = n->param ? n->param->type : n->decl ? n->decl->type : "";
		is_found = is_found || strstr(type, "unsigned") || strstr(type, "uint");
	}
	return !is_found;
}

static void set_range(const struct team *t, struct stmt *loop, const char *from, const char *to)
{
	loop->loop->lo = expr_name(t->k->a, from);
	loop->loop->hi = expr_name(t->k->a, to);
}

/* The loops over ranges of their own. */
static struct stmt *ranged_loop(const struct team *t, const struct part *p)
{
	struct stmt *loop = stmt_clone(t->k->a, p->loop);
	set_range(t, loop, p->first, p->last);
	loop->loop->threads = 0;
	if (p->inner)
		set_range(t, kernel_loop_below(loop, p->inner->loop->label), p->left, p->right);
	if (may_widen(p))
		widen_counters(loop);
	return loop;
}

static void print_part(const struct team *t, const struct part *p)
{
	const struct cprint plain = { .out = t->out, .is_clang = strcmp(t->k->cc, "clang") == 0 };
	const struct stmt *loop = ranged_loop(t, p);
	str_addf(t->out, "static __attribute__((noinline)) void %s(", p->function);
	print_part_params(t, p);
	str_add(t->out, ")\n{\n");
	emit_prologue(t->k, t->v, p->loop, t->out);
	print_known_locals(t, p);
	print_starts(t, &p->partials);
	print_stmt(&plain, loop, 1);
	for (size_t i = 0; i < p->partials.nr; i++)
		str_addf(t->out, "\t*%s = %s;\n", p->partials.items[i].slot,
			 p->partials.items[i].name);
	str_add(t->out, "}\n\n");
}

bool part_is_untyped(const struct meaning *n)
{
	return (n->param && !n->param->is_plain) || (n->decl && n->decl->nr_dims > 1);
}

static void print_share(const struct team *t, const struct part *p)
{
	str_addf(t->out, "struct %s {\n", p->share);
	for (size_t i = 0; i < p->env.nr; i++) {
		const struct meaning *n = &p->env.items[i];
		if (!part_takes(t, p, n))
			continue;
		str_add_char(t->out, '\t');
		if (part_is_untyped(n))
			str_addf(t->out, "void *%s", n->name);
		else
			print_name(t, n, false);
		str_add(t->out, ";\n");
	}
	str_addf(t->out, "\tint64_t %s;\n\tint64_t %s;\n", p->first, p->count);
	if (p->inner)
		str_addf(t->out, "\tint64_t %s;\n\tint64_t %s;\n", p->left, p->width);
	for (size_t i = 0; i < p->partials.nr; i++)
		str_addf(t->out, "\t%s %s[%u];\n", p->partials.items[i].type,
			 p->partials.items[i].slot, p->chunks);
	if (p->loop->loop->layout == SHARE_DYNAMIC)
		str_addf(t->out, "\t_Alignas(64) int64_t %s;\n", p->next);
	str_add(t->out, "};\n\n");
}

/* The range of a loop, under the names that the share has for it, and which piece a chunk is. */
struct cut {
	const char *first;
	const char *count;
	long long step;
	unsigned pieces;
	const char *piece; /* by its number, in C */
	const char *next;
};

static struct cut cut_of_loop(const struct part *p)
{
	return (struct cut){ p->first,  p->count, (long long)p->loop->loop->step,
			     p->chunks, "chunk",  "(chunk + 1)" };
}

/* Chunks are numbered row by row. */
static struct cut cut_of_rows(const struct team *t, const struct part *p)
{
	struct cut cut = cut_of_loop(p);
	cut.pieces = p->rows;
	if (p->columns > 1) {
		cut.piece = arena_printf(t->k->a, "(chunk / %u)", p->columns);
		cut.next = arena_printf(t->k->a, "(chunk / %u + 1)", p->columns);
	}
	return cut;
}

static struct cut cut_of_columns(const struct team *t, const struct part *p)
{
	struct cut cut = cut_of_loop(p);
	cut.first = p->left;
	cut.count = p->width;
	cut.step = (long long)p->inner->loop->step;
	cut.pieces = p->columns;
	if (p->rows > 1) {
		cut.piece = arena_printf(t->k->a, "(chunk %% %u)", p->columns);
		cut.next = arena_printf(t->k->a, "(chunk %% %u + 1)", p->columns);
	}
	return cut;
}

static void print_step(const struct team *t, const struct cut *cut)
{
	if (cut->step != 1)
		str_addf(t->out, " * %lld", cut->step);
}

/* Where a piece starts: a whole number of steps from the start of the range. */
static void print_edge(const struct team *t, const struct cut *cut, const char *piece)
{
	str_addf(t->out, ", share->%s + share->%s * %s / %u", cut->first, cut->count, piece,
		 cut->pieces);
	print_step(t, cut);
}

static void print_edges(const struct team *t, const struct cut *cut)
{
	if (cut->pieces > 1) {
		print_edge(t, cut, cut->piece);
		print_edge(t, cut, cut->next);
		return;
	}
	str_addf(t->out, ", share->%s, share->%s + share->%s", cut->first, cut->first, cut->count);
	print_step(t, cut);
}

static void print_part_call(const struct team *t, const struct part *p)
{
	const struct cut rows = p->inner ? cut_of_rows(t, p) : cut_of_loop(p);
	AUTO_STR struct str list = STR_INIT;
	struct team aside = { .k = t->k, .v = t->v, .out = &list };
	for (size_t i = 0; i < p->env.nr; i++)
		if (part_takes(t, p, &p->env.items[i]))
			str_addf(&list, ", share->%s", p->env.items[i].name);
	for (size_t i = 0; i < p->partials.nr; i++)
		str_addf(&list, ", &share->%s[chunk]", p->partials.items[i].slot);
	print_edges(&aside, &rows);
	if (p->inner) {
		const struct cut columns = cut_of_columns(t, p);
		print_edges(&aside, &columns);
	}
	str_addf(t->out, "\t\t%s(%s);\n", p->function, list.text + strlen(", "));
}

static void print_team(const struct team *t, const struct part *p)
{
	str_addf(t->out, "static void %s(void *data)\n{\n\tstruct %s *share = data;\n", p->team,
		 p->share);
	if (p->loop->loop->layout == SHARE_DYNAMIC)
		str_addf(t->out,
			 "\tint64_t chunk;\n\twhile ((chunk = __atomic_fetch_add(&share->%s, 1, "
			 "__ATOMIC_RELAXED)) < %u)\n",
			 p->next, p->chunks);
	else
		str_addf(t->out,
			 "\tfor (int64_t chunk = omp_get_thread_num(); chunk < %u; chunk += "
			 "omp_get_num_threads())\n",
			 p->chunks);
	print_part_call(t, p);
	str_add(t->out, "}\n\n");
}

void team_print_parts(const struct team *t)
{
	for (const struct part *p = t->parts; p; p = p->after) {
		print_part(t, p);
		print_share(t, p);
		print_team(t, p);
	}
}

static unsigned chunks_of(const struct loop *l)
{
	switch (l->layout) {
	case SHARE_BLOCK:
	case SHARE_GRID:
		return l->threads;
	case SHARE_DEAL:
		return l->threads * DEALS_PER_THREAD;
	case SHARE_DYNAMIC:
		return l->threads * TAKES_PER_THREAD;
	}
	return l->threads;
}

static const char *part_name(const struct team *t, const char *what)
{
	const struct kernel *k = t->k;
	const char *base = t->v->function ? t->v->function : k->unit.entry.name;
	return fresh_name(k, NULL, arena_printf(k->a, "%s_%s%u", base, what, t->nr_parts));
}

static void fill_names(const struct team *t, struct part *p)
{
	p->function = part_name(t, "part");
	p->team = part_name(t, "team");
	p->share = part_name(t, "share");
	p->first = fresh_name(t->k, t->v, "first");
	p->last = fresh_name(t->k, t->v, "last");
	p->count = fresh_name(t->k, t->v, "count");
	p->next = fresh_name(t->k, t->v, "next");
	p->given = fresh_name(t->k, t->v, "share");
	p->chunk = fresh_name(t->k, t->v, "chunk");
	p->left = fresh_name(t->k, t->v, "left");
	p->right = fresh_name(t->k, t->v, "right");
	p->width = fresh_name(t->k, t->v, "width");
}

/* Rows that came later may have changed the loop: what it carries now must still be handed back. */
static bool hands_all_back(const struct team *t, struct part *p)
{
	struct accesses list;
	accesses_collect(&list, &t->v->view, p->loop, t->k->a);
	if (list.has_exit ||
	    (list.nr_scalars && (!p->loop->loop->is_reduced ||
				 partials_find(&p->partials, t->v, p->loop, &list, t->k->a))))
		return false;
	for (size_t i = 0; i < p->partials.nr; i++)
		p->partials.items[i].slot = fresh_name(
			t->k, t->v, arena_printf(t->k->a, "%s_of", p->partials.items[i].name));
	return true;
}

/* Where a row that came later took the inner loop away, rows of the grid are left. */
static void lay_grid(const struct team *t, struct part *p)
{
	const struct loop *l = p->loop->loop;
	if (l->layout != SHARE_GRID)
		return;
	p->inner = grid_inner(t->v, p->loop, l->inner, t->k->a);
	p->columns = l->columns;
	p->rows = l->threads / l->columns;
}

/* A loop that can not be a part stays a loop. */
static void add_part(struct team *t, const struct stmt *loop)
{
	struct part *p = arena_alloc(t->k->a, sizeof(*p));
	struct part **end = &t->parts;
	p->loop = loop;
	p->chunks = chunks_of(loop->loop);
	if (!env_open(&p->env, &t->v->view, loop, t->k->a) || !hands_all_back(t, p))
		return;
	t->nr_parts++;
	lay_grid(t, p);
	fill_names(t, p);
	while (*end)
		end = &(*end)->after;
	*end = p;
}

static bool see_dealt(void *ctx, const struct stmt *s)
{
	if (s->loop && s->loop->threads)
		add_part(ctx, s);
	return true;
}

void team_find(struct team *t)
{
	walk_stmt(&(struct walk){ t, NULL, see_dealt }, t->v->body);
}
