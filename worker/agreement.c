#include "worker/agreement.h"

/*
 * Outside minus inside is the way of the bell, a few microseconds, or a late wake-up on a busy
 * machine. Either is the same for both sides, so the candidate's median gap is held against the
 * reference's: what remains is not the machine's.
 */

#include "base/clock.h"
#include "worker/times.h"

/* Far beyond what a wake-up adds to a median, and a tenth of the window at least. */
#define MIN_GAP_NS (50 * (double)NS_PER_US)
static const double min_gap_share = 0.10;

static const char *first_disagreement(const struct result *r, double *gap_ns)
{
	for (unsigned i = 0; i < r->nr_shapes; i++) {
		double reference = times_gap_ns(r, i, SLOT_REFERENCE);
		*gap_ns = times_gap_ns(r, i, SLOT_CANDIDATE) - reference;
		double size = *gap_ns < 0 ? -*gap_ns : *gap_ns;
		double window = times_window_ns(r, i, SLOT_CANDIDATE);
		if (size > MIN_GAP_NS && size > min_gap_share * window)
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
