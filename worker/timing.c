#include "worker/timing.h"

#include "worker/agreement.h"
#include "worker/floor.h"

static int time_once(struct worker *w, struct cases *cases, timing_trial_fn trial, struct err *e)
{
	w->result.nr_samples = 0;
	if (trial(w, cases, e) < 0)
		return -1;
	floor_check(w);
	agreement_check(w);
	return 0;
}

int timing_run(struct worker *w, struct cases *cases, timing_trial_fn trial, struct err *e)
{
	const struct verdict passed = w->result.verdict;
	for (unsigned tries = 1;; tries++) {
		w->result.verdict = passed;
		if (time_once(w, cases, trial, e) < 0)
			return -1;
		if (w->result.verdict.reason != REASON_clock_disagrees || tries == TIMING_TRIES)
			return 0;
		worker_note(w, "the clocks of runner and worker disagreed: timed once more");
	}
}
