/*
 * What a decision row predicts about one metric of the profile, and whether it came true
 * (docs/format/curriculum.md). Pure: the values come from jobs, the verdict goes into the gate.
 */
#ifndef FORGE_MODEL_PREDICTION_H
#define FORGE_MODEL_PREDICTION_H

#include <stdbool.h>

struct mechanism;
struct str;

bool prediction_is_direction(const char *name);
/* How many of at_least, by_pct and to are given; more than one is a fault of the row. */
int prediction_nr_sizes(const struct mechanism *m);
/* Did the metric go the predicted way, and as far? `before` belongs to the kernel that the row was
 * applied to. */
bool prediction_has_moved(const struct mechanism *m, double before, double after);
/* "vector_bits up to 256", "spill_loads down by 50 %". */
void prediction_print(const struct mechanism *m, struct str *out);

#endif
