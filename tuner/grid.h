/*
 * Two loops of a nest that are dealt out at once: threads stand in a grid, and each has a range of
 * the outer loop (its row) and a range of a loop inside it (its column). What else stands in the
 * outer loop is run by every column.
 */
#ifndef FORGE_TUNER_GRID_H
#define FORGE_TUNER_GRID_H

struct arena;
struct stmt;
struct variant;

/* The loop with this label below `loop`, if there is just one and its range can be told in front of
 * `loop`; else NULL. That is what printing needs, and rows that come later may take it away. */
const struct stmt *grid_inner(const struct variant *v, const struct stmt *loop, const char *label,
			      struct arena *a);
/* NULL: the iterations of both loops may run at the same time, and the rest may run once for each
 * column. Else why not, in words for people. Those of the outer loop are known to be independent.
 */
const char *grid_trouble(const struct variant *v, const struct stmt *loop, const struct stmt *inner,
			 struct arena *a);

#endif
