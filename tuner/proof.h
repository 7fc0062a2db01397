/*
 * Independence, proved and never guessed: no iteration of a loop touches an element that another
 * iteration writes. A race may pass a judge by luck, so threads and vectors rest on this.
 */
#ifndef FORGE_TUNER_PROOF_H
#define FORGE_TUNER_PROOF_H

#include <stdbool.h>

#include <stdbool.h>
#include <stdint.h>

struct access;
struct accesses;
struct arena;
struct stmt;
struct view;

/* NULL: proved for all arrays. Else why not, in words for people (static or in the arena).
 * Scalars and exits are the caller's to look at. */
const char *proof_arrays(const struct accesses *list, const struct stmt *loop, struct arena *a);
/* Arrays, scalars and exits: the iterations may run in any order and at the same time. */
const char *proof_independent(const struct view *view, const struct stmt *loop, struct arena *a);

/* `a` belongs to one loop, `b` to another. Whether what `a` touches in its iteration i is never
 * what `b` touches in its iteration j unless i < j + apart. */
bool proof_follows(const struct access *a, const struct access *b, int64_t apart);

/* The element is slope * counter + something from low to high, all of them numbers. */
bool proof_reach(const struct access *x, int64_t *slope, int64_t *low, int64_t *high);

#endif
