#include "worker/timing.h"

#include "worker/agreement.h"
#include "worker/cores.h"
#include "worker/floor.h"

static int time_once(struct worker *w, struct cases *cases, timing_trial_fn trial, struct err *e)
{
	w->result.nr_samples = 0;
	if (trial(w, cases, e) < 0)
		return -1;
	floor_check(w);
	cores_check(w);
	agreement_check(w);
	return 0;
}

/* What a busy machine may feign once, or NULL. */
static const char *doubt(const struct verdict *v)
{
	if (v->reason == REASON_clock_disagrees)
		return "the clocks of runner and worker disagreed";
	if (v->reason == REASON_extra_cores)
		return "more CPU time was counted than the threads have";
	return NULL;
}

int timing_run(struct worker *w, struct cases *cases, timing_trial_fn trial, struct err *e)
{
	const struct verdict passed = w->result.verdict;
	for (unsigned tries = 1;; tries++) {
		w->result.verdict = passed;
		if (time_once(w, cases, trial, e) < 0)
			return -1;
		const char *why = doubt(&w->result.verdict);
		if (!why || tries == TIMING_TRIES)
			return 0;
		worker_note(w, "%s: timed once more", why);
	}
}
