/*
 * Strange rows among ordinary ones (judge/mixture.h), made of the contents of a shape: for the
 * probes of the judge's stage (worker/probe.h) and for what is shown while kernels are timed
 * (worker/twin.h).
 */
#ifndef FORGE_WORKER_MIXING_H
#define FORGE_WORKER_MIXING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct shape_cases;

struct mixing {
	const struct shape_cases *cases; /* all with their inputs */
	size_t arg;
	size_t base;  /* the content whose data are ordinary */
	bool is_rare; /* one row only, which samples are not likely to meet */
	uint64_t seed;
};

/* Is this input drawn so in every group that rows may be mixed? */
bool mixing_is_possible(const struct shape_cases *s, size_t arg);
int mixing_make(const struct mixing *m, unsigned char *out, struct err *e);

#endif
