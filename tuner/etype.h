/*
 * What type an expression has at a place, as far as numbers go: enough to know whether a statement
 * computes in the type of its elements throughout.
 */
#ifndef FORGE_TUNER_ETYPE_H
#define FORGE_TUNER_ETYPE_H

struct env;
struct expr;

/* By rank: arithmetic on two of them gives the later one. */
enum etype { ETYPE_OTHER, ETYPE_INT, ETYPE_FLOAT, ETYPE_DOUBLE };

/* Of a written type, qualifiers left aside. */
enum etype etype_named(const char *type);
/* ETYPE_OTHER where it is not known. */
enum etype etype_of(const struct env *env, const struct expr *e);
/* The name under all subscripts, NULL when there is none. */
const char *index_root(const struct expr *e);

#endif
