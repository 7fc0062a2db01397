/*
 * The ceilings of this machine, measured by the worker itself: how fast it reads memory and how
 * many floating-point operations it does in a second, one thread each. They turn flops and bytes of
 * a task into "percent of roofline"; they are properties of the moment, so every job measures its
 * own.
 */
#ifndef FORGE_WORKER_ROOFLINE_H
#define FORGE_WORKER_ROOFLINE_H

#include <stdint.h>

struct roofline {
	double read_bytes_per_s;
	double f32_flops_per_s; /* 0: not known on this architecture */
	const char *f32_method; /* "avx512f", "avx2+fma", "sse2" */
};

/* Keeps the best of what it sees in `budget_ns`; calling it again on the same struct only raises
 * it. */
void roofline_measure(struct roofline *r, uint64_t budget_ns);

#endif
