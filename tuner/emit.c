#include "tuner/emit.h"

/* The file that is submitted: header with the build directive and the rows, the source's text
 * around the entry as it was, the entry as it was read, the bodies that the rows made, and an entry
 * that chooses among them by size. */

#include <string.h>

#include "tuner/cprint.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/origin.h"
#include "tuner/team.h"
#include "tuner/walk.h"
#include "tuner/wrap.h"

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
	bool needs_simd =
		kernel_has_simd(k) && !has_flag(k, "-fopenmp-simd") && !has_flag(k, "-fopenmp");
	str_addf(out, "/*\n * forge-build: %s %s%s\n", k->cc, flags,
		 needs_simd ? " -fopenmp-simd" : "");
	origin_print_rows(k, out);
	str_add(out, " *\n * Written by forge-tuner from the reference, by the rows above.\n");
	if (k->unread)
		str_add(out, " * The source itself is unchanged: the tuner could not read it.\n");
	str_add(out, " */\n");
	if (!strstr(k->source, "<forge/kernel.h>"))
		str_add(out, "#include <forge/kernel.h>\n");
	if (has_allocation(k) && !strstr(k->source, "<stdlib.h>"))
		str_add(out, "#include <stdlib.h>\n");
}

void emit_text(struct str *out, const char *text)
{
	static const char mark[] = "forge-build:";
	for (const char *at = strstr(text, mark); at; at = strstr(text, mark)) {
		str_add_len(out, text, (size_t)(at - text));
		str_add(out, "built before by:");
		text = at + strlen(mark);
	}
	str_add(out, text);
}

static bool is_bound(const struct variant *v, const char *name)
{
	return dims_find(&v->view.bound, name) != NULL;
}

static bool is_aligned_param(const struct param *p)
{
	return p->is_pointer && p->is_plain;
}

/* What the caller promised about pointers, and the sizes that are known here. */
void emit_prologue(const struct kernel *k, const struct variant *v, const struct stmt *used,
		   struct str *out)
{
	const struct function *f = v->view.f;
	for (size_t i = 0; k->is_restrict && i < f->nr_params; i++) {
		const char *name = f->params[i].name;
		if (is_aligned_param(&f->params[i]) && stmt_uses(used, name))
			str_addf(out, "\t%s = FORGE_ALIGNED(%s);\n", name, name);
	}
	for (size_t i = 0; i < f->nr_params; i++) {
		const struct param *p = &f->params[i];
		const struct dim *d = dims_find(&v->view.bound, p->name);
		bool is_fixed = !stmt_changes(v->body, p->name);
		bool is_const = text_has_name(p->type, "const");
		if (d && stmt_uses(used, p->name))
			str_addf(out, "\t%s%s %s = %lld;\n", is_fixed && !is_const ? "const " : "",
				 p->type, p->name, (long long)d->value);
	}
}

static void print_separator(struct str *out, bool *is_first)
{
	str_add(out, *is_first ? "" : ", ");
	*is_first = false;
}

static void print_params(const struct kernel *k, const struct variant *v, struct str *out)
{
	const struct function *f = v->view.f;
	bool is_first = true;
	for (size_t i = 0; i < f->nr_params; i++) {
		if (is_bound(v, f->params[i].name))
			continue;
		print_separator(out, &is_first);
		print_param(out, &f->params[i], k->is_restrict);
	}
}

static void print_signature(const struct kernel *k, const struct variant *v, struct str *out)
{
	if (v->shape)
		str_addf(out, "/* The size %s. */\n", v->shape);
	if (v->function)
		str_addf(out, "static __attribute__((noinline)) void %s(", v->function);
	else
		str_addf(out, "void %s(", k->unit.entry.name);
	print_params(k, v, out);
	str_add(out, ")\n{\n");
}

static void print_variant(const struct kernel *k, const struct variant *v, struct str *out)
{
	struct team t = { .k = k, .v = v, .out = out };
	const struct cprint c = { .out = out,
				  .is_clang = strcmp(k->cc, "clang") == 0,
				  .print_loop = team_print_call,
				  .ctx = &t };
	team_find(&t);
	team_print_parts(&t);
	print_signature(k, v, out);
	if (v->function)
		emit_prologue(k, v, v->body, out);
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
		emit_text(out, k->source);
		return;
	}
	emit_text(out, k->unit.before);
	origin_print_plain(k, out);
	for (size_t i = 0; i < k->texts.nr; i++)
		str_addf(out, "%s\n", k->texts.items[i]);
	if (kernel_has_threads(k))
		team_print_runtime(out);
	print_bodies(k, &bodies);
	wrap_lines(out, bodies.text);
	origin_print_rest(out);
	emit_text(out, k->unit.after + (k->unit.after[0] == '\n'));
}
