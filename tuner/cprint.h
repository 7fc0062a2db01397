/*
 * The tree as C again, in the layout people write: tabs, one statement a line, only the parentheses
 * that are needed.
 */
#ifndef FORGE_TUNER_CPRINT_H
#define FORGE_TUNER_CPRINT_H

#include <stdbool.h>

struct decl;
struct expr;
struct loop;
struct param;
struct stmt;
struct str;

struct cprint {
	struct str *out;
	bool is_clang; /* spelling of the unroll pragma */
	/* Offered every loop first; true: it printed something in its place. May be NULL. */
	bool (*print_loop)(const struct cprint *p, const struct stmt *s, unsigned indent);
	void *ctx;
};

void print_expr(struct str *out, const struct expr *e);
void print_stmt(const struct cprint *p, const struct stmt *s, unsigned indent);
/* "const float *x"; with `is_restrict` a pointer gets the word. */
void print_param(struct str *out, const struct param *param, bool is_restrict);
void print_indent(struct str *out, unsigned indent);

#endif
