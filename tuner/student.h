/*
 * The embedded student: replays the accepted rows on the granted source, applies the new one and
 * submits the file. It keeps nothing between turns.
 */
#ifndef FORGE_TUNER_STUDENT_H
#define FORGE_TUNER_STUDENT_H

#include <jansson.h>

struct err;

/* The answer to a `round` turn, a new reference: submit or handback. NULL: the data is malformed.
 */
json_t *student_round(const json_t *data, struct err *e);
/* The same for an `ablation` turn: the kernel without one decision, all others kept. Handback: the
 * others can not do without it, or the kernel is the same. */
json_t *student_ablation(const json_t *data, struct err *e);

#endif
