#include "worker/early.h"

/*
 * Standing ready takes a wake-up and some address arithmetic, the same on all sides. What disturbs
 * it only ever adds, so lower quartiles are compared, and R against R' says how far they scatter.
 */

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "stats/summary.h"
#include "worker/times.h"
#include "worker/worker.h"

/* Below, nothing is gained that the rule could see: a twentieth of the window. */
static const double min_share = 0.05;
static const double min_ns = 5e3;
/* How far two quartiles of one side may lie apart is known from two of them only. */
static const double scatter_factor = 3;
static const double contended_factor = 4;

/* A sleeper's CPU clock stands still; some events of the system wake it for a moment. */
static const uint64_t awake_ns = 5 * NS_PER_US;
enum { MIN_SLEEPS = 8, AWAKE_ONE_IN = 4 };

void early_release(struct early *x)
{
	free(x->items);
	*x = (struct early){ 0 };
}

void early_note(struct early *x, unsigned shape, enum slot slot, uint64_t ns)
{
	if (x->nr == x->cap) {
		x->cap = x->cap ? 2 * x->cap : 256;
		x->items = xreallocarray(x->items, x->cap, sizeof(*x->items));
	}
	x->items[x->nr++] = (struct early_time){ .shape = shape, .slot = slot, .ns = (double)ns };
}

void early_asleep(struct early *x, uint64_t cpu_ns)
{
	x->asleep_cpu_ns = cpu_ns;
}

void early_called(struct early *x, uint64_t cpu_ns)
{
	if (!x->asleep_cpu_ns)
		return;
	x->nr_sleeps++;
	x->nr_awake += cpu_ns > x->asleep_cpu_ns + awake_ns;
	x->asleep_cpu_ns = 0;
}

static double quartile(const struct early *x, unsigned shape, enum slot slot)
{
	AUTO_FREE double *values = xcalloc(x->nr + 1, sizeof(*values));
	size_t nr = 0;
	for (size_t i = 0; i < x->nr; i++)
		if (x->items[i].shape == shape && x->items[i].slot == slot)
			values[nr++] = x->items[i].ns;
	return nr ? summary_quantile(values, nr, 0.25) : (double)NAN;
}

/* How much longer than allowed the candidate took to stand ready; NaN: unknown. */
static double excess_ns(const struct early *x, const struct result *r, unsigned shape)
{
	const double reference = quartile(x, shape, SLOT_REFERENCE);
	const double again = quartile(x, shape, SLOT_REFERENCE_AGAIN);
	const double share = min_share * times_window_ns(r, shape, SLOT_CANDIDATE);
	const double least = fmax(min_ns, share) + scatter_factor * fabs(reference - again);
	const double allowed = r->is_contended ? contended_factor * least : least;
	const double more = quartile(x, shape, SLOT_CANDIDATE) - fmax(reference, again);
	return more > allowed ? more : 0;
}

static void check_ready(const struct early *x, struct result *r)
{
	for (unsigned i = 0; r->verdict.state == VERDICT_PASS && i < r->nr_shapes; i++) {
		const double excess = excess_ns(x, r, i);
		if (!(excess > 0))
			continue;
		r->verdict = verdict_make(REASON_clock_disagrees,
					  "it worked before the clock started: it took %.0f us "
					  "longer than the reference to stand ready",
					  excess / 1e3);
		snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", r->shapes[i].name);
	}
}

void early_check(const struct early *x, struct worker *w)
{
	struct result *r = &w->result;
	check_ready(x, r);
	if (r->verdict.state == VERDICT_PASS && x->nr_sleeps >= MIN_SLEEPS &&
	    x->nr_awake > x->nr_sleeps / AWAKE_ONE_IN)
		r->verdict = verdict_make(REASON_cpu_after_return,
					  "it used a CPU between its calls, %u times of %u",
					  x->nr_awake, x->nr_sleeps);
}
