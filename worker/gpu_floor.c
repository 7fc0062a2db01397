#include "worker/gpu_floor.h"

/* A copy reads and writes; what only reads gets up to a tenth more out of the same memory. Results
 * may stay in the second-level cache, so that much is not counted, and small work is left out. */

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

static double floor_ns(const struct result_shape *s, double rate, uint64_t l2_bytes)
{
	const double cache = (double)l2_bytes;
	if (rate <= 0 || s->bytes < MIN_CACHES * cache)
		return 0;
	return (s->bytes - cache) / rate * 1e9 / absurd_factor;
}

void gpu_floor_check(struct worker *w, double copy_bytes_per_s, uint64_t l2_bytes)
{
	struct result *r = &w->result;
	for (unsigned i = 0; w->job.is_cold && i < r->nr_shapes; i++) {
		const double call_ns = times_call_ns(r, i, SLOT_CANDIDATE);
		const double least = floor_ns(&r->shapes[i], copy_bytes_per_s, l2_bytes);
		if (r->verdict.state != VERDICT_PASS || call_ns <= 0 || call_ns >= least)
			continue;
		r->verdict = verdict_make(REASON_below_floor,
					  "%.0f ns a call, but its %.0f bytes take %.0f ns on this "
					  "device",
					  call_ns, r->shapes[i].bytes, least);
		snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", r->shapes[i].name);
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
	struct gpu_rates rates = gpu_rates_take(w);
	if (w->gpu && w->gpu->copy_bytes_per_s > 0)
		rates.bytes_per_s = w->gpu->copy_bytes_per_s;
	set_times(w, PARTY_REFERENCE, SLOT_REFERENCE, &rates);
	set_times(w, PARTY_CANDIDATE, SLOT_CANDIDATE, &rates);
}
