/*
 * What every rewrite needs: where a statement hangs, what type an element has, how often a loop
 * runs, putting one expression in the place of another, and names that are free. The tree is the
 * only truth about nesting: after a rewrite the labels of loops no longer tell it.
 */
#ifndef FORGE_TUNER_REWRITE_H
#define FORGE_TUNER_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
struct expr;
struct kernel;
struct loop;
struct row;
struct stmt;
struct variant;

/* Where a statement hangs in the tree: parent->items[at]. */
struct place {
	struct stmt *parent;
	size_t at;
};

bool place_find(struct stmt *body, const struct stmt *s, struct place *out);
/* Puts the statements of a block where the place is. */
void place_put(struct arena *a, struct place at, struct stmt *block);
/* The innermost canonical loop around a statement, NULL when there is none. */
struct stmt *loop_around(struct stmt *body, const struct stmt *s);
/* Whether `s` stands anywhere below `top`, or is it. */
bool stmt_is_below(const struct stmt *top, const struct stmt *s);
/* break, continue or return anywhere below: what follows one is not unconditional. */
bool stmt_has_jump(const struct stmt *s);
/* The one statement of a body, through blocks around it; NULL when there are more or none. */
struct stmt *stmt_only(struct stmt *body);

/* e + by, where a number at its end is joined with it: n - 1 + 1 is n. */
struct expr *expr_plus(struct arena *a, struct expr *e, int64_t by);
/* Iterations of the loop in this body where that is one known number, else -1. */
int64_t loop_trips(const struct variant *v, const struct stmt *loop, struct arena *a);

/* A call with one argument or two. */
struct expr *expr_call(struct arena *a, const char *name, struct expr *first, struct expr *second);
/* A loop with this header around the body. */
struct stmt *stmt_loop(struct arena *a, const struct loop *header, struct stmt *body);
/* Why the range of a loop can not be cut into pieces, NULL when it can: it counts by one, no number
 * in its bounds is unsigned, and its start can be written a second time. */
const char *loop_uncuttable(const struct variant *v, const struct stmt *loop, struct arena *a);
/* Iterations, as a number where that is known, else as hi - lo. */
struct expr *loop_count(const struct variant *v, const struct stmt *loop, struct arena *a);
/* lo + count / n * n: where whole pieces of n iterations end. */
struct expr *loop_whole(const struct variant *v, const struct stmt *loop, int64_t n,
			struct arena *a);
/* The loop from `from` on, with the labels of a remainder; NULL when nothing remains after pieces
 * of n. */
struct stmt *loop_remainder(const struct variant *v, const struct stmt *loop, struct expr *from,
			    int64_t n, struct arena *a);

/* Element type of a parameter or local array or scalar, without const; NULL: not plain. */
const char *element_type(const struct variant *v, const char *name);

/* How many elements a parameter or local array has in this body; -1: no known number. */
int64_t array_elements(const struct kernel *k, const struct variant *v, const char *name);
/* Bytes of an element, the widest there is when the type is not known. */
int64_t element_bytes(const char *type);

/* Every expression equal to `from` below `s` becomes a clone of `to`. A declaration's or a loop's
 * own name is no expression and stays. */
void stmt_substitute(struct arena *a, struct stmt *s, const struct expr *from,
		     const struct expr *to);
/* Every use of the name becomes the number, and what is constant then is folded. */
void stmt_fix(struct arena *a, struct stmt *s, const char *name, int64_t value);
struct expr *expr_fix(struct arena *a, struct expr *e, const char *name, int64_t value);
/* Renames a local or a counter: its declaration, loop header and all uses below `s`. */
void stmt_rename(struct arena *a, struct stmt *s, const char *from, const char *to);
/* Loops below `s` whose vector lanes reduce this variable run in lanes no longer: the clause that
 * names it would be wrong once it is called otherwise or is an array. */
void stmt_drop_reduction(struct stmt *s, const char *name);
/* Appends `suffix` to the label of every loop below `s`, itself included: copies of loops. */
void stmt_relabel(struct arena *a, struct stmt *s, const char *suffix);

/* A name like `base` that neither the source nor this body uses; without a body one for the file,
 * which no body's function has either. In the arena of the kernel. */
const char *fresh_name(const struct kernel *k, const struct variant *v, const char *base);

/* NULL: the row was applied to this body. Else why not, in words for people, and the body is as
 * before. `loop` is the row's loop, NULL for a row without the key and for loop=entry. */
typedef const char *(*apply_fn)(struct kernel *k, struct variant *v, struct stmt *loop,
				const struct row *row);
/* Applies a row to each body that has the row's loop. ERR_INPUT unless one of them took it. */
int row_apply_each(struct kernel *k, const struct row *row, apply_fn apply, struct err *e);

#endif
