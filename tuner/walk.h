/*
 * Walking and questions about names. Every question is answered on the safe side where a statement
 * is opaque: a name that occurs in its text counts as used and as changed.
 */
#ifndef FORGE_TUNER_WALK_H
#define FORGE_TUNER_WALK_H

#include <stdbool.h>

struct arena;
struct expr;
struct stmt;

/* Both slots may be NULL. A false answer keeps the walk from going below the node. Loop bounds and
 * initialisers are seen as expressions; a for header's init is seen as a statement. */
struct walk {
	void *ctx;
	bool (*see_expr)(void *ctx, const struct expr *e);
	bool (*see_stmt)(void *ctx, const struct stmt *s);
};

void walk_expr(const struct walk *w, const struct expr *e);
void walk_stmt(const struct walk *w, const struct stmt *s);

bool expr_uses(const struct expr *e, const char *name);
/* Whether evaluating it may change the named variable (assignment, ++, address taken). */
bool expr_changes(const struct expr *e, const char *name);
bool stmt_uses(const struct stmt *s, const char *name);
bool stmt_changes(const struct stmt *s, const char *name);
/* Whether a declaration or a loop below declares the name. */
bool stmt_declares(const struct stmt *s, const char *name);
bool stmt_has_opaque(const struct stmt *s);
/* The name as a whole word of C text. */
bool text_has_name(const char *text, const char *name);

/* Bottom up: every expression below is replaced by what `change` answers (the same one to keep). */
typedef struct expr *(*change_fn)(void *ctx, struct expr *e);
struct expr *expr_rewrite(struct expr *e, change_fn change, void *ctx);
void stmt_rewrite(struct stmt *s, change_fn change, void *ctx);

#endif
