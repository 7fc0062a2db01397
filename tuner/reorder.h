/*
 * Whether the iterations of a loop may change places: independent, or touching each other only
 * through sums, whose order matters to rounding alone. What rewrites that move loops rest on; where
 * they go wrong in the end, the judge sees it.
 */
#ifndef FORGE_TUNER_REORDER_H
#define FORGE_TUNER_REORDER_H

struct accesses;
struct arena;
struct stmt;
struct view;

/* NULL: as far as arrays go. Else why not, in words for people. */
const char *reorder_arrays(const struct accesses *list, const struct stmt *loop, struct arena *a);
/* Arrays, exits and outside scalars, which must all be reductions. */
const char *reorder_trouble(const struct view *view, const struct stmt *loop, struct arena *a);

#endif
