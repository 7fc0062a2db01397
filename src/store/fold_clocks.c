#include "store/fold.h"

/* Clocks beside the working time: what the seconds of a run's jobs went into. Sums only; the raw
 * numbers stand in job_done. */

#include "base/json.h"
#include "store/fold_in.h"

/* A person who thinks for a day has used up no budget (docs/decision/0012). */
double fold_waited(struct fold *f)
{
	double waited_s = json_real_or(f->body, "waited_s", 0);
	f->s->clocks.person_s += waited_s;
	return waited_s;
}

/* A host's queue (docs/decision/0007), in a job that was cut short. */
void fold_queued(struct fold *f)
{
	f->s->clocks.queue_s += json_real_or(f->body, "queue_s", 0);
}

double state_free_s(const struct state_clocks *c)
{
	return c->queue_s + c->person_s;
}

void fold_job_cost(struct fold *f, struct state_job *job)
{
	const json_t *cost = json_object_get(f->body, "cost");
	struct state_clocks *c = &f->s->clocks;
	double build_s = json_real_or(cost, "build_s", 0);
	double queue_s = json_real_or(cost, "queue_s", 0);
	double kernel_s = json_real_or(cost, "kernel_s", 0);
	double judge_s = json_real_or(cost, "judge_s", 0);
	double other_s = job->seconds - build_s - queue_s - kernel_s - judge_s;
	job->queue_s = queue_s;
	c->build_s += build_s;
	c->queue_s += queue_s;
	c->kernel_s += kernel_s;
	c->judge_s += judge_s;
	c->other_s += other_s > 0 ? other_s : 0;
}
