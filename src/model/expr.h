/*
 * Integer expressions over the dims of a shape: + - * / % ( ) min(a,b) max(a,b) ceil(a,b), decimal
 * literals and dim names. 64-bit with overflow checks; / is exact floor division of non-negatives;
 * division by zero, overflow and unknown names are errors that name the column.
 */
#ifndef FORGE_MODEL_EXPR_H
#define FORGE_MODEL_EXPR_H

#include <stddef.h>
#include <stdint.h>

struct err;

struct dim {
	const char *name;
	int64_t value;
};

struct dims {
	struct dim *items;
	size_t nr;
};

int expr_eval(const char *text, const struct dims *dims, int64_t *out, struct err *e);
/* Calls `see` for each name in the text; syntax errors as expr_eval. For lint. */
int expr_names(const char *text, void (*see)(const char *name, void *ctx), void *ctx,
	       struct err *e);
const struct dim *dims_find(const struct dims *dims, const char *name);

#endif
