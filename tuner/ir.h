/*
 * The tree that rewrites work on: expressions and statements of a C subset. Nodes and text live in
 * one arena and are shared freely until somebody clones. What the parser does not understand is a
 * STMT_OPAQUE that keeps its text: nothing is moved across it and no name in it is changed.
 */
#ifndef FORGE_TUNER_IR_H
#define FORGE_TUNER_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum expr_kind {
	EXPR_NUMBER,  /* text as written; value when is_integer */
	EXPR_NAME,    /* text */
	EXPR_TEXT,    /* strings, characters, sizeof(type): text as written */
	EXPR_UNARY,   /* text is the operator */
	EXPR_POSTFIX, /* "++" or "--" */
	EXPR_BINARY,  /* the comma too */
	EXPR_ASSIGN,  /* "=", "+=", ... */
	EXPR_CHOICE,  /* condition, then, else */
	EXPR_CALL,    /* callee, then arguments */
	EXPR_INDEX,   /* base, subscript */
	EXPR_MEMBER,  /* text is "." or "->", member the name */
	EXPR_CAST,    /* text is the type */
	EXPR_LIST,    /* { a, b } */
};

struct expr {
	enum expr_kind kind;
	bool is_integer;
	const char *text;
	const char *member;
	int64_t value;
	struct expr **items;
	size_t nr;
};

struct decl {
	const char *type;  /* "const float" */
	const char *stars; /* "", "*", "*restrict " */
	const char *name;
	struct expr **dims;
	size_t nr_dims;
	struct expr *init; /* NULL: none */
	bool is_aligned;   /* to 64 bytes, by _Alignas */
};

enum stmt_kind {
	STMT_BLOCK, /* items */
	STMT_LOOP,  /* canonical, see struct loop; items[0] is the body */
	STMT_FOR,   /* any other for: init, expr, step may be NULL; items[0] is the body */
	STMT_WHILE, /* expr; items[0] */
	STMT_DO,    /* items[0], then expr */
	STMT_IF,    /* expr; items[0] and perhaps items[1] */
	STMT_EXPR,  /* expr; NULL for a lone ";" */
	STMT_DECL,  /* decl */
	STMT_JUMP,  /* text is break, continue or return; expr for a returned value */
	STMT_OPAQUE /* text */
};

enum share_layout { SHARE_BLOCK, SHARE_DEAL, SHARE_DYNAMIC, SHARE_GRID };

/* What a strip loop of a sink row stands for. Its trips are one known number. */
enum loop_role { LOOP_PLAIN, LOOP_LANES, LOOP_REGISTERS };

/* for (type var = lo; var < hi; var += step), where nothing in the body changes var or hi. The
 * annotations below it say how the printer brings it out. */
struct loop {
	const char *label; /* "L0.1": position in the tree of all loops, kept by rewrites */
	const char *type;
	const char *var;
	struct expr *lo;
	struct expr *hi; /* exclusive */
	int64_t step;    /* > 0 */

	enum loop_role role;
	unsigned threads; /* 0: one thread */
	enum share_layout layout;
	const char *inner; /* label of the other loop of a grid (tuner/grid.h) */
	unsigned columns;  /* of a grid: what `threads` is divided by */
	bool is_reduced;   /* dealt out with partial results (tuner/partials.h) */
	bool is_simd;
	const char *reduction; /* "reduction(+:sum)", with is_simd; NULL: none */
	unsigned unroll;       /* 0: the compiler decides */
};

struct stmt {
	enum stmt_kind kind;
	const char *text;
	struct expr *expr;
	struct expr *step;
	struct stmt *init;
	struct decl *decl;
	struct loop *loop;
	struct stmt **items;
	size_t nr;
	size_t cap;
};

struct expr *expr_new(struct arena *a, enum expr_kind kind, const char *text, size_t nr);
struct expr *expr_number(struct arena *a, int64_t value);
struct expr *expr_name(struct arena *a, const char *name);
/* Folds what is constant and drops + 0 and * 1. */
struct expr *expr_binary(struct arena *a, const char *op, struct expr *left, struct expr *right);
struct expr *expr_index(struct arena *a, struct expr *base, struct expr *subscript);
struct expr *expr_assign(struct arena *a, const char *op, struct expr *left, struct expr *right);
struct expr *expr_clone(struct arena *a, const struct expr *e);
bool expr_equal(const struct expr *a, const struct expr *b);
bool expr_is_name(const struct expr *e, const char *name);
/* Binding strength of the operator at the root: 1 comma ... 16 a name. */
int expr_strength(const struct expr *e);
/* Strength of a binary or assignment operator, 0 for any other text. */
int operator_strength(const char *op);

struct stmt *stmt_new(struct arena *a, enum stmt_kind kind);
struct stmt *stmt_expr(struct arena *a, struct expr *e);
struct stmt *stmt_decl(struct arena *a, const char *type, const char *name, struct expr *init);
void stmt_add(struct arena *a, struct stmt *parent, struct stmt *child);
/* Put a block's statements in the place of items[at]. */
void stmt_splice(struct arena *a, struct stmt *parent, size_t at, const struct stmt *block);
struct stmt *stmt_clone(struct arena *a, const struct stmt *s);
/* The body of a loop as a block, made one if it was a lone statement. */
struct stmt *stmt_body(struct arena *a, struct stmt *loop);

#endif
