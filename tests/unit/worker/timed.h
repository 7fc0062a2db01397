/*
 * A job whose trial is over, made by hand: what the checks of its numbers look at.
 */
#ifndef FORGE_TEST_TIMED_H
#define FORGE_TEST_TIMED_H

#include "base/mem.h"
#include "worker/worker.h"

enum { TIMED_ROUNDS = 5 };

/* A timed job with one shape of 64 MiB: both sides take `ns` by the worker's clock, the candidate
 * `inner_ns` by the runner's. */
struct timed {
	struct worker w;
	struct result_shape shape;
	struct sample samples[2 * TIMED_ROUNDS];
};

static inline void timed_init(struct timed *t, uint64_t ns, uint64_t inner_ns)
{
	*t = (struct timed){ 0 };
	t->shape = (struct result_shape){ .name = "n", .bytes = 64 << 20 };
	for (unsigned i = 0; i < 2 * TIMED_ROUNDS; i++) {
		bool is_candidate = i % 2 == 1;
		t->samples[i] = (struct sample){ .round = i / 2, .calls = 2, .ns = ns };
		t->samples[i].slot = is_candidate ? SLOT_CANDIDATE : SLOT_REFERENCE;
		t->samples[i].inner_ns = is_candidate ? inner_ns : ns - 1000;
		t->samples[i].cpu_ns = ns / 2;
	}
	t->w.task.threads = 1;
	t->w.job.is_cold = true;
	t->w.result.verdict = verdict_make(REASON_ok, "fine");
	t->w.result.shapes = &t->shape;
	t->w.result.nr_shapes = 1;
	t->w.result.samples = t->samples;
	t->w.result.nr_samples = ARRAY_LEN(t->samples);
}

#endif
