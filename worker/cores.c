#include "worker/cores.h"

/*
 * The count of CPU time is generous: the runner's wait for the bell, its way to sleep and the last
 * spins of a pool are in it (0.26 ms in the median of windows of 0.35 ms with two threads, where
 * six other processes wanted the two cores), and for a thread that runs it lags by up to a tick. So
 * the excess of the median sample has to be a quarter of what was allowed, several times of that
 * spin, and beyond the reference's own; and a contended job accuses nobody. What this can not see
 * in short windows the filter of the runner forbids: it lets nobody start a thread.
 */

#include "base/clock.h"
#include "worker/times.h"

static const double min_share = 0.25;
#define SPIN_NS ((double)NS_PER_MS)

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* CPU time beyond what `threads` cores give in the median window; below 0: less was used. */
static double excess_ns(const struct worker *w, unsigned shape, enum slot slot)
{
	const struct result *r = &w->result;
	return times_cpu_ns(r, shape, slot) - times_window_ns(r, shape, slot) * w->task.threads;
}

static bool used_more(const struct worker *w, unsigned shape)
{
	const double threads = w->task.threads;
	const double allowed = times_window_ns(&w->result, shape, SLOT_CANDIDATE) * threads;
	const double usual = larger(0, excess_ns(w, shape, SLOT_REFERENCE));
	const double least = larger(min_share * allowed, SPIN_NS * threads);
	return allowed > 0 && excess_ns(w, shape, SLOT_CANDIDATE) > usual + least;
}

void cores_check(struct worker *w)
{
	struct result *r = &w->result;
	if (r->verdict.state != VERDICT_PASS || r->is_contended)
		return;
	for (unsigned i = 0; i < r->nr_shapes; i++) {
		if (!used_more(w, i))
			continue;
		r->verdict = verdict_make(REASON_extra_cores,
					  "%.0f us of CPU time in a window of %.0f us; %u thread%s "
					  "allowed",
					  times_cpu_ns(r, i, SLOT_CANDIDATE) / 1e3,
					  times_window_ns(r, i, SLOT_CANDIDATE) / 1e3,
					  w->task.threads, w->task.threads == 1 ? "" : "s");
		snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", r->shapes[i].name);
		return;
	}
}
