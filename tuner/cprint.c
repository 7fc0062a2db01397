#include "tuner/cprint.h"

/* Braces are put around everything that is not one plain line, so that a pragma in front of a loop
 * never stands where only a statement may. */

#include <string.h>

#include "base/str.h"
#include "tuner/cparse.h"
#include "tuner/ir.h"

enum { STRENGTH_COMMA = 1, STRENGTH_ASSIGN = 2, STRENGTH_CHOICE = 3, STRENGTH_OR = 4 };
enum { STRENGTH_UNARY = 14, STRENGTH_POSTFIX = 15 };

void print_indent(struct str *out, unsigned indent)
{
	for (unsigned i = 0; i < indent; i++)
		str_add_char(out, '\t');
}

static void print_at(struct str *out, const struct expr *e, int least)
{
	bool needs_parens = expr_strength(e) < least;
	if (needs_parens)
		str_add_char(out, '(');
	print_expr(out, e);
	if (needs_parens)
		str_add_char(out, ')');
}

static void print_list(struct str *out, const struct expr *e, size_t from)
{
	for (size_t i = from; i < e->nr; i++) {
		if (i > from)
			str_add(out, ", ");
		print_at(out, e->items[i], STRENGTH_ASSIGN);
	}
}

/* "-" in front of something that starts with "-" would become another operator. */
static void print_unary(struct str *out, const struct expr *e)
{
	const struct expr *in = e->items[0];
	bool is_sign = strchr("+-&", e->text[0]) != NULL;
	bool clashes = is_sign && ((in->kind == EXPR_UNARY && in->text[0] == e->text[0]) ||
				   (in->kind == EXPR_NUMBER && in->text[0] == e->text[0]));
	str_add(out, e->text);
	print_at(out, in, clashes ? STRENGTH_POSTFIX : STRENGTH_UNARY);
}

static void print_pair(struct str *out, const struct expr *e)
{
	int strength = expr_strength(e);
	bool is_comma = strength == STRENGTH_COMMA;
	bool is_assign = e->kind == EXPR_ASSIGN;
	print_at(out, e->items[0], is_assign ? STRENGTH_UNARY : strength);
	str_addf(out, is_comma ? "%s " : " %s ", e->text);
	print_at(out, e->items[1], is_assign ? STRENGTH_ASSIGN : strength + 1);
}

static void print_choice(struct str *out, const struct expr *e)
{
	print_at(out, e->items[0], STRENGTH_OR);
	str_add(out, " ? ");
	print_at(out, e->items[1], STRENGTH_ASSIGN);
	str_add(out, " : ");
	print_at(out, e->items[2], STRENGTH_CHOICE);
}

void print_expr(struct str *out, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_NUMBER:
	case EXPR_NAME:
	case EXPR_TEXT:
		str_add(out, e->text);
		break;
	case EXPR_UNARY:
		print_unary(out, e);
		break;
	case EXPR_POSTFIX:
		print_at(out, e->items[0], STRENGTH_POSTFIX);
		str_add(out, e->text);
		break;
	case EXPR_BINARY:
	case EXPR_ASSIGN:
		print_pair(out, e);
		break;
	case EXPR_CHOICE:
		print_choice(out, e);
		break;
	case EXPR_CALL:
		print_at(out, e->items[0], STRENGTH_POSTFIX);
		str_add_char(out, '(');
		print_list(out, e, 1);
		str_add_char(out, ')');
		break;
	case EXPR_INDEX:
		print_at(out, e->items[0], STRENGTH_POSTFIX);
		str_add_char(out, '[');
		print_expr(out, e->items[1]);
		str_add_char(out, ']');
		break;
	case EXPR_MEMBER:
		print_at(out, e->items[0], STRENGTH_POSTFIX);
		str_addf(out, "%s%s", e->text, e->member);
		break;
	case EXPR_CAST:
		str_addf(out, "(%s)", e->text);
		print_at(out, e->items[0], STRENGTH_UNARY);
		break;
	case EXPR_LIST:
		str_add(out, "{ ");
		print_list(out, e, 0);
		str_add(out, " }");
		break;
	}
}

void print_param(struct str *out, const struct param *param, bool is_restrict)
{
	if (!param->is_plain)
		str_add(out, param->text);
	else if (!param->is_pointer)
		str_addf(out, "%s %s", param->type, param->name);
	else
		str_addf(out, "%s *%s%s", param->type, is_restrict ? "restrict " : "", param->name);
}

static void print_decl(struct str *out, const struct decl *d)
{
	str_addf(out, "%s%s %s%s", d->is_aligned ? "_Alignas(64) " : "", d->type, d->stars,
		 d->name);
	for (size_t i = 0; i < d->nr_dims; i++) {
		str_add_char(out, '[');
		print_expr(out, d->dims[i]);
		str_add_char(out, ']');
	}
	if (d->init) {
		str_add(out, " = ");
		print_at(out, d->init, STRENGTH_ASSIGN);
	}
}

static bool is_annotated(const struct stmt *s)
{
	return s->loop->is_simd || s->loop->unroll || s->loop->threads;
}

/* May stand below its parent without braces. */
static bool is_line(const struct stmt *s)
{
	bool is_plain_loop = s->kind == STMT_LOOP && !is_annotated(s);
	return (s->kind == STMT_EXPR && s->expr) || s->kind == STMT_JUMP || is_plain_loop;
}

/* The statement under a head that has no newline yet; false when it left "}" without one. */
static bool print_under(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	if (is_line(s)) {
		str_add_char(p->out, '\n');
		print_stmt(p, s, indent + 1);
		return true;
	}
	str_add(p->out, " {\n");
	if (s->kind != STMT_BLOCK)
		print_stmt(p, s, indent + 1);
	for (size_t i = 0; s->kind == STMT_BLOCK && i < s->nr; i++)
		print_stmt(p, s->items[i], indent + 1);
	print_indent(p->out, indent);
	str_add_char(p->out, '}');
	return false;
}

static void print_body(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	if (!print_under(p, s, indent))
		str_add_char(p->out, '\n');
}

static void print_pragmas(const struct cprint *p, const struct loop *l)
{
	if (l->is_simd)
		str_addf(p->out, "#pragma omp simd%s%s\n", l->reduction ? " " : "",
			 l->reduction ? l->reduction : "");
	if (l->unroll && !l->is_simd)
		str_addf(p->out, p->is_clang ? "#pragma unroll %u\n" : "#pragma GCC unroll %u\n",
			 l->unroll);
}

static void print_loop(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	const struct loop *l = s->loop;
	print_pragmas(p, l);
	print_indent(p->out, indent);
	str_addf(p->out, "for (%s %s = ", l->type, l->var);
	print_at(p->out, l->lo, STRENGTH_ASSIGN);
	str_addf(p->out, "; %s < ", l->var);
	print_at(p->out, l->hi, STRENGTH_UNARY - 3);
	if (l->step == 1)
		str_addf(p->out, "; %s++)", l->var);
	else
		str_addf(p->out, "; %s += %lld)", l->var, (long long)l->step);
	print_body(p, s->items[0], indent);
}

static void print_for(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	const struct stmt *init = s->init->nr ? s->init->items[0] : NULL;
	print_indent(p->out, indent);
	str_add(p->out, "for (");
	if (init && init->decl)
		print_decl(p->out, init->decl);
	else if (init)
		print_expr(p->out, init->expr);
	str_add(p->out, ";");
	if (s->expr) {
		str_add_char(p->out, ' ');
		print_expr(p->out, s->expr);
	}
	str_add(p->out, ";");
	if (s->step) {
		str_add_char(p->out, ' ');
		print_expr(p->out, s->step);
	}
	str_add_char(p->out, ')');
	print_body(p, s->items[0], indent);
}

static void print_head(const struct cprint *p, const char *word, const struct expr *e)
{
	str_addf(p->out, "%s (", word);
	print_expr(p->out, e);
	str_add_char(p->out, ')');
}

/* From "if" on: the caller indented, or wrote "else ". */
static void print_if(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	print_head(p, "if", s->expr);
	bool is_newline = print_under(p, s->items[0], indent);
	if (s->nr < 2) {
		if (!is_newline)
			str_add_char(p->out, '\n');
		return;
	}
	if (is_newline)
		print_indent(p->out, indent);
	str_add(p->out, is_newline ? "else" : " else");
	if (s->items[1]->kind == STMT_IF) {
		str_add_char(p->out, ' ');
		print_if(p, s->items[1], indent);
		return;
	}
	print_body(p, s->items[1], indent);
}

static void print_do(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	str_add(p->out, "do");
	if (print_under(p, s->items[0], indent))
		print_indent(p->out, indent);
	else
		str_add_char(p->out, ' ');
	print_head(p, "while", s->expr);
	str_add(p->out, ";\n");
}

static void print_jump(struct str *out, const struct stmt *s)
{
	str_add(out, s->text);
	if (s->expr) {
		str_add_char(out, ' ');
		print_expr(out, s->expr);
	}
	str_add(out, ";\n");
}

/* Statements that take a line of their own and are indented here. */
static void print_plain(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	print_indent(p->out, indent);
	if (s->kind == STMT_DECL)
		print_decl(p->out, s->decl);
	else if (s->kind == STMT_OPAQUE)
		str_add(p->out, s->text);
	else if (s->expr)
		print_expr(p->out, s->expr);
	str_add(p->out, s->kind == STMT_OPAQUE ? "\n" : ";\n");
}

static void print_block(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	print_indent(p->out, indent);
	str_add(p->out, "{\n");
	for (size_t i = 0; i < s->nr; i++)
		print_stmt(p, s->items[i], indent + 1);
	print_indent(p->out, indent);
	str_add(p->out, "}\n");
}

void print_stmt(const struct cprint *p, const struct stmt *s, unsigned indent)
{
	switch (s->kind) {
	case STMT_BLOCK:
		print_block(p, s, indent);
		return;
	case STMT_LOOP:
		if (!p->print_loop || !p->print_loop(p, s, indent))
			print_loop(p, s, indent);
		return;
	case STMT_FOR:
		print_for(p, s, indent);
		return;
	case STMT_EXPR:
	case STMT_DECL:
	case STMT_OPAQUE:
		print_plain(p, s, indent);
		return;
	case STMT_WHILE:
		print_indent(p->out, indent);
		print_head(p, "while", s->expr);
		print_body(p, s->items[0], indent);
		return;
	case STMT_DO:
		print_indent(p->out, indent);
		print_do(p, s, indent);
		return;
	case STMT_IF:
		print_indent(p->out, indent);
		print_if(p, s, indent);
		return;
	case STMT_JUMP:
		print_indent(p->out, indent);
		print_jump(p->out, s);
		return;
	}
}
