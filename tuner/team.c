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
#include "tuner/partials.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

/* Chunks for each thread when they are dealt round: a triangle is then uneven by 1/16 or less; and
 * when they are taken as threads get free: a late thread waits for 1/16 of a share. */
enum { DEALS_PER_THREAD = 8, TAKES_PER_THREAD = 16 };

/* A loop that is dealt out, with the names of what it becomes. */
struct part {
	const struct stmt *loop;
	unsigned chunks;
	const char *function;
	const char *team;
	const char *share;
	const char *first; /* start of a range, and its end in the part */
	const char *last;
	const char *count; /* iterations of the whole range */
	const char *next;  /* chunk that nobody took yet */
	const char *given; /* the share's and a chunk's name at the caller */
	const char *chunk;
	struct env env; /* the names the body may use */
	struct partials partials;
	struct part *after;
};

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

/* Names from outside that a part is given; what is a known number is declared anew inside. */
static bool part_takes(const struct team *t, const struct part *p, const struct meaning *name)
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

/* The loop over a range of its own. */
static struct stmt *ranged_loop(const struct team *t, const struct part *p)
{
	struct stmt *loop = stmt_clone(t->k->a, p->loop);
	loop->loop->lo = expr_name(t->k->a, p->first);
	loop->loop->hi = expr_name(t->k->a, p->last);
	loop->loop->threads = 0;
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

/* What is no plain parameter goes through a member without a type. */
static bool is_untyped(const struct meaning *n)
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
		if (is_untyped(n))
			str_addf(t->out, "void *%s", n->name);
		else
			print_name(t, n, false);
		str_add(t->out, ";\n");
	}
	str_addf(t->out, "\tint64_t %s;\n\tint64_t %s;\n", p->first, p->count);
	for (size_t i = 0; i < p->partials.nr; i++)
		str_addf(t->out, "\t%s %s[%u];\n", p->partials.items[i].type,
			 p->partials.items[i].slot, p->chunks);
	if (p->loop->loop->layout == SHARE_DYNAMIC)
		str_addf(t->out, "\t_Alignas(64) int64_t %s;\n", p->next);
	str_add(t->out, "};\n\n");
}

/* Where a chunk starts: a whole number of steps from the start of the range. */
static void print_edge(const struct team *t, const struct part *p, const char *chunk)
{
	long long step = (long long)p->loop->loop->step;
	str_addf(t->out, "share->%s + ", p->first);
	if (step == 1)
		str_addf(t->out, "share->%s * %s / %u", p->count, chunk, p->chunks);
	else
		str_addf(t->out, "share->%s * %s / %u * %lld", p->count, chunk, p->chunks, step);
}

static void print_part_call(const struct team *t, const struct part *p)
{
	str_addf(t->out, "\t\t%s(", p->function);
	for (size_t i = 0; i < p->env.nr; i++)
		if (part_takes(t, p, &p->env.items[i]))
			str_addf(t->out, "share->%s, ", p->env.items[i].name);
	for (size_t i = 0; i < p->partials.nr; i++)
		str_addf(t->out, "&share->%s[chunk], ", p->partials.items[i].slot);
	print_edge(t, p, "chunk");
	str_add(t->out, ", ");
	print_edge(t, p, "(chunk + 1)");
	str_add(t->out, ");\n");
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

static const struct part *find_part(const struct team *t, const struct stmt *loop)
{
	for (const struct part *p = t->parts; p; p = p->after)
		if (p->loop == loop)
			return p;
	return NULL;
}

static void print_range(const struct cprint *c, const struct part *p, unsigned indent)
{
	const struct loop *l = p->loop->loop;
	print_indent(c->out, indent);
	str_addf(c->out, "const int64_t %s = ", p->first);
	print_expr(c->out, l->lo);
	str_add(c->out, ";\n");
	print_indent(c->out, indent);
	str_addf(c->out, "const int64_t %s = %s", p->count, l->step > 1 ? "(" : "");
	print_expr(c->out, l->hi);
	str_addf(c->out, " - %s", p->first);
	if (l->step > 1)
		str_addf(c->out, " + %lld) / %lld", (long long)l->step - 1, (long long)l->step);
	str_add(c->out, ";\n");
}

static void print_start(const struct cprint *c, const struct part *p, unsigned indent)
{
	const struct team *t = c->ctx;
	print_indent(c->out, indent);
	str_addf(c->out, "struct %s %s = { ", p->share, p->given);
	for (size_t i = 0; i < p->env.nr; i++)
		if (part_takes(t, p, &p->env.items[i]))
			str_addf(c->out, ".%s = %s%s, ", p->env.items[i].name,
				 is_untyped(&p->env.items[i]) ? "(void *)" : "",
				 p->env.items[i].name);
	str_addf(c->out, ".%s = %s, .%s = %s };\n", p->first, p->first, p->count, p->count);
	print_indent(c->out, indent);
	str_addf(c->out, "GOMP_parallel(%s, &%s, %u, 0);\n", p->team, p->given,
		 p->loop->loop->threads);
}

static void print_follower(const struct cprint *c, const struct part *p, size_t i, unsigned indent)
{
	const struct partial *x = &p->partials.items[i];
	print_indent(c->out, indent);
	str_addf(c->out, "%s = %s.%s[%s];\n", x->name, p->given, x->slot, p->chunk);
}

/* One partial result, and those that go with it. */
static void print_combine(const struct cprint *c, const struct part *p, size_t i, unsigned indent)
{
	const struct partial *x = &p->partials.items[i];
	print_indent(c->out, indent);
	if (*x->op == '+' || *x->op == '*') {
		str_addf(c->out, "%s %s= %s.%s[%s];\n", x->name, x->op, p->given, x->slot,
			 p->chunk);
		return;
	}
	str_addf(c->out, "if (%s.%s[%s] %s %s) {\n", p->given, x->slot, p->chunk,
		 strcmp(x->op, "max") == 0 ? ">" : "<", x->name);
	do
		print_follower(c, p, i++, indent + 1);
	while (i < p->partials.nr && !p->partials.items[i].op);
	print_indent(c->out, indent);
	str_add(c->out, "}\n");
}

static void print_combines(const struct cprint *c, const struct part *p, unsigned indent)
{
	if (!p->partials.nr)
		return;
	print_indent(c->out, indent);
	str_addf(c->out, "for (int64_t %s = 0; %s < %u; %s++) {\n", p->chunk, p->chunk, p->chunks,
		 p->chunk);
	for (size_t i = 0; i < p->partials.nr; i++)
		if (p->partials.items[i].op)
			print_combine(c, p, i, indent + 1);
	print_indent(c->out, indent);
	str_add(c->out, "}\n");
}

bool team_print_call(const struct cprint *c, const struct stmt *s, unsigned indent)
{
	const struct part *p = find_part(c->ctx, s);
	if (!p)
		return false;
	print_indent(c->out, indent);
	str_add(c->out, "{\n");
	print_range(c, p, indent + 1);
	print_start(c, p, indent + 1);
	print_combines(c, p, indent + 1);
	print_indent(c->out, indent);
	str_add(c->out, "}\n");
	return true;
}

static unsigned chunks_of(const struct loop *l)
{
	switch (l->layout) {
	case SHARE_BLOCK:
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
	return kernel_name(k, arena_printf(k->a, "%s_%s%u", base, what, t->nr_parts));
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
