#include "worker/gpu_twin.h"

/*
 * The varied inputs are contents of their own in the device process, restored like all others, so a
 * kernel can not tell a twin's sample by how it is prepared. All its calls are timed; the outputs
 * of one of them, drawn from the job's secret, are held against the reference's there, with twice
 * the tolerance, and the oracle is asked where they differ by more.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "worker/oracle.h"
#include "worker/outcome.h"
#include "worker/pages.h"
#include "worker/variation.h"

enum {
	MAX_CONTENTS = 64, /* of a device process */
	MANY_REPLICATES = 8,
	TWINS_OF_FEW = 2, /* in a replicate; of many each has one, or half of them if it is large */
};
static const size_t max_twin_bytes = (size_t)512 << 20;
static const size_t large_bytes = (size_t)1 << 20; /* of outputs: they are read and compared */
static const size_t slow_bytes = (size_t)16 << 20; /* they are compared in a second */
static const double slack = 2;

struct pair {
	struct gpu_trial *t;
	struct gpu_plan *plan;
	unsigned round;
	unsigned from;              /* call of the first twin */
	unsigned judged;            /* twin */
	const struct content *base; /* what its inputs were made of */
	unsigned char **in;         /* its inputs, by argument */
	unsigned char **wanted;     /* the reference's outputs */
	unsigned char **got;
	uint64_t salt; /* of the candidate's poison */
	double ns[SLOT_NR];
};

static bool can_vary(const struct gpu_plan *p)
{
	for (unsigned k = 0; k < p->nr_contents; k++)
		for (size_t i = 0; i < p->s->fp.nr; i++)
			if (p->s->fp.items[i].is_input &&
			    variation_is_possible(&p->s->fp.items[i], p->contents[k]->group))
				return true;
	return false;
}

unsigned gpu_twins_fit(const struct gpu_plan *p)
{
	const size_t bytes = p->s->fp.input_bytes;
	size_t most = bytes ? max_twin_bytes / bytes : 1;
	if (p->nr_contents >= MAX_CONTENTS || !can_vary(p))
		return 0;
	most = most < 1 ? 1 : most;
	most = most < MAX_CONTENTS - p->nr_contents ? most : MAX_CONTENTS - p->nr_contents;
	most = p->nr_calls < most ? p->nr_calls : most;
	/* Whole turns: a window of twins is held against the other windows. */
	return (unsigned)(most > p->nr_groups ? most - most % p->nr_groups : most);
}

unsigned gpu_twin_content(const struct gpu_plan *p, unsigned round, unsigned from, unsigned call)
{
	const unsigned nr = (call + p->nr_calls - from) % p->nr_calls;
	if (p->nr_twins < p->nr_groups && nr >= p->nr_twins)
		return gpu_plan_content(p, round, call);
	return p->nr_contents + nr % p->nr_twins;
}

static unsigned nr_due(struct gpu_trial *t, const struct gpu_plan *p)
{
	if (t->w->job.replicates < MANY_REPLICATES)
		return TWINS_OF_FEW;
	return p->s->fp.output_bytes > large_bytes ? (unsigned)rng_below(&t->rng, 2) : 1;
}

/* As many rounds as are due, each equally likely. */
static bool is_due(struct gpu_trial *t, const struct gpu_plan *p, unsigned round)
{
	struct twins *x = &t->twins;
	if (round == 0) {
		x->nr_due = nr_due(t, p);
		x->series++;
	}
	const bool is_drawn = rng_below(&t->rng, p->nr_rounds - round) < x->nr_due;
	x->nr_due -= is_drawn ? 1 : 0;
	return is_drawn;
}

static unsigned call_of(const struct pair *p, unsigned twin)
{
	return (p->from + twin) % p->plan->nr_calls;
}

/* What lies in the device's shared memory. */
static int upload(struct pair *p, struct gpu_device *d, unsigned nr, size_t arg, struct err *e)
{
	return gpu_device_ask(d, p->t->w, NULL, e, "content nr=%u arg=%zu from=0",
			      p->plan->nr_contents + nr, arg);
}

static void keep_input(struct pair *p, size_t arg, const unsigned char *bytes)
{
	const size_t len = p->plan->s->fp.items[arg].bytes;
	p->in[arg] = pages_new(len);
	memcpy(p->in[arg], bytes, len);
}

/* One input of one twin: varied where it is handed over. */
static int make_input(struct pair *p, const struct content *base, unsigned nr, size_t arg,
		      struct err *e)
{
	const struct operand *o = &p->plan->s->fp.items[arg];
	unsigned char *at = p->t->device->shared.addr;
	memcpy(at, base->in[arg], o->bytes);
	if (variation_is_possible(o, base->group))
		variation_make(o, base->group, at, &p->t->rng);
	if (nr == p->judged)
		keep_input(p, arg, at);
	if (p->t->apart) {
		memcpy(p->t->apart->shared.addr, at, o->bytes);
		if (upload(p, p->t->apart, nr, arg, e) < 0)
			return -1;
	}
	return upload(p, p->t->device, nr, arg, e);
}

static int make_twins(struct pair *p, struct err *e)
{
	for (unsigned nr = 0; nr < p->plan->nr_twins; nr++) {
		const struct content *base =
			p->plan->contents[gpu_plan_content(p->plan, p->round, call_of(p, nr))];
		if (nr == p->judged)
			p->base = base;
		for (size_t i = 0; i < base->fp->nr; i++)
			if (base->in[i] && make_input(p, base, nr, i, e) < 0)
				return -1;
	}
	return 0;
}

static int call_slot(struct pair *p, enum slot slot, unsigned char **to, struct verdict *v,
		     struct err *e)
{
	struct gpu_turn turn = { .plan = p->plan,
				 .round = p->round,
				 .first = p->round % p->plan->nr_windows * p->plan->nr_calls,
				 .slot = slot };
	int outcome = OUTCOME_DONE;
	/* The sample that pays for the change of contexts must not show the twin. */
	if (p->t->apart)
		outcome = gpu_turn_fire(p->t, &turn, v, e);
	turn.is_twin = true;
	turn.twin_from = p->from;
	if (outcome == OUTCOME_DONE)
		outcome = gpu_turn_fire(p->t, &turn, v, e);
	if (outcome == OUTCOME_VERDICT && slot == SLOT_REFERENCE)
		return err_set(e, ERR_INPUT, "the reference fails while it is timed: %s: %s",
			       reason_name(v->reason), v->detail);
	if (outcome != OUTCOME_DONE)
		return outcome;
	p->ns[slot] = turn.event_ns;
	p->salt = turn.salt;
	return gpu_turn_read(p->t, &turn, call_of(p, p->judged), to, e) < 0 ? -1 : OUTCOME_DONE;
}

/* What the reference answered as the oracle would say it. */
static void *as_wanted(const struct operand *o, const unsigned char *from)
{
	const enum dtype t = o->arg->dtype;
	void *cells = pages_new(size_mul(o->nr, want_cell_bytes(o)));
	if (dtype_is_float(t))
		dtype_load_many(t, from, o->nr, cells);
	else
		memcpy(cells, from, o->bytes);
	return cells;
}

static struct tolerance allowed(const struct pair *p, size_t arg)
{
	const struct content *c = p->base;
	const struct tolerance *own =
		tolerances_find(&p->t->w->tolerances, c->group->name, c->fp->items[arg].arg->name);
	struct tolerance t = own ? *own : (struct tolerance){ 0 };
	t.slice = slack * fmax(t.slice, c->own[arg].slice);
	t.tensor = slack * fmax(t.tensor, c->own[arg].tensor);
	return t;
}

/* The judged call as a case; its inputs are borrowed. */
static struct content question_new(const struct pair *p)
{
	struct content q = *p->base;
	q.in = p->in;
	q.want = xcalloc(q.fp->nr + 1, sizeof(*q.want));
	q.own = xcalloc(q.fp->nr + 1, sizeof(*q.own));
	for (size_t i = 0; i < q.fp->nr; i++) {
		if (!q.fp->items[i].is_output)
			continue;
		q.own[i] = allowed(p, i);
		q.want[i] = as_wanted(&q.fp->items[i], p->wanted[i]);
	}
	q.is_expected = true;
	return q;
}

static void question_forget(struct content *q)
{
	for (size_t i = 0; i < q->fp->nr; i++)
		pages_free(take_ptr(&q->want[i]));
	q->is_expected = false;
}

static void question_release(struct content *q)
{
	question_forget(q);
	free(q->want);
	free(q->own);
}

static int is_right(const struct pair *p, const struct content *q, unsigned char **got,
		    struct verdict *v, struct err *e)
{
	const struct answer a = { .got = got, .poison_salt = p->salt };
	struct judgement j = { 0 };
	if (content_judge(q, &p->t->w->tolerances, &a, &j, e) < 0)
		return -1;
	*v = j.verdict;
	return j.verdict.state == VERDICT_PASS;
}

/* The sides differ. Right is what the oracle says, if it says anything and the reference agrees. */
static int arbitrate(const struct pair *p, struct content *q, struct verdict *v, struct err *e)
{
	question_forget(q);
	if (oracle_run(p->t->w, q->fp, q, 1, e) < 0) {
		if (e->kind != ERR_INPUT)
			return -1;
		*e = (struct err){ 0 };
		return 1;
	}
	const int rc = is_right(p, q, p->wanted, v, e);
	return rc == 1 ? is_right(p, q, p->got, v, e) : rc == 0 ? 1 : -1;
}

/* Millions of elements take seconds: meanwhile others may have the device. */
static int is_right_apart(const struct pair *p, const struct content *q, struct verdict *v,
			  struct err *e)
{
	if (p->plan->s->fp.output_bytes < slow_bytes)
		return is_right(p, q, p->got, v, e);
	gpu_bench_lend(p->t->w);
	const int rc = is_right(p, q, p->got, v, e);
	if (rc < 0)
		return -1;
	return gpu_bench_take_back(p->t->w, e) < 0 ? -1 : rc;
}

static int judge(const struct pair *p, struct verdict *v, struct err *e)
{
	AUTO_SPEND(p->t->w, judge_ns);
	struct verdict found = { 0 };
	struct content q = question_new(p);
	int rc = is_right_apart(p, &q, &found, e);
	if (rc == 0)
		rc = arbitrate(p, &q, &found, e);
	question_release(&q);
	if (rc != 0)
		return rc < 0 ? -1 : OUTCOME_DONE;
	*v = found;
	snprintf(v->shape, sizeof(v->shape), "%s", p->plan->s->shape->name);
	snprintf(v->group, sizeof(v->group), "%s", p->base->group->name);
	return OUTCOME_VERDICT;
}

/* The slot's sample of the round itself; 0: there is none. */
static double round_ns(const struct pair *p, enum slot slot)
{
	const struct result *r = &p->t->w->result;
	for (size_t i = r->nr_samples; i-- > 0 && i + SLOT_NR >= r->nr_samples;)
		if (r->samples[i].slot == slot && r->samples[i].round == p->round)
			return (double)r->samples[i].ns;
	return 0;
}

static void note_twin(struct pair *p)
{
	struct twins *x = &p->t->twins;
	const double candidate = round_ns(p, SLOT_CANDIDATE);
	const double reference = round_ns(p, SLOT_REFERENCE);
	if (candidate <= 0 || reference <= 0)
		return;
	if (x->nr == x->cap) {
		x->cap = x->cap ? 2 * x->cap : 32;
		x->items = xreallocarray(x->items, x->cap, sizeof(*x->items));
	}
	x->items[x->nr++] = (struct twin){
		.shape = (unsigned)(p->plan - p->t->plans),
		.series = x->series,
		.candidate = twin_factor(p->ns[SLOT_CANDIDATE], candidate),
		.reference = p->ns[SLOT_REFERENCE] / reference,
	};
}

static int run_pair(struct pair *p, struct verdict *v, struct err *e)
{
	if (make_twins(p, e) < 0)
		return -1;
	int outcome = call_slot(p, SLOT_REFERENCE, p->wanted, v, e);
	if (outcome == OUTCOME_DONE)
		outcome = call_slot(p, SLOT_CANDIDATE, p->got, v, e);
	if (outcome == OUTCOME_DONE)
		outcome = judge(p, v, e);
	if (outcome == OUTCOME_DONE)
		note_twin(p);
	return outcome;
}

static void free_all(unsigned char **bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		pages_free(bytes[i]);
	free(bytes);
}

int gpu_twin_run(struct gpu_trial *t, struct gpu_plan *plan, unsigned round, struct verdict *v,
		 struct err *e)
{
	AUTO_SPEND(t->w, prepare_ns);
	const size_t nr = plan->s->fp.nr;
	if (plan->nr_twins == 0 || !is_due(t, plan, round))
		return OUTCOME_DONE;
	struct pair p = { .t = t,
			  .plan = plan,
			  .round = round,
			  .from = (unsigned)rng_below(&t->rng, plan->nr_calls),
			  .judged = (unsigned)rng_below(&t->rng, plan->nr_twins),
			  .in = xcalloc(nr + 1, sizeof(*p.in)),
			  .wanted = xcalloc(nr + 1, sizeof(*p.wanted)),
			  .got = xcalloc(nr + 1, sizeof(*p.got)) };
	const int outcome = run_pair(&p, v, e);
	free_all(p.in, nr);
	free_all(p.wanted, nr);
	free_all(p.got, nr);
	return outcome;
}
