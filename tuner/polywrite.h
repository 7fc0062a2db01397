/*
 * A polynomial as an expression again, for code that a rewrite adds: valid at the place where the
 * names of the environment are known, with the counters of loops around under their labels.
 */
#ifndef FORGE_TUNER_POLYWRITE_H
#define FORGE_TUNER_POLYWRITE_H

struct env;
struct expr;
struct poly;
struct variant;

/* In the arena of the environment. */
struct expr *poly_write(const struct poly *poly, struct env *env, const struct variant *v);

#endif
