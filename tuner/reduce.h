/*
 * Reductions: an outside scalar that a loop only ever combines with new values by one operation
 * (+ * max min), so that the order of its iterations matters to rounding only.
 */
#ifndef FORGE_TUNER_REDUCE_H
#define FORGE_TUNER_REDUCE_H

struct stmt;

/* "+", "*", "max", "min", or NULL when the loop uses the name in any other way. */
const char *reduce_operation(const struct stmt *loop, const char *name);

#endif
