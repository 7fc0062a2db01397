#include "model/expr.h"

/* A recursive-descent evaluator that computes while it reads; there is no tree. With `see` set it
 * only reports names and computes nothing, so lint needs no dims. Depth is limited because the text
 * comes from a file. */

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_DEPTH = 64, MAX_NAME = 64 };

struct reader {
	const char *text;
	const char *at;
	const struct dims *dims;
	void (*see)(const char *name, void *ctx); /* set: names only */
	void *ctx;
	int depth;
	struct err *e;
};

static int read_sum(struct reader *r, int64_t *out);

static int fail(struct reader *r, const char *at, const char *why)
{
	return err_set(r->e, ERR_INPUT, "expression \"%.200s\" column %zu: %s", r->text,
		       (size_t)(at - r->text) + 1, why);
}

static void skip_space(struct reader *r)
{
	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
}

static bool take(struct reader *r, char c)
{
	skip_space(r);
	if (*r->at != c)
		return false;
	r->at++;
	return true;
}

static int expect(struct reader *r, char c)
{
	if (take(r, c))
		return 0;
	const char why[] = { 'e', 'x', 'p', 'e', 'c', 't', 'e', 'd', ' ', '\'', c, '\'', 0 };
	return fail(r, r->at, why);
}

static int divide(int64_t a, int64_t b, char op, int64_t *out)
{
	*out = op == '%' ? a % b : a / b;
	if (op == 'c' && a % b)
		*out += 1;
	return 0;
}

/* One operation at `at`; the names-only mode never fails here. */
static int apply(struct reader *r, const char *at, char op, const int64_t v[2], int64_t *out)
{
	bool overflows = false;
	*out = 0;
	if (r->see)
		return 0;
	if (op == '+')
		overflows = __builtin_add_overflow(v[0], v[1], out);
	else if (op == '-')
		overflows = __builtin_sub_overflow(v[0], v[1], out);
	else if (op == '*')
		overflows = __builtin_mul_overflow(v[0], v[1], out);
	else if (v[1] == 0)
		return fail(r, at, "division by zero");
	else if (v[0] < 0 || v[1] < 0)
		return fail(r, at, "division of a negative number");
	else
		return divide(v[0], v[1], op, out);
	return overflows ? fail(r, at, "the value does not fit 64 bits") : 0;
}

static int read_literal(struct reader *r, int64_t *out)
{
	const char *at = r->at;
	*out = 0;
	for (; isdigit((unsigned char)*r->at); r->at++) {
		if (__builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, *r->at - '0', out))
			return fail(r, at, "the number does not fit 64 bits");
	}
	if (isalpha((unsigned char)*r->at) || *r->at == '_' || *r->at == '.')
		return fail(r, r->at, "expected an operator after the whole number");
	return 0;
}

static int unknown_name(struct reader *r, const char *at, const char *name)
{
	AUTO_STR struct str why = STR_INIT;
	str_addf(&why, "no dim is named %s; the dims are", name);
	for (size_t i = 0; i < r->dims->nr; i++)
		str_addf(&why, " %s", r->dims->items[i].name);
	return fail(r, at, why.text);
}

static int read_dim(struct reader *r, const char *at, const char *name, int64_t *out)
{
	*out = 0;
	if (r->see) {
		r->see(name, r->ctx);
		return 0;
	}
	const struct dim *dim = dims_find(r->dims, name);
	if (!dim)
		return unknown_name(r, at, name);
	*out = dim->value;
	return 0;
}

static int read_call(struct reader *r, const char *at, const char *name, int64_t *out)
{
	int64_t v[2] = { 0 };
	bool is_min = str_equal(name, "min");
	if (!is_min && !str_equal(name, "max") && !str_equal(name, "ceil"))
		return fail(r, at, "the functions are min(a,b) max(a,b) ceil(a,b)");
	if (read_sum(r, &v[0]) < 0 || expect(r, ',') < 0 || read_sum(r, &v[1]) < 0 ||
	    expect(r, ')') < 0)
		return -1;
	if (str_equal(name, "ceil"))
		return apply(r, at, 'c', v, out);
	*out = (v[0] < v[1]) == is_min ? v[0] : v[1];
	return 0;
}

static int read_name(struct reader *r, int64_t *out)
{
	char name[MAX_NAME + 1] = { 0 };
	const char *at = r->at;
	size_t len = 0;
	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	if (len > MAX_NAME)
		return fail(r, at, "the name is longer than 64 characters");
	memcpy(name, at, len);
	r->at += len;
	return take(r, '(') ? read_call(r, at, name, out) : read_dim(r, at, name, out);
}

static int read_primary(struct reader *r, int64_t *out)
{
	if (take(r, '('))
		return read_sum(r, out) < 0 ? -1 : expect(r, ')');
	if (isdigit((unsigned char)*r->at))
		return read_literal(r, out);
	if (isalpha((unsigned char)*r->at) || *r->at == '_')
		return read_name(r, out);
	return fail(r, r->at, "expected a whole number, a dim or '('");
}

static int read_unary(struct reader *r, int64_t *out)
{
	bool is_negative = false;
	int64_t v[2] = { 0 };
	skip_space(r);
	const char *at = r->at;
	while (take(r, '-'))
		is_negative = !is_negative;
	if (read_primary(r, &v[1]) < 0)
		return -1;
	*out = v[1];
	return is_negative ? apply(r, at, '-', v, out) : 0;
}

static int read_chain(struct reader *r, const char *ops,
		      int (*operand)(struct reader *r, int64_t *out), int64_t *out)
{
	if (operand(r, out) < 0)
		return -1;
	for (skip_space(r); *r->at && strchr(ops, *r->at); skip_space(r)) {
		const char *at = r->at++;
		int64_t v[2] = { *out, 0 };
		if (operand(r, &v[1]) < 0 || apply(r, at, *at, v, out) < 0)
			return -1;
	}
	return 0;
}

static int read_product(struct reader *r, int64_t *out)
{
	return read_chain(r, "*/%", read_unary, out);
}

static int read_sum(struct reader *r, int64_t *out)
{
	if (++r->depth > MAX_DEPTH)
		return fail(r, r->at, "nested too deeply");
	int rc = read_chain(r, "+-", read_product, out);
	r->depth--;
	return rc;
}

static int read_all(struct reader *r, int64_t *out)
{
	if (read_sum(r, out) < 0)
		return -1;
	skip_space(r);
	return *r->at ? fail(r, r->at, "expected an operator or the end") : 0;
}

int expr_eval(const char *text, const struct dims *dims, int64_t *out, struct err *e)
{
	struct reader r = { .text = text, .at = text, .dims = dims, .e = e };
	return read_all(&r, out);
}

int expr_names(const char *text, void (*see)(const char *name, void *ctx), void *ctx, struct err *e)
{
	struct reader r = { .text = text, .at = text, .see = see, .ctx = ctx, .e = e };
	int64_t ignored;
	return read_all(&r, &ignored);
}

const struct dim *dims_find(const struct dims *dims, const char *name)
{
	for (size_t i = 0; i < dims->nr; i++)
		if (strcmp(dims->items[i].name, name) == 0)
			return &dims->items[i];
	return NULL;
}
