/*
 * From the raw samples of a job to the estimate that is recorded: pairs the samples by round and
 * asks stats for the decision rule.
 */
#ifndef FORGE_ENGINE_PAIRING_H
#define FORGE_ENGINE_PAIRING_H

#include <stdbool.h>

struct arena;
struct err;
struct result;
struct state_estimate;
struct strv;

struct pairing_spec {
	const struct result *result;
	const char *purpose;
	const char *comparator;
};

/* Text of `est` lives in `a`. A result without samples is ERR_INPUT. */
int pairing_estimate(const struct pairing_spec *spec, struct arena *a, struct state_estimate *est,
		     struct err *e);
/* Geometric mean over the visible shapes of the reference's time; 0: none. */
double pairing_reference_geomean(const struct state_estimate *est);
/* Shapes, held-out ones too, at which the candidate is SLOWER and loses more than this share of the
 * reference's speed. */
void pairing_lost_shapes(const struct state_estimate *est, double allowed, struct strv *names);
bool estimate_is(const struct state_estimate *est, const char *call);

#endif
