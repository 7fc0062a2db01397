#include "tuner/etype.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tuner/cparse.h"
#include "tuner/env.h"
#include "tuner/ir.h"

static enum etype word_type(const char *word)
{
	static const char *const integers[] = { "int",     "long",     "short",    "char",
						"signed",  "unsigned", "size_t",   "ptrdiff_t",
						"int64_t", "int32_t",  "uint64_t", "uint32_t",
						"int16_t", "int8_t",   "uint16_t", "uint8_t" };
	if (strcmp(word, "float") == 0)
		return ETYPE_FLOAT;
	if (strcmp(word, "double") == 0)
		return ETYPE_DOUBLE;
	for (size_t i = 0; i < ARRAY_LEN(integers); i++)
		if (strcmp(word, integers[i]) == 0)
			return ETYPE_INT;
	return ETYPE_OTHER;
}

static bool is_qualifier(const char *word)
{
	return strcmp(word, "const") == 0 || strcmp(word, "static") == 0;
}

enum etype etype_named(const char *type)
{
	AUTO_STRV struct strv words = { 0 };
	enum etype found = ETYPE_OTHER;
	strv_split(&words, type, " ");
	for (size_t i = 0; i < words.nr; i++) {
		enum etype one = word_type(words.items[i]);
		if (is_qualifier(words.items[i]))
			continue;
		bool is_more = found != ETYPE_OTHER && (one != ETYPE_INT || found != ETYPE_INT);
		if (one == ETYPE_OTHER || is_more)
			return ETYPE_OTHER;
		found = one;
	}
	return found;
}

const char *index_root(const struct expr *e)
{
	while (e->kind == EXPR_INDEX)
		e = e->items[0];
	return e->kind == EXPR_NAME ? e->text : NULL;
}

static enum etype literal_type(const struct expr *e)
{
	if (e->is_integer)
		return ETYPE_INT;
	char last = e->text[strlen(e->text) - 1];
	if (last == 'f' || last == 'F')
		return ETYPE_FLOAT;
	return last == 'l' || last == 'L' ? ETYPE_OTHER : ETYPE_DOUBLE;
}

static enum etype file_name_type(const char *name)
{
	bool is_float = strcmp(name, "INFINITY") == 0 || strcmp(name, "NAN") == 0;
	return is_float ? ETYPE_FLOAT : ETYPE_OTHER;
}

/* Subscripts that lead from the name to one element. */
static size_t levels_of(const struct meaning *m)
{
	size_t nr = m->decl ? m->decl->nr_dims : m->param && m->param->is_pointer;
	for (const char *at = m->decl ? m->decl->stars : ""; *at; at++)
		nr += *at == '*';
	return nr;
}

static enum etype element_of(const struct env *env, const char *name, size_t nr_subs)
{
	const struct meaning *m = env_find(env, name);
	if (!m || (!m->decl && !m->param && !m->loop))
		return nr_subs ? ETYPE_OTHER : file_name_type(name);
	if (levels_of(m) != nr_subs || (m->param && !m->param->is_plain && nr_subs))
		return ETYPE_OTHER;
	if (m->loop)
		return ETYPE_INT;
	return etype_named(m->decl ? m->decl->type : m->param->type);
}

static enum etype index_type(const struct env *env, const struct expr *e)
{
	const char *root = index_root(e);
	size_t nr = 0;
	for (; e->kind == EXPR_INDEX; e = e->items[0])
		nr++;
	return root ? element_of(env, root, nr) : ETYPE_OTHER;
}

static enum etype common_type(enum etype a, enum etype b)
{
	if (a == ETYPE_OTHER || b == ETYPE_OTHER)
		return ETYPE_OTHER;
	return a > b ? a : b;
}

static enum etype operation_type(const struct env *env, const struct expr *e)
{
	enum etype left = etype_of(env, e->items[0]);
	if (strchr("<>=!&|", e->text[0]))
		return left == ETYPE_OTHER ? ETYPE_OTHER : ETYPE_INT;
	return common_type(left, etype_of(env, e->items[1]));
}

/* Functions of math.h that take and return one type. */
static enum etype call_type(const struct expr *e)
{
	static const char *const names[] = { "exp",  "exp2",  "expm1", "log",   "log2", "log1p",
					     "sin",  "cos",   "tan",   "tanh",  "pow",  "sqrt",
					     "fabs", "floor", "ceil",  "round", "fmax", "fmin",
					     "fma",  "erf",   "cbrt",  "rint",  "trunc" };
	const char *name = e->items[0]->kind == EXPR_NAME ? e->items[0]->text : "";
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (!str_starts(name, names[i]))
			continue;
		const char *rest = name + strlen(names[i]);
		if (!*rest || strcmp(rest, "f") == 0)
			return *rest ? ETYPE_FLOAT : ETYPE_DOUBLE;
	}
	return ETYPE_OTHER;
}

enum etype etype_of(const struct env *env, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_NUMBER:
		return literal_type(e);
	case EXPR_NAME:
		return element_of(env, e->text, 0);
	case EXPR_INDEX:
		return index_type(env, e);
	case EXPR_UNARY:
		return strcmp(e->text, "-") == 0 || strcmp(e->text, "+") == 0
			       ? etype_of(env, e->items[0])
			       : ETYPE_OTHER;
	case EXPR_BINARY:
		return operation_type(env, e);
	case EXPR_CHOICE:
		return common_type(etype_of(env, e->items[1]), etype_of(env, e->items[2]));
	case EXPR_CAST:
		return etype_named(e->text);
	case EXPR_CALL:
		return call_type(e);
	case EXPR_TEXT:
	case EXPR_POSTFIX:
	case EXPR_ASSIGN:
	case EXPR_MEMBER:
	case EXPR_LIST:
		break;
	}
	return ETYPE_OTHER;
}
