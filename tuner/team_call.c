#include "tuner/team_in.h"

/* The call of a team in the place of its loop: the ranges, what is handed on, and behind it partial
 * results put together. */

#include <string.h>

#include "base/str.h"
#include "tuner/cprint.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"

static const struct part *find_part(const struct team *t, const struct stmt *loop)
{
	for (const struct part *p = t->parts; p; p = p->after)
		if (p->loop == loop)
			return p;
	return NULL;
}

/* Where a range starts, and how many steps it has. */
static void print_range(const struct cprint *c, const struct loop *l, const char *first,
			const char *count, unsigned indent)
{
	print_indent(c->out, indent);
	str_addf(c->out, "const int64_t %s = ", first);
	print_expr(c->out, l->lo);
	str_add(c->out, ";\n");
	print_indent(c->out, indent);
	str_addf(c->out, "const int64_t %s = %s", count, l->step > 1 ? "(" : "");
	print_expr(c->out, l->hi);
	str_addf(c->out, " - %s", first);
	if (l->step > 1)
		str_addf(c->out, " + %lld) / %lld", (long long)l->step - 1, (long long)l->step);
	str_add(c->out, ";\n");
}

static void print_ranges(const struct cprint *c, const struct part *p, unsigned indent)
{
	print_range(c, p->loop->loop, p->first, p->count, indent);
	if (p->inner)
		print_range(c, p->inner->loop, p->left, p->width, indent);
}

static void print_start(const struct cprint *c, const struct part *p, unsigned indent)
{
	const struct team *t = c->ctx;
	print_indent(c->out, indent);
	str_addf(c->out, "struct %s %s = { ", p->share, p->given);
	for (size_t i = 0; i < p->env.nr; i++)
		if (part_takes(t, p, &p->env.items[i]))
			str_addf(c->out, ".%s = %s%s, ", p->env.items[i].name,
				 part_is_untyped(&p->env.items[i]) ? "(void *)" : "",
				 p->env.items[i].name);
	str_addf(c->out, ".%s = %s, .%s = %s", p->first, p->first, p->count, p->count);
	if (p->inner)
		str_addf(c->out, ", .%s = %s, .%s = %s", p->left, p->left, p->width, p->width);
	str_add(c->out, " };\n");
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
	print_ranges(c, p, indent + 1);
	print_start(c, p, indent + 1);
	print_combines(c, p, indent + 1);
	print_indent(c->out, indent);
	str_add(c->out, "}\n");
	return true;
}
