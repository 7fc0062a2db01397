#include "store/fold.h"

/* Clocks beside the working time: what the seconds of a run went into, and what each milestone
 * cost. Sums only; the raw numbers stand in agent_turn and job_done. */

#include "base/json.h"
#include "base/str.h"
#include "store/fold_in.h"

static const char *const resource_names[] = { "time", "usd", "tokens" };

const char *state_resource_name(enum state_resource r)
{
	return resource_names[r];
}

/* A turn for a round belongs to the milestone of the round that is open. */
static const char *milestone_of(const struct run_state *s, const char *purpose)
{
	const struct state_round *r = s->nr_rounds ? &s->rounds[s->nr_rounds - 1] : NULL;
	return r && str_starts(purpose, "round-") ? r->milestone : "";
}

/* A person who thinks for a day has used up no budget (docs/decision/0012). */
double fold_waited(struct fold *f)
{
	double waited_s = json_real_or(f->body, "waited_s", 0);
	f->s->clocks.person_s += waited_s;
	return waited_s;
}

double state_free_s(const struct state_clocks *c)
{
	return c->queue_s + c->person_s;
}

void fold_turn_cost(struct fold *f, struct state_turn *turn)
{
	turn->milestone = milestone_of(f->s, turn->purpose);
	turn->seconds = fold_real(f, "seconds");
	turn->tokens = fold_int(f, "tokens");
	turn->usd = fold_real(f, "usd");
	f->s->clocks.agent_s += turn->seconds - fold_waited(f);
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

void on_budget_spent(struct fold *f)
{
	const char *name = fold_text(f, "resource");
	int64_t percent = fold_int(f, "percent");
	for (int i = 0; i < RESOURCE_NR; i++)
		if (str_equal(resource_names[i], name))
			f->s->spent_pct[i] = (unsigned)percent;
}
