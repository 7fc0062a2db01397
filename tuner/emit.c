#include "tuner/kernel.h"

/* The file that is submitted: header with the build directive and the decisions, the source's text
 * around the entry as it was, the bodies, and an entry that chooses among them by size. */

#include <string.h>

#include "tuner/cprint.h"
#include "tuner/ir.h"
#include "tuner/walk.h"
#include "tuner/wrap.h"

/* Chunks for each thread when they are dealt round: a triangle is then uneven by 1/16 or less. */
enum { DEALS_PER_THREAD = 8 };

/* A loop that is dealt out, and the function that runs a range of it. */
struct part {
	const struct stmt *loop;
	const char *function;
	const char *first; /* names of the range's ends, and of its length at the caller */
	const char *last;
	const char *count;
	struct env env; /* the names the body may use */
	struct part *next;
};

struct emitter {
	const struct kernel *k;
	const struct variant *v;
	struct str *out;
	struct part *parts;
	unsigned nr_parts;
};

static bool is_bound(const struct variant *v, const char *name)
{
	return dims_find(&v->view.bound, name) != NULL;
}

static bool has_flag(const struct kernel *k, const char *flag)
{
	return strv_has(&k->flags, flag);
}

static bool has_allocation(const struct kernel *k)
{
	for (size_t i = 0; i < k->nr_variants; i++)
		if (stmt_uses(k->variants[i].body, "aligned_alloc"))
			return true;
	return false;
}

static void print_header(const struct kernel *k, struct str *out)
{
	AUTO_FREE char *flags = strv_join(&k->flags, " ");
	bool has_threads = kernel_has_threads(k);
	bool needs_simd = !has_threads && kernel_has_simd(k) && !has_flag(k, "-fopenmp-simd");
	str_addf(out, "/*\n * forge-build: %s %s%s%s\n", k->cc, flags,
		 has_threads && !has_flag(k, "-fopenmp") ? " -fopenmp" : "",
		 needs_simd ? " -fopenmp-simd" : "");
	str_add(out, " *\n * Written by forge-tuner from the reference. Decisions taken:\n");
	for (size_t i = 0; i < k->taken.nr; i++)
		str_addf(out, " *   %s\n", k->taken.items[i]);
	if (k->unread)
		str_add(out, " * The source itself is unchanged: the tuner could not read it.\n");
	str_add(out, " */\n");
	if (!strstr(k->source, "<forge/kernel.h>"))
		str_add(out, "#include <forge/kernel.h>\n");
	if (has_allocation(k) && !strstr(k->source, "<stdlib.h>"))
		str_add(out, "#include <stdlib.h>\n");
}

/* The source may hold a directive of its own, which ours replaces. */
static void print_text(struct str *out, const char *text)
{
	static const char mark[] = "forge-build:";
	for (const char *at = strstr(text, mark); at; at = strstr(text, mark)) {
		str_add_len(out, text, (size_t)(at - text));
		str_add(out, "built before by:");
		text = at + strlen(mark);
	}
	str_add(out, text);
}

static bool is_aligned_param(const struct param *p)
{
	return p->is_pointer && p->is_plain;
}

/* What the caller promised about pointers, and the sizes that are known here. */
static void print_prologue(const struct emitter *m, const struct stmt *used)
{
	const struct function *f = m->v->view.f;
	for (size_t i = 0; m->k->is_restrict && i < f->nr_params; i++) {
		const char *name = f->params[i].name;
		if (is_aligned_param(&f->params[i]) && stmt_uses(used, name))
			str_addf(m->out, "\t%s = FORGE_ALIGNED(%s);\n", name, name);
	}
	for (size_t i = 0; i < f->nr_params; i++) {
		const struct param *p = &f->params[i];
		const struct dim *d = dims_find(&m->v->view.bound, p->name);
		bool is_fixed = !stmt_changes(m->v->body, p->name);
		bool is_const = text_has_name(p->type, "const");
		if (d && stmt_uses(used, p->name))
			str_addf(m->out, "\t%s%s %s = %lld;\n",
				 is_fixed && !is_const ? "const " : "", p->type, p->name,
				 (long long)d->value);
	}
}

static void print_separator(struct str *out, bool *is_first)
{
	str_add(out, *is_first ? "" : ", ");
	*is_first = false;
}

static void print_params(const struct emitter *m)
{
	const struct function *f = m->v->view.f;
	bool is_first = true;
	for (size_t i = 0; i < f->nr_params; i++) {
		if (is_bound(m->v, f->params[i].name))
			continue;
		print_separator(m->out, &is_first);
		print_param(m->out, &f->params[i], m->k->is_restrict);
	}
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
static bool part_takes(const struct emitter *m, const struct part *p, const struct meaning *name)
{
	int64_t value;
	return part_uses(p, name) && !is_bound(m->v, name->name) &&
	       !is_known_local(p, name, &value);
}

static void print_known_locals(const struct emitter *m, const struct part *p)
{
	for (size_t i = 0; i < p->env.nr; i++) {
		const struct meaning *n = &p->env.items[i];
		int64_t value;
		if (!part_uses(p, n) || !is_known_local(p, n, &value))
			continue;
		str_addf(m->out, "\t%s%s %s = %lld;\n",
			 text_has_name(n->decl->type, "const") ? "" : "const ", n->decl->type,
			 n->name, (long long)value);
	}
}

static bool takes_alias(const struct emitter *m, const struct part *p)
{
	for (size_t i = 0; i < p->env.nr; i++) {
		const struct meaning *n = &p->env.items[i];
		if (part_takes(m, p, n) && n->decl && *n->decl->stars && !decl_is_fresh(n->decl))
			return true;
	}
	return false;
}

static void print_part_param(const struct emitter *m, const struct meaning *n, bool is_restrict)
{
	if (n->param)
		print_param(m->out, n->param, is_restrict);
	else if (n->loop)
		str_addf(m->out, "%s %s", n->loop->loop->type, n->name);
	else if (n->decl->nr_dims || decl_is_fresh(n->decl))
		str_addf(m->out, "%s *%s%s", n->decl->type, is_restrict ? "restrict " : "",
			 n->name);
	else
		str_addf(m->out, "%s %s%s", n->decl->type, n->decl->stars, n->name);
}

/* Two pointers into one array must not both be restrict. */
static void print_part_params(const struct emitter *m, const struct part *p)
{
	bool is_restrict = m->k->is_restrict && !takes_alias(m, p);
	bool is_first = true;
	for (size_t i = 0; i < p->env.nr; i++) {
		if (!part_takes(m, p, &p->env.items[i]))
			continue;
		print_separator(m->out, &is_first);
		print_part_param(m, &p->env.items[i], is_restrict);
	}
	print_separator(m->out, &is_first);
	str_addf(m->out, "int64_t %s, int64_t %s", p->first, p->last);
}

static void print_part(const struct emitter *m, const struct part *p)
{
	struct loop range = *p->loop->loop;
	struct stmt loop = *p->loop;
	const struct cprint plain = { .out = m->out, .is_clang = strcmp(m->k->cc, "clang") == 0 };
	range.lo = expr_name(m->k->a, p->first);
	range.hi = expr_name(m->k->a, p->last);
	range.threads = 0;
	loop.loop = &range;
	str_addf(m->out, "static __attribute__((noinline)) void %s(", p->function);
	print_part_params(m, p);
	str_add(m->out, ")\n{\n");
	print_prologue(m, &loop);
	print_known_locals(m, p);
	print_stmt(&plain, &loop, 1);
	str_add(m->out, "}\n\n");
}

static const struct part *find_part(const struct emitter *m, const struct stmt *loop)
{
	for (const struct part *p = m->parts; p; p = p->next)
		if (p->loop == loop)
			return p;
	return NULL;
}

static void print_call_args(const struct emitter *m, const struct part *p)
{
	for (size_t i = 0; i < p->env.nr; i++)
		if (part_takes(m, p, &p->env.items[i]))
			str_addf(m->out, "%s, ", p->env.items[i].name);
}

static void print_constant(const struct cprint *c, const char *name, const struct expr *value,
			   unsigned indent)
{
	print_indent(c->out, indent);
	str_addf(c->out, "const int64_t %s = ", name);
	print_expr(c->out, value);
}

/* The chunks of the range, one call each. */
static void print_chunks(const struct cprint *c, const struct part *p, unsigned indent)
{
	const struct emitter *m = c->ctx;
	unsigned n = p->loop->loop->threads;
	bool is_deal = p->loop->loop->layout == SHARE_DEAL;
	unsigned chunks = is_deal ? n * DEALS_PER_THREAD : n;
	const char *i = kernel_name(m->k, "chunk");
	int64_t step = p->loop->loop->step;
	str_addf(c->out, "#pragma omp parallel for num_threads(%u) schedule(static%s)\n", n,
		 is_deal ? ", 1" : "");
	print_indent(c->out, indent);
	str_addf(c->out, "for (int %s = 0; %s < %u; %s++)\n", i, i, chunks, i);
	print_indent(c->out, indent + 1);
	str_addf(c->out, "%s(", p->function);
	print_call_args(m, p);
	AUTO_FREE char *by = step == 1 ? xstrdup("") : xasprintf(" * %lld", (long long)step);
	str_addf(c->out, "%s + %s * %s / %u%s, %s + %s * (%s + 1) / %u%s);\n", p->first, p->count,
		 i, chunks, by, p->first, p->count, i, chunks, by);
}

/* How often the loop runs. */
static struct expr *range_count(struct arena *a, const struct part *p, const struct loop *l)
{
	struct expr *span = expr_binary(a, "-", l->hi, expr_name(a, p->first));
	if (l->step > 1)
		span = expr_binary(a, "+", span, expr_number(a, l->step - 1));
	return expr_binary(a, "/", span, expr_number(a, l->step));
}

/* In the place of a loop that is dealt out. */
static bool print_dealt(const struct cprint *c, const struct stmt *s, unsigned indent)
{
	const struct emitter *m = c->ctx;
	const struct part *p = find_part(m, s);
	if (!p)
		return false;
	print_indent(c->out, indent);
	str_add(c->out, "{\n");
	print_constant(c, p->first, s->loop->lo, indent + 1);
	str_add(c->out, ";\n");
	print_constant(c, p->count, range_count(m->k->a, p, s->loop), indent + 1);
	str_add(c->out, ";\n");
	print_chunks(c, p, indent + 1);
	print_indent(c->out, indent);
	str_add(c->out, "}\n");
	return true;
}

static void add_part(struct emitter *m, const struct stmt *loop)
{
	const struct kernel *k = m->k;
	struct part *p = arena_alloc(k->a, sizeof(*p));
	const char *base = m->v->function ? m->v->function : k->unit.entry.name;
	p->loop = loop;
	p->function = kernel_name(k, arena_printf(k->a, "%s_part%u", base, ++m->nr_parts));
	p->first = kernel_name(k, "first");
	p->last = kernel_name(k, "last");
	p->count = kernel_name(k, "count");
	p->next = m->parts;
	m->parts = env_open(&p->env, &m->v->view, loop, k->a) ? p : m->parts;
}

static bool see_dealt(void *ctx, const struct stmt *s)
{
	if (s->loop && s->loop->threads)
		add_part(ctx, s);
	return true;
}

static void print_signature(const struct emitter *m)
{
	const struct variant *v = m->v;
	if (v->shape)
		str_addf(m->out, "/* The size %s. */\n", v->shape);
	if (v->function)
		str_addf(m->out, "static __attribute__((noinline)) void %s(", v->function);
	else
		str_addf(m->out, "void %s(", m->k->unit.entry.name);
	print_params(m);
	str_add(m->out, ")\n{\n");
}

static void print_variant(const struct kernel *k, const struct variant *v, struct str *out)
{
	struct emitter m = { .k = k, .v = v, .out = out };
	const struct cprint c = { .out = out,
				  .is_clang = strcmp(k->cc, "clang") == 0,
				  .print_loop = print_dealt,
				  .ctx = &m };
	walk_stmt(&(struct walk){ &m, NULL, see_dealt }, v->body);
	for (const struct part *p = m.parts; p; p = p->next)
		print_part(&m, p);
	print_signature(&m);
	if (v->function)
		print_prologue(&m, v->body);
	for (size_t i = 0; i < v->body->nr; i++)
		print_stmt(&c, v->body->items[i], 1);
	str_add(out, "}\n");
}

static void print_condition(const struct variant *v, struct str *out)
{
	for (size_t i = 0; i < v->view.bound.nr; i++)
		str_addf(out, "%s%s == %lld", i ? " && " : "", v->view.bound.items[i].name,
			 (long long)v->view.bound.items[i].value);
}

static void print_choice(const struct variant *v, const struct function *f, struct str *out)
{
	bool is_first = true;
	str_addf(out, "%s(", v->function);
	for (size_t i = 0; i < f->nr_params; i++) {
		if (is_bound(v, f->params[i].name))
			continue;
		print_separator(out, &is_first);
		str_add(out, f->params[i].name);
	}
	str_add(out, ");\n");
}

static void print_entry(const struct kernel *k, struct str *out)
{
	const struct function *f = &k->unit.entry;
	str_addf(out, "void %s(", f->name);
	for (size_t i = 0; i < f->nr_params; i++) {
		str_add(out, i ? ", " : "");
		print_param(out, &f->params[i], false);
	}
	str_add(out, ")\n{\n");
	for (size_t i = 0; i < k->nr_variants; i++) {
		const struct variant *v = &k->variants[i];
		if (v->view.bound.nr) {
			str_add(out, i ? "\telse if (" : "\tif (");
			print_condition(v, out);
			str_add(out, ")\n\t\t");
		} else {
			str_add(out, i ? "\telse\n\t\t" : "\t");
		}
		print_choice(v, f, out);
	}
	str_add(out, "}\n");
}

static void print_bodies(const struct kernel *k, struct str *out)
{
	for (size_t i = 0; i < k->nr_variants; i++) {
		print_variant(k, &k->variants[i], out);
		if (k->variants[i].function)
			str_add_char(out, '\n');
	}
	if (k->variants[0].function)
		print_entry(k, out);
}

void kernel_print(const struct kernel *k, struct str *out)
{
	AUTO_STR struct str bodies = STR_INIT;
	print_header(k, out);
	if (k->unread) {
		print_text(out, k->source);
		return;
	}
	print_text(out, k->unit.before);
	for (size_t i = 0; i < k->texts.nr; i++)
		str_addf(out, "%s\n", k->texts.items[i]);
	print_bodies(k, &bodies);
	wrap_lines(out, bodies.text);
	print_text(out, k->unit.after + (k->unit.after[0] == '\n'));
}
