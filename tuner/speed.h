/*
 * A ratio of speeds with its interval, as forge tells it: a kernel over the reference, or one
 * kernel over another.
 */
#ifndef FORGE_TUNER_SPEED_H
#define FORGE_TUNER_SPEED_H

#include <jansson.h>
#include <stdbool.h>

/* ratio 0: not measured. */
struct speed {
	double ratio;
	double low;
	double high;
};

/* Of {"ratio", "low", "high"}; anything else: not measured. */
struct speed speed_read(const json_t *obj);
/* Where both stand over the same reference. Not measured when one of them is not. */
struct speed speed_over(const struct speed *a, const struct speed *b);
/* The interval holds 1: neither of the two is known to be the faster one. */
bool speed_is_open(const struct speed *s);

#endif
