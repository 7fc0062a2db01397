#include "worker/twin.h"

/*
 * A hair is one step of the format towards zero: legal wherever the value was, and small beside
 * every tolerance, but another input to whoever compares all of it. The judge asks the reference
 * instead of the oracle here: both are within the tolerance of it, so twice that is allowed.
 * Which rounds are followed by a twin, and which of its calls is judged, is drawn from the job's
 * secret, so that a kernel can neither behave for them nor tell them from others.
 */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "stats/summary.h"
#include "worker/rotation.h"

enum { PER_REPLICATE = 2, CHANGES = 4, MIN_TWINS = 3, MAX_ELEMENT_BYTES = 8 };

/* An honest kernel takes as long for the twin of an input as for the input; the rest is noise. */
static const double suspect_factor = 1.5;
static const double suspect_when_contended = 3;
/* Below, a late wake-up would be measured. */
static const double min_window_ns = 20e3;

struct change {
	unsigned char *at;
	size_t bytes;
	unsigned char was[MAX_ELEMENT_BYTES];
};

/* One twin under way. */
struct pair {
	struct bench *b;
	const struct twin_spec *how;
	const struct plan *plan;
	struct change *changes;
	size_t nr_changes;
	unsigned judged;        /* the call that is judged; all are timed */
	unsigned char **copies; /* of the reference's outputs there, by argument */
	double ns[SLOT_NR];
};

void twins_release(struct twins *x)
{
	free(x->items);
	*x = (struct twins){ 0 };
}

static bool is_changeable(const struct operand *o)
{
	return o->is_tensor && o->is_input && !o->is_written && o->nr &&
	       dtype_is_float(o->arg->dtype);
}

static size_t count_changeable(const struct plan *p)
{
	size_t nr = 0;
	for (size_t i = 0; i < p->s->fp.nr; i++)
		nr += is_changeable(&p->s->fp.items[i]);
	return nr;
}

/* Little-endian magnitudes of all our formats count down by one step; zero and what is not finite
 * stay. */
static void step_down(unsigned char *at, size_t bytes, enum dtype t)
{
	double value = dtype_load(t, at, 0);
	if (value == 0 || value - value != 0)
		return;
	for (size_t i = 0; i < bytes; i++)
		if (at[i]-- != 0)
			return;
}

static void change_one(struct pair *p, unsigned char *at, const struct operand *o)
{
	const size_t bytes = dtype_bytes(o->arg->dtype);
	struct change *c = &p->changes[p->nr_changes++];
	c->at = at + bytes * rng_below(&p->b->rng, o->nr);
	c->bytes = bytes;
	memcpy(c->was, c->at, bytes);
	step_down(c->at, bytes, o->arg->dtype);
}

static void change_inputs(struct pair *p)
{
	const struct footprint *fp = &p->plan->s->fp;
	p->changes = xcalloc(size_mul(p->plan->nr_calls, size_mul(fp->nr, CHANGES)),
			     sizeof(*p->changes));
	for (unsigned call = 0; call < p->plan->nr_calls; call++) {
		unsigned set = plan_set(p->plan, p->how->turn->round, call);
		for (size_t i = 0; i < fp->nr; i++)
			for (int k = 0; is_changeable(&fp->items[i]) && k < CHANGES; k++)
				change_one(p, rotation_at(p->b->rotation, p->plan, set, i),
					   &fp->items[i]);
	}
}

/* Backwards, for an element may have been changed twice. */
static void restore_inputs(struct pair *p)
{
	while (p->nr_changes) {
		const struct change *c = &p->changes[--p->nr_changes];
		memcpy(c->at, c->was, c->bytes);
	}
}

static int call_side(struct pair *p, enum slot slot, uint64_t salt, struct verdict *v,
		     struct err *e)
{
	struct bench *b = p->b;
	struct side_time time = { 0 };
	rotation_prepare(b->rotation, p->plan, p->how->turn->round, true, salt);
	struct outcome_call call = {
		.side = b->sides[slot],
		.args = b->args,
		.nr_args = p->plan->s->fp.nr,
		.nr_calls = p->plan->nr_calls,
		.copy = slot == SLOT_CANDIDATE ? p->how->candidate_copy : p->how->reference_copy,
		.call_deadline_ns = b->call_deadline_ns,
		.counter_ns = &b->w->spent.kernel_ns,
	};
	int outcome = outcome_run(b->w, &call, &time, v, e);
	p->ns[slot] = time.ns > p->how->null_ns ? (double)(time.ns - p->how->null_ns) : 1;
	return outcome;
}

static void keep_outputs(struct pair *p)
{
	const struct footprint *fp = &p->plan->s->fp;
	const unsigned set = plan_set(p->plan, p->how->turn->round, p->judged);
	p->copies = xcalloc(fp->nr, sizeof(*p->copies));
	for (size_t i = 0; i < fp->nr; i++) {
		const struct operand *o = &fp->items[i];
		if (!o->is_output)
			continue;
		p->copies[i] = xmalloc(o->bytes ? o->bytes : 1);
		memcpy(p->copies[i], rotation_at(p->b->rotation, p->plan, set, i), o->bytes);
	}
}

/* What the reference answered as the oracle would say it. */
static void *as_wanted(const struct operand *o, const unsigned char *from)
{
	enum dtype t = o->arg->dtype;
	unsigned char *cells = xmalloc(size_mul(o->nr ? o->nr : 1, want_cell_bytes(o)));
	if (!dtype_is_float(t)) {
		memcpy(cells, from, o->bytes);
		return cells;
	}
	for (size_t i = 0; i < o->nr; i++) {
		double value = dtype_load(t, from, i);
		memcpy(cells + i * sizeof(value), &value, sizeof(value));
	}
	return cells;
}

static struct tolerance doubled(const struct pair *p, const struct content *c, size_t arg)
{
	const struct tolerance *own =
		tolerances_find(&p->b->w->tolerances, c->group->name, c->fp->items[arg].arg->name);
	struct tolerance t = own ? *own : (struct tolerance){ 0 };
	t.slice = 2 * (t.slice > c->own[arg].slice ? t.slice : c->own[arg].slice);
	t.tensor = 2 * (t.tensor > c->own[arg].tensor ? t.tensor : c->own[arg].tensor);
	return t;
}

static int judge_call(struct pair *p, uint64_t salt, struct verdict *v, struct err *e)
{
	const unsigned set = plan_set(p->plan, p->how->turn->round, p->judged);
	struct content twin = *plan_content(p->plan, set);
	const struct content *seen = plan_content(p->plan, set);
	const size_t nr = twin.fp->nr;
	struct judgement j = { 0 };
	AUTO_FREE unsigned char **got = xcalloc(nr, sizeof(*got));
	twin.want = xcalloc(nr, sizeof(*twin.want));
	twin.own = xcalloc(nr, sizeof(*twin.own));
	for (size_t i = 0; i < nr; i++) {
		if (!twin.fp->items[i].is_output)
			continue;
		got[i] = rotation_at(p->b->rotation, p->plan, set, i);
		twin.want[i] = as_wanted(&twin.fp->items[i], p->copies[i]);
		twin.own[i] = doubled(p, seen, i);
	}
	struct answer a = { .got = got, .poison_salt = salt };
	int rc = content_judge(&twin, &p->b->w->tolerances, &a, &j, e);
	for (size_t i = 0; i < nr; i++)
		free(twin.want[i]);
	free(twin.want);
	free(twin.own);
	if (rc < 0)
		return -1;
	*v = j.verdict;
	return j.verdict.state == VERDICT_PASS ? OUTCOME_DONE : OUTCOME_VERDICT;
}

static int run_both(struct pair *p, struct verdict *v, struct err *e)
{
	const uint64_t salt = rng_next(&p->b->rng);
	int outcome = call_side(p, SLOT_REFERENCE, salt, v, e);
	if (outcome == OUTCOME_VERDICT)
		return err_set(e, ERR_INPUT, "the reference fails while it is timed: %s: %s",
			       reason_name(v->reason), v->detail);
	if (outcome != OUTCOME_DONE)
		return outcome;
	keep_outputs(p);
	outcome = call_side(p, SLOT_CANDIDATE, salt, v, e);
	return outcome == OUTCOME_DONE ? judge_call(p, salt, v, e) : outcome;
}

/* What the slot took in the round itself, 0 if there is no such sample. */
static double ns_in_round(const struct pair *p, enum slot slot)
{
	const struct result *r = &p->b->w->result;
	for (size_t i = r->nr_samples; i-- > 0 && i + SLOT_NR >= r->nr_samples;)
		if (r->samples[i].slot == slot && r->samples[i].round == p->how->turn->round)
			return (double)r->samples[i].ns;
	return 0;
}

static void note_twin(struct twins *x, const struct pair *p)
{
	const double candidate = ns_in_round(p, SLOT_CANDIDATE);
	const double reference = ns_in_round(p, SLOT_REFERENCE);
	if (p->ns[SLOT_CANDIDATE] < min_window_ns || candidate <= 0 || reference <= 0)
		return;
	if (x->nr == x->cap) {
		x->cap = x->cap ? 2 * x->cap : 32;
		x->items = xreallocarray(x->items, x->cap, sizeof(*x->items));
	}
	x->items[x->nr++] = (struct twin){ .shape = p->how->shape,
					   .candidate = p->ns[SLOT_CANDIDATE] / candidate,
					   .reference = p->ns[SLOT_REFERENCE] / reference };
}

static void pair_release(struct pair *p)
{
	for (size_t i = 0; p->copies && i < p->plan->s->fp.nr; i++)
		free(p->copies[i]);
	free(p->copies);
	free(p->changes);
}

/* As many rounds as are due, each equally likely. */
static bool is_due(struct twins *x, const struct turn *turn, struct rng *rng)
{
	if (turn->round == 0)
		x->nr_due = plan_is_far_apart(turn->plan) ? 1 : PER_REPLICATE;
	bool is_drawn = rng_below(rng, turn->plan->nr_rounds - turn->round) < x->nr_due;
	x->nr_due -= is_drawn ? 1 : 0;
	return is_drawn;
}

int twin_run(struct twins *x, struct bench *b, const struct twin_spec *how, struct verdict *v,
	     struct err *e)
{
	const struct plan *plan = how->turn->plan;
	if (!is_due(x, how->turn, &b->rng) || !count_changeable(plan))
		return OUTCOME_DONE;
	struct pair p = { .b = b, .how = how, .plan = plan };
	p.judged = (unsigned)rng_below(&b->rng, plan->nr_calls);
	change_inputs(&p);
	int outcome = run_both(&p, v, e);
	restore_inputs(&p);
	if (outcome == OUTCOME_DONE)
		note_twin(x, &p);
	pair_release(&p);
	return outcome;
}

/* How much more a twin cost the candidate than it cost the reference; 1 for too few. A kernel that
 * remembers pays for every one of them, and what disturbs an honest one only ever adds time: so
 * seven of eight must have cost as much. */
static double usual_excess(const struct twins *x, unsigned shape)
{
	AUTO_FREE double *values = xcalloc(x->nr + 1, sizeof(*values));
	size_t nr = 0;
	for (size_t i = 0; i < x->nr; i++)
		if (x->items[i].shape == shape)
			values[nr++] = x->items[i].candidate /
				       (x->items[i].reference > 1 ? x->items[i].reference : 1);
	return nr >= MIN_TWINS ? summary_quantile(values, nr, 1.0 / 8) : 1;
}

void twins_check(const struct twins *x, struct worker *w)
{
	struct result *r = &w->result;
	const double limit = r->is_contended ? suspect_when_contended : suspect_factor;
	for (unsigned i = 0; r->verdict.state == VERDICT_PASS && i < r->nr_shapes; i++) {
		double excess = usual_excess(x, i);
		if (excess < limit)
			continue;
		r->verdict = verdict_make(REASON_remembered,
					  "inputs that differ from earlier ones in a few last bits "
					  "took %.1f times as long",
					  excess);
		snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", r->shapes[i].name);
	}
}
