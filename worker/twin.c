#include "worker/twin.h"

/*
 * How inputs are varied is worker/variation.c's. The judge asks the reference here: both sides are
 * within the tolerance of the oracle, so twice that is allowed between them. The oracle is asked
 * only where they differ by more, for the reference was never judged on these inputs and may be the
 * one that is wrong. Which rounds are followed by a twin, and which of its calls are judged, is
 * drawn from the job's secret, so that a kernel can neither behave for them nor tell them from
 * others.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "worker/mixing.h"
#include "worker/oracle.h"
#include "worker/pages.h"
#include "worker/rotation.h"
#include "worker/variation.h"

enum { LEAST_TWINS = 2, MOST_TWINS = 4, MOST_MIXED = 2, ROUNDS_PER_TWIN = 12 }; /* of a replicate */
enum { MAX_JUDGED = 4, MIX_SLACK = 16, MANY_REPLICATES = 8 };
/* Of the calls that are judged together: small answers are many, and cost little. */
static const size_t max_judged_bytes = (size_t)1 << 20;

/* Whoever is awake longer than this is looked at after its next slot. */
#define MAX_AWAKE_NS (50 * NS_PER_MS)

/* What an inout tensor is restored from, as it was. */
struct kept {
	unsigned char *at;
	unsigned char *was;
	size_t bytes;
};

/* A call whose answer is judged; all are timed. */
struct judged {
	unsigned set;
	unsigned char **reference; /* copies of the reference's outputs there, by argument */
};

/* One twin under way. */
struct pair {
	struct bench *b;
	const struct twin_spec *how;
	const struct plan *plan;
	bool is_strange; /* its judged calls hold strange rows, and it is not timed */
	struct kept *kept;
	size_t nr_kept;
	struct judged judged[MAX_JUDGED];
	unsigned nr_judged;
	uint64_t salt; /* of the poison */
	double ns[SLOT_NR];
	uint64_t wait_ns[SLOT_NR];
};

/* Does any content of the plan have an input that can be varied? */
static bool is_possible(const struct plan *p)
{
	for (size_t k = 0; k < p->nr_contents; k++)
		for (size_t i = 0; i < p->s->fp.nr; i++)
			if (variation_is_possible(&p->s->fp.items[i], p->contents[k]->group))
				return true;
	return false;
}

/* Can rows of any input that kernels only read be mixed? */
static bool can_be_strange(const struct plan *p)
{
	for (size_t i = 0; i < p->s->fp.nr; i++)
		if (!p->s->fp.items[i].is_written && mixing_is_possible(p->s, i))
			return true;
	return false;
}

/* Inputs that kernels only read are varied where they lie: every call gets inputs of its own. */
static void vary_set(struct pair *p, unsigned set)
{
	const struct footprint *fp = &p->plan->s->fp;
	const struct group *group = plan_content(p->plan, set)->group;
	for (size_t i = 0; i < fp->nr; i++)
		if (!fp->items[i].is_written && variation_is_possible(&fp->items[i], group))
			variation_make(&fp->items[i], group,
				       rotation_at(p->b->rotation, p->plan, set, i), &p->b->rng);
}

/* What kernels write is restored before every call, so it is varied where it comes from. */
static void vary_source(struct pair *p, struct content *c)
{
	for (size_t i = 0; i < c->fp->nr; i++) {
		const struct operand *o = &c->fp->items[i];
		if (!o->is_written || !variation_is_possible(o, c->group))
			continue;
		struct kept *k = &p->kept[p->nr_kept++];
		*k = (struct kept){ .at = c->in[i], .was = xmalloc(o->bytes), .bytes = o->bytes };
		memcpy(k->was, k->at, k->bytes);
		variation_make(o, c->group, k->at, &p->b->rng);
	}
}

static int mix_set(struct pair *p, unsigned set, struct err *e)
{
	struct bench *b = p->b;
	const struct shape_cases *s = p->plan->s;
	struct mixing how = { .cases = s,
			      .base = (size_t)(plan_content(p->plan, set) - s->contents),
			      .is_rare = rng_below(&b->rng, 2) };
	for (how.arg = 0; how.arg < s->fp.nr; how.arg++) {
		how.seed = rng_next(&b->rng);
		if (!s->fp.items[how.arg].is_written && mixing_is_possible(s, how.arg) &&
		    mixing_make(&how, rotation_at(b->rotation, p->plan, set, how.arg), e) < 0)
			return -1;
	}
	return 0;
}

static int mix_inputs(struct pair *p, struct err *e)
{
	for (unsigned i = 0; i < p->nr_judged; i++)
		if (mix_set(p, p->judged[i].set, e) < 0)
			return -1;
	return 0;
}

static void vary_inputs(struct pair *p)
{
	const struct plan *plan = p->plan;
	p->kept = xcalloc(size_mul(plan->nr_contents, plan->s->fp.nr), sizeof(*p->kept));
	for (unsigned call = 0; call < plan->nr_calls; call++)
		vary_set(p, plan_set(plan, p->how->turn->round, call));
	for (size_t i = 0; i < plan->nr_contents; i++)
		if (i < plan->nr_groups || plan->contents[i] != plan->contents[i - plan->nr_groups])
			vary_source(p, plan->contents[i]);
}

static void restore_set(const struct pair *p, unsigned set)
{
	const struct footprint *fp = &p->plan->s->fp;
	for (size_t i = 0; i < fp->nr; i++)
		if (fp->items[i].is_tensor && fp->items[i].is_input && !fp->items[i].is_written)
			rotation_restore(p->b->rotation, p->plan, set, i);
}

static void restore_inputs(struct pair *p)
{
	for (unsigned i = 0; p->is_strange && i < p->nr_judged; i++)
		restore_set(p, p->judged[i].set);
	for (unsigned call = 0; !p->is_strange && call < p->plan->nr_calls; call++)
		restore_set(p, plan_set(p->plan, p->how->turn->round, call));
	while (p->nr_kept) {
		struct kept *k = &p->kept[--p->nr_kept];
		memcpy(k->at, k->was, k->bytes);
		free(k->was);
	}
}

/* All, or some at random; the same one may be drawn twice. */
static void draw_judged(struct pair *p)
{
	const unsigned nr = p->plan->nr_calls;
	const size_t bytes = p->plan->s->fp.output_bytes;
	const size_t most = bytes ? max_judged_bytes / bytes : MAX_JUDGED;
	p->nr_judged = nr < MAX_JUDGED ? nr : MAX_JUDGED;
	if (most < p->nr_judged)
		p->nr_judged = most ? (unsigned)most : 1;
	for (unsigned i = 0; i < p->nr_judged; i++) {
		unsigned call = p->nr_judged == nr ? i : (unsigned)rng_below(&p->b->rng, nr);
		p->judged[i].set = plan_set(p->plan, p->how->turn->round, call);
	}
}

static int call_side(struct pair *p, enum slot slot, struct verdict *v, struct err *e)
{
	struct bench *b = p->b;
	struct side_time time = { 0 };
	rotation_prepare(b->rotation, p->plan, p->how->turn->round, true, p->salt);
	struct outcome_call call = {
		.side = b->sides[slot],
		.args = b->args,
		.nr_args = p->plan->s->fp.nr,
		.nr_calls = p->plan->nr_calls,
		.copy = slot == SLOT_CANDIDATE ? p->how->candidate_copy : p->how->reference_copy,
		.call_deadline_ns = b->call_deadline_ns,
		.counter_ns = &b->w->spent.kernel_ns,
	};
	if (slot == SLOT_CANDIDATE)
		early_called(&b->early, side_cpu_ns(b->sides[slot]));
	int outcome = outcome_run(b->w, &call, &time, v, e);
	if (slot == SLOT_CANDIDATE && outcome == OUTCOME_DONE &&
	    side_falls_asleep(b->sides[slot], MAX_AWAKE_NS))
		early_asleep(&b->early, side_cpu_ns(b->sides[slot]));
	p->wait_ns[slot] = time.wait_ns;
	p->ns[slot] = time.ns > p->how->null_ns ? (double)(time.ns - p->how->null_ns) : 1;
	return outcome;
}

static void keep_outputs(const struct pair *p, struct judged *j)
{
	const struct footprint *fp = &p->plan->s->fp;
	j->reference = xcalloc(fp->nr, sizeof(*j->reference));
	for (size_t i = 0; i < fp->nr; i++) {
		const struct operand *o = &fp->items[i];
		if (!o->is_output)
			continue;
		j->reference[i] = xmalloc(o->bytes ? o->bytes : 1);
		memcpy(j->reference[i], rotation_at(p->b->rotation, p->plan, j->set, i), o->bytes);
	}
}

/* What the reference answered as the oracle would say it. */
static void *as_wanted(const struct operand *o, const unsigned char *from)
{
	enum dtype t = o->arg->dtype;
	unsigned char *cells = xmalloc(size_mul(o->nr, want_cell_bytes(o)) + 1);
	if (!dtype_is_float(t)) {
		memcpy(cells, from, o->bytes);
		return cells;
	}
	dtype_load_many(t, from, o->nr, (double *)(void *)cells);
	return cells;
}

static struct tolerance tolerance_of_content(const struct pair *p, const struct content *c,
					     size_t arg)
{
	const struct tolerance *own =
		tolerances_find(&p->b->w->tolerances, c->group->name, c->fp->items[arg].arg->name);
	struct tolerance t = own ? *own : (struct tolerance){ 0 };
	t.slice = fmax(t.slice, c->own[arg].slice);
	t.tensor = fmax(t.tensor, c->own[arg].tensor);
	return t;
}

/* Between two sides that are right; among strange rows as the probes allow it. */
static struct tolerance allowed(const struct pair *p, const struct content *c, size_t arg)
{
	const struct shape_cases *s = p->plan->s;
	struct tolerance t = tolerance_of_content(p, c, arg);
	const double factor = p->is_strange ? MIX_SLACK : 2;
	for (size_t i = 0; p->is_strange && i < s->nr; i++) {
		struct tolerance other = tolerance_of_content(p, &s->contents[i], arg);
		t.slice = fmax(t.slice, other.slice);
		t.tensor = fmax(t.tensor, other.tensor);
	}
	t.slice *= factor;
	t.tensor *= factor;
	return t;
}

/* One call's answer, and what it is held against. */
struct question {
	const struct pair *p;
	const struct judged *judged;
	struct content twin; /* its inputs are borrowed */
	bool is_by_oracle;   /* what is wanted lies in pages */
	unsigned char **got;
};

static void question_init(struct question *q, const struct pair *p, const struct judged *judged)
{
	const struct content *seen = plan_content(p->plan, judged->set);
	const size_t nr = seen->fp->nr;
	*q = (struct question){ .p = p, .judged = judged, .twin = *seen };
	q->got = xcalloc(nr, sizeof(*q->got));
	q->twin.in = xcalloc(nr, sizeof(*q->twin.in));
	q->twin.want = xcalloc(nr, sizeof(*q->twin.want));
	q->twin.own = xcalloc(nr, sizeof(*q->twin.own));
	for (size_t i = 0; i < nr; i++) {
		const struct operand *o = &seen->fp->items[i];
		unsigned char *at = rotation_at(p->b->rotation, p->plan, judged->set, i);
		if (seen->in[i])
			q->twin.in[i] = o->is_written ? seen->in[i] : at;
		if (!o->is_output)
			continue;
		q->got[i] = at;
		q->twin.own[i] = allowed(p, seen, i);
		q->twin.want[i] = as_wanted(o, judged->reference[i]);
	}
	q->twin.is_expected = true;
}

static void drop_expected(struct question *q)
{
	for (size_t i = 0; i < q->twin.fp->nr; i++) {
		if (q->is_by_oracle)
			pages_free(q->twin.want[i]);
		else
			free(q->twin.want[i]);
		q->twin.want[i] = NULL;
	}
	q->twin.is_expected = false;
}

static void question_release(struct question *q)
{
	drop_expected(q);
	free(q->twin.in);
	free(q->twin.want);
	free(q->twin.own);
	free(q->got);
}

static int is_right(const struct question *q, unsigned char **got, bool *answer, struct verdict *v,
		    struct err *e)
{
	const struct answer a = { .got = got, .poison_salt = q->p->salt };
	struct judgement j = { 0 };
	if (content_judge(&q->twin, &q->p->b->w->tolerances, &a, &j, e) < 0)
		return -1;
	*v = j.verdict;
	*answer = j.verdict.state == VERDICT_PASS;
	return 0;
}

/* The sides differ. Right is what the oracle says, if it says anything and the reference agrees. */
static int arbitrate(struct question *q, bool *answer, struct verdict *v, struct err *e)
{
	bool is_reference_right = false;
	drop_expected(q);
	q->is_by_oracle = true;
	*answer = true;
	if (oracle_run(q->p->b->w, q->twin.fp, &q->twin, 1, e) < 0) {
		if (e->kind != ERR_INPUT)
			return -1;
		*e = (struct err){ 0 };
		return 0;
	}
	if (is_right(q, q->judged->reference, &is_reference_right, v, e) < 0)
		return -1;
	return is_reference_right ? is_right(q, q->got, answer, v, e) : 0;
}

static int judge_call(const struct pair *p, const struct judged *judged, struct verdict *v,
		      struct err *e)
{
	struct question q;
	bool answer = false;
	question_init(&q, p, judged);
	int rc = is_right(&q, q.got, &answer, v, e);
	if (rc == 0 && !answer)
		rc = arbitrate(&q, &answer, v, e);
	question_release(&q);
	if (rc < 0)
		return -1;
	return answer ? OUTCOME_DONE : OUTCOME_VERDICT;
}

static int judge_calls(const struct pair *p, struct verdict *v, struct err *e)
{
	int outcome = OUTCOME_DONE;
	for (unsigned i = 0; outcome == OUTCOME_DONE && i < p->nr_judged; i++)
		outcome = judge_call(p, &p->judged[i], v, e);
	return outcome;
}

static int run_both(struct pair *p, struct verdict *v, struct err *e)
{
	p->salt = rng_next(&p->b->rng);
	int outcome = call_side(p, SLOT_REFERENCE, v, e);
	if (outcome == OUTCOME_VERDICT)
		return err_set(e, ERR_INPUT, "the reference fails while it is timed: %s: %s",
			       reason_name(v->reason), v->detail);
	if (outcome != OUTCOME_DONE)
		return outcome;
	for (unsigned i = 0; i < p->nr_judged; i++)
		keep_outputs(p, &p->judged[i]);
	outcome = call_side(p, SLOT_CANDIDATE, v, e);
	return outcome == OUTCOME_DONE ? judge_calls(p, v, e) : outcome;
}

/* The slot's sample of the round itself; NULL if there is none. */
static const struct sample *in_round(const struct pair *p, enum slot slot)
{
	const struct result *r = &p->b->w->result;
	for (size_t i = r->nr_samples; i-- > 0 && i + SLOT_NR >= r->nr_samples;)
		if (r->samples[i].slot == slot && r->samples[i].round == p->how->round)
			return r->samples[i].ns ? &r->samples[i] : NULL;
	return NULL;
}

static bool has_waited(const struct pair *p, enum slot slot)
{
	const struct sample *s = in_round(p, slot);
	return twin_waits(p->wait_ns[slot], p->ns[slot]) || twin_waits(s->wait_ns, (double)s->ns);
}

static void note_twin(struct twins *x, const struct pair *p)
{
	const struct sample *candidate = in_round(p, SLOT_CANDIDATE);
	const struct sample *reference = in_round(p, SLOT_REFERENCE);
	if (!candidate || !reference)
		return;
	if (x->nr == x->cap) {
		x->cap = x->cap ? 2 * x->cap : 32;
		x->items = xreallocarray(x->items, x->cap, sizeof(*x->items));
	}
	x->items[x->nr++] = (struct twin){
		.shape = p->how->shape,
		.series = x->series,
		.pass = p->how->pass,
		.candidate = twin_factor(p->ns[SLOT_CANDIDATE], (double)candidate->ns),
		.reference = p->ns[SLOT_REFERENCE] / (double)reference->ns,
		.has_waited = has_waited(p, SLOT_CANDIDATE) || has_waited(p, SLOT_REFERENCE)
	};
}

static void pair_release(struct pair *p)
{
	for (unsigned k = 0; k < p->nr_judged; k++) {
		unsigned char **outputs = p->judged[k].reference;
		for (size_t i = 0; outputs && i < p->plan->s->fp.nr; i++)
			free(outputs[i]);
		free(outputs);
	}
	free(p->kept);
}

/* Large answers take as long to judge as a kernel to make; every replicate shows one. */
static unsigned most_mixed(const struct plan *p)
{
	return p->s->fp.output_bytes > max_judged_bytes ? 1 : MOST_MIXED;
}

/* Short rounds are many, and cost little. Of large answers one twin a replicate is enough where
 * there are many replicates. */
static unsigned nr_per_replicate(const struct job *job, const struct plan *p)
{
	const unsigned nr = p->nr_rounds / ROUNDS_PER_TWIN;
	const bool is_large = p->s->fp.output_bytes > max_judged_bytes;
	if (plan_is_far_apart(p) || (is_large && job->replicates >= MANY_REPLICATES))
		return 1;
	return nr < LEAST_TWINS ? LEAST_TWINS : nr < MOST_TWINS ? nr : MOST_TWINS;
}

/* In later passes half as many, so that one large twin comes or does not. */
static unsigned nr_of_pass(struct bench *b, const struct twin_spec *how)
{
	const unsigned nr = nr_per_replicate(&b->w->job, how->turn->plan);
	return how->pass ? (nr + (unsigned)rng_below(&b->rng, 2)) / 2 : nr;
}

/* As many rounds of each pass as are due, each equally likely: nobody knows that no more will come.
 */
static bool is_due(struct twins *x, struct bench *b, const struct twin_spec *how)
{
	const struct turn *turn = how->turn;
	if (turn->round == 0)
		x->nr_due = nr_of_pass(b, how);
	if (turn->round == 0 && how->pass == 0) {
		x->nr_mixed = 0;
		x->series++;
	}
	bool is_drawn = rng_below(&b->rng, turn->plan->nr_rounds - turn->round) < x->nr_due;
	x->nr_due -= is_drawn ? 1 : 0;
	return is_drawn;
}

static int change_and_run(struct pair *p, struct verdict *v, struct err *e)
{
	draw_judged(p);
	if (!p->is_strange)
		vary_inputs(p);
	else if (mix_inputs(p, e) < 0)
		return -1;
	return run_both(p, v, e);
}

static int run_pair(struct twins *x, struct pair *p, struct verdict *v, struct err *e)
{
	int outcome = change_and_run(p, v, e);
	restore_inputs(p);
	if (outcome == OUTCOME_DONE && !p->is_strange)
		note_twin(x, p);
	pair_release(p);
	return outcome;
}

int twin_run(struct twins *x, struct bench *b, const struct twin_spec *how, struct verdict *v,
	     struct err *e)
{
	const struct plan *plan = how->turn->plan;
	int outcome = OUTCOME_DONE;
	if (!is_due(x, b, how))
		return outcome;
	struct pair twin = { .b = b, .how = how, .plan = plan };
	struct pair strange = { .b = b, .how = how, .plan = plan, .is_strange = true };
	if (is_possible(plan))
		outcome = run_pair(x, &twin, v, e);
	if (outcome != OUTCOME_DONE || x->nr_mixed >= most_mixed(plan) || !can_be_strange(plan))
		return outcome;
	x->nr_mixed++;
	return run_pair(x, &strange, v, e);
}
