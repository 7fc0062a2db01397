#include "worker/gpu_floor.h"

/* A copy reads and writes; what only reads gets up to a tenth more out of the same memory. Results
 * may stay in the second-level cache, so that much is not counted, and small work is left out. The
 * matrix units were measured in bf16 and compute nothing wider faster; numbers of a byte, or two in
 * one, go up to four times as fast, and an algorithm may need a quarter of what the task states (as
 * worker/floor.c has it). */

#include <stddef.h>
#include <stdio.h>

#include "base/json.h"
#include "worker/gpu_bench.h"
#include "worker/gpu_roofline.h"
#include "worker/profile.h"
#include "worker/times.h"
#include "worker/worker.h"

static const double absurd_factor = 1.3;
enum { MIN_CACHES = 4 };

static const double absurd_flops_factor = 4;
static const double narrow_lanes = 4;
/* Some microseconds of the fastest device there is: below, an event would be measured. */
static const double min_flops = 4e9;

static double floor_ns(const struct result_shape *s, double rate, uint64_t l2_bytes)
{
	const double cache = (double)l2_bytes;
	if (rate <= 0 || s->bytes < MIN_CACHES * cache)
		return 0;
	return (s->bytes - cache) / rate * 1e9 / absurd_factor;
}

static bool has_byte_tensor(const struct task *t)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role != ARG_SCALAR && dtype_bytes(t->args[i].dtype) == 1)
			return true;
	return false;
}

static double flops_floor_ns(const struct worker *w, const struct result_shape *s, double rate)
{
	const double lanes = has_byte_tensor(&w->task) ? narrow_lanes : 1;
	if (rate <= 0 || s->flops < min_flops)
		return 0;
	return s->flops / rate * 1e9 / absurd_flops_factor / lanes;
}

static void accuse(struct result *r, unsigned i, double amount, const char *what, double least)
{
	r->verdict = verdict_make(REASON_below_floor,
				  "%.0f ns a call, but its %.0f %s take %.0f ns on this device",
				  times_call_ns(r, i, SLOT_CANDIDATE), amount, what, least);
	snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", r->shapes[i].name);
}

void gpu_floor_check(struct worker *w, const struct gpu_rates *rates, uint64_t l2_bytes)
{
	struct result *r = &w->result;
	for (unsigned i = 0; i < r->nr_shapes && r->verdict.state == VERDICT_PASS; i++) {
		const struct result_shape *s = &r->shapes[i];
		const double call_ns = times_call_ns(r, i, SLOT_CANDIDATE);
		const double bytes_ns =
			w->job.is_cold ? floor_ns(s, rates->bytes_per_s, l2_bytes) : 0;
		const double flops_ns = flops_floor_ns(w, s, rates->most_flops_per_s);
		if (call_ns <= 0)
			continue;
		if (call_ns < bytes_ns)
			accuse(r, i, s->bytes, "bytes", bytes_ns);
		else if (call_ns < flops_ns)
			accuse(r, i, s->flops, "flops", flops_ns);
	}
}

static void set_times(struct worker *w, enum party p, enum slot slot, const struct gpu_rates *rates)
{
	const struct result *r = &w->result;
	const struct result_shape *s = &r->shapes[profile_largest_shape(r)];
	const double ns = times_call_ns(r, profile_largest_shape(r), slot);
	profile_set(w, p, "call_ns", times_geomean_ns(r, slot));
	if (ns <= 0)
		return;
	profile_set(w, p, "largest_call_ns", ns);
	profile_set(w, p, "gbytes_per_s", s->bytes / ns);
	profile_set(w, p, "gflops_per_s", s->flops / ns);
	if (rates->bytes_per_s > 0)
		profile_set(w, p, "copy_rate_pct", 100 * s->bytes / rates->bytes_per_s * 1e9 / ns);
	if (rates->flops_per_s > 0)
		profile_set_place(w, p,
				  ceilings_place(rates->bytes_per_s, rates->flops_per_s, s->bytes,
						 s->flops, ns));
}

void gpu_profile_finish(struct worker *w)
{
	profile_set_facts(w, PARTY_REFERENCE);
	profile_set_facts(w, PARTY_CANDIDATE);
	if (w->result.nr_samples == 0)
		return;
	/* What the device copied in this very job is nearer than what it once did. */
	struct gpu_rates rates = gpu_bench_rates(w);
	if (w->gpu && w->gpu->copy_bytes_per_s > 0)
		rates.bytes_per_s = w->gpu->copy_bytes_per_s;
	set_times(w, PARTY_REFERENCE, SLOT_REFERENCE, &rates);
	set_times(w, PARTY_CANDIDATE, SLOT_CANDIDATE, &rates);
}
