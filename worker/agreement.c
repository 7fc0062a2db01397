#include "worker/agreement.h"

/*
 * Outside minus inside is the way of the bell, a few microseconds, or a late wake-up on a busy or
 * sleepy machine: a core that waits long for a slow side sleeps deeper and wakes later. So a gap
 * accuses where no wake-up explains it: when the inside took longer than the outside around it, or
 * when the candidate's median gap is far beyond what the reference's shows of the machine.
 */

#include "base/clock.h"
#include "worker/times.h"

/* Far beyond what a wake-up adds to a median, and a tenth of the window at least. */
#define MIN_GAP_NS (50 * (double)NS_PER_US)
static const double min_gap_share = 0.10;

/* Nanoseconds that nothing explains: below 0 the runner saw more than the worker, 0: all is well.
 */
static double unexplained_ns(double candidate_ns, double reference_ns, double window_ns)
{
	double least =
		min_gap_share * window_ns > MIN_GAP_NS ? min_gap_share * window_ns : MIN_GAP_NS;
	double usual = reference_ns > 0 ? reference_ns : 0;
	if (candidate_ns < -least)
		return candidate_ns;
	double excess = candidate_ns - usual;
	return excess > least && excess > usual ? excess : 0;
}

static const char *first_disagreement(const struct result *r, double *gap_ns)
{
	for (unsigned i = 0; i < r->nr_shapes; i++) {
		*gap_ns = unexplained_ns(times_gap_ns(r, i, SLOT_CANDIDATE),
					 times_gap_ns(r, i, SLOT_REFERENCE),
					 times_window_ns(r, i, SLOT_CANDIDATE));
		if (*gap_ns < 0 || *gap_ns > 0)
			return r->shapes[i].name;
	}
	return NULL;
}

void agreement_check(struct worker *w)
{
	struct result *r = &w->result;
	double gap_ns = 0;
	if (r->verdict.state != VERDICT_PASS)
		return;
	const char *shape = first_disagreement(r, &gap_ns);
	if (!shape)
		return;
	r->verdict = verdict_make(
		REASON_clock_disagrees, "the runner's clock saw %.0f us %s than the worker's",
		(gap_ns < 0 ? -gap_ns : gap_ns) / 1e3, gap_ns < 0 ? "more" : "less");
	snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", shape);
}
