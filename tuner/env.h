/*
 * What names mean at a place inside a loop, and expressions there as polynomials. The loop under
 * study splits names in two: what is declared inside it differs from iteration to iteration, what
 * stands outside and is not changed inside is the same for all of them.
 */
#ifndef FORGE_TUNER_ENV_H
#define FORGE_TUNER_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "model/expr.h"
#include "tuner/poly.h"

struct arena;
struct decl;
struct expr;
struct function;
struct param;
struct stmt;

enum { ENV_NAMES = 256 };

/* One body of the function and what its integer parameters are known to be. */
struct view {
	const struct function *f;
	const struct stmt *body;
	struct dims bound; /* parameters with one value */
	struct dims sizes; /* parameters known to be >= 0; values unused */
};

/* What a name is: exactly one of the three is set, none for a name of the file. */
struct meaning {
	const char *name;
	const struct param *param;
	const struct decl *decl;
	const struct stmt *loop; /* a STMT_LOOP whose counter it is */
	bool is_inside;          /* declared inside the loop under study, or its counter */
};

struct env {
	struct arena *a;
	const struct view *view;
	const struct stmt *study; /* what is under study, a STMT_LOOP as a rule */
	struct meaning items[ENV_NAMES];
	size_t nr;
	unsigned depth;         /* of resolving names by their initialisers */
	struct facts quotients; /* symbols for sizes divided by numbers */
};

/* Names visible at the statement under study, a loop's own counter included. False when it is not
 * in the body or there are too many names. */
bool env_open(struct env *env, const struct view *view, const struct stmt *study, struct arena *a);
/* Declarations inside the study loop, met while walking it; leave by cutting env->nr back. */
void env_add_decl(struct env *env, const struct decl *d);
void env_add_loop(struct env *env, const struct stmt *loop);
const struct meaning *env_find(const struct env *env, const char *name);
/* An array or pointer, as opposed to a scalar. */
bool meaning_is_pointer(const struct meaning *m);

/* A pointer to memory of its own, which the declaration asks the library for. */
bool decl_is_fresh(const struct decl *d);

/* Counters appear as the label of their loop, everything else by name. */
struct poly env_poly(struct env *env, const struct expr *e);
/* A bound that may be the smaller of two: both, else the one and nothing known of the other. */
void env_ends(struct env *env, const struct expr *e, struct poly *one, struct poly *other);
/* The array behind a pointer expression and the offset in elements; NULL, and an unknown offset,
 * when that is not known. */
const char *env_array(struct env *env, const struct expr *e, struct poly *offset);
/* Loops around the current place, the study loop first, then those inside: at most max. */
size_t env_loops(const struct env *env, const struct stmt **loops, size_t max);
/* What the sizes and the loops around the place tell about symbols. */
void env_facts(struct env *env, struct facts *f);

#endif
