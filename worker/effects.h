/*
 * What the order and the course of the rounds did to a shape's times: trends, and whether it
 * matters who ran before. Numbers for whoever reads a result; they decide nothing.
 */
#ifndef FORGE_WORKER_EFFECTS_H
#define FORGE_WORKER_EFFECTS_H

#include <jansson.h>

struct result;

/* Means over the replicates; 0 where too few rounds tell. Correlations are Spearman's, the others
 * ln: 0.01 is 1 %. */
struct effects {
	double drift;           /* of ln(R/C) with the round */
	double reference_drift; /* of R's time with the round */
	double carry_over;      /* ln(R/C) where R ran before C, less where it ran after */
	double after_candidate; /* ln of a reference's time right after C over right after R or R'
				 */
};

struct effects effects_of(const struct result *r, unsigned shape);
json_t *effects_to_json(const struct effects *x);

#endif
