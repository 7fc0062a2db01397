#include "worker/slot.h"

/*
 * The candidate's outputs are poisoned before every call and looked at after it. Reading all of
 * them would cost a memory-bound kernel's time again, so a timed call is checked on a random
 * sixteenth of its blocks and, one time in 32, on all: what a call leaves out is still poison
 * there, and it can not know where we look. While warming up every block of the candidate is read.
 * The reference is ours: its first answers are read whole, later ones by samples. A few random
 * lines of the outputs are copied at the instant of the answer and compared with what stands there
 * after the look, so that an answer is no use to a kernel before its work is done.
 */

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "sys/side.h"
#include "worker/correct.h"
#include "worker/glimpse.h"
#include "worker/own_error.h"

/* A docked thread of a pool spins for 0.1 ms; whoever is at work longer is looked at closely. */
#define ASLEEP_NS (50 * NS_PER_MS)
#define QUIET_NS (5 * NS_PER_MS)

enum { PART = 16, WHOLE_ONE_IN = 32, FULL_BELOW_BYTES = 32 * 1024 };

enum party slot_party(enum slot slot)
{
	return slot == SLOT_CANDIDATE ? PARTY_CANDIDATE : PARTY_REFERENCE;
}

/* Outputs of one call as they stand in the shared memory. */
static struct answer live_answer(const struct bench *b, const struct turn *t, unsigned set,
				 unsigned char **got)
{
	const struct footprint *fp = &t->plan->s->fp;
	for (size_t i = 0; i < fp->nr; i++)
		got[i] = fp->items[i].is_output ? rotation_at(b->rotation, t->plan, set, i) : NULL;
	return (struct answer){ .got = got, .poison_salt = t->salt };
}

static bool has_known_bits(struct bench *b, const struct turn *t, unsigned set, bool in_full)
{
	const struct content *c = plan_content(t->plan, set);
	const struct fingerprint *seen = c->seen[slot_party(t->slot)];
	const uint64_t key = correct_fingerprint_key(b->w);
	for (size_t i = 0; i < c->fp->nr; i++) {
		const struct operand *o = &c->fp->items[i];
		struct fingerprint_look look = {
			.bytes = rotation_at(b->rotation, t->plan, set, i),
			.len = o->bytes,
			.key = key,
			.step = in_full ? 1 : PART,
		};
		look.first = rng_below(&b->rng, look.step);
		if (o->is_output && !fingerprint_matches(&seen[i], &look))
			return false;
	}
	return true;
}

static bool were_bits_known(const struct content *c, enum party party)
{
	for (size_t i = 0; i < c->fp->nr; i++)
		if (c->seen[party][i].blocks)
			return true;
	return false;
}

static void learn_bits(struct bench *b, const struct turn *t, unsigned set)
{
	struct content *c = plan_content(t->plan, set);
	struct fingerprint *seen = c->seen[slot_party(t->slot)];
	b->nr_other_bits += were_bits_known(c, slot_party(t->slot)) ? 1 : 0;
	for (size_t i = 0; i < c->fp->nr; i++)
		if (c->fp->items[i].is_output)
			fingerprint_take(&seen[i], rotation_at(b->rotation, t->plan, set, i),
					 c->fp->items[i].bytes, correct_fingerprint_key(b->w));
}

/* Judged wrong right after the return, but right a moment later: somebody else finished it. */
static int recheck_late(struct bench *b, const struct content *c, const struct answer *a,
			struct turn *t, struct err *e)
{
	struct judgement again = { 0 };
	if (b->w->task.threads <= 1)
		return OUTCOME_VERDICT;
	side_is_quiet(b->sides[t->slot], NS_PER_MS);
	if (content_judge(c, &b->w->tolerances, a, &again, e) < 0)
		return -1;
	if (again.verdict.state == VERDICT_PASS)
		t->verdict = verdict_make(REASON_late_write,
					  "a timed output was complete only after the return");
	return OUTCOME_VERDICT;
}

static void name_case(struct turn *t, const struct content *c)
{
	struct verdict *v = &t->verdict;
	snprintf(v->shape, sizeof(v->shape), "%s", c->fp->shape->name);
	snprintf(v->group, sizeof(v->group), "%s", c->group->name);
}

/* Bits that were not seen before: the judge decides. What the reference answers is right by its own
 * measure if the tolerances are its own. */
static int judge_live(struct bench *b, struct turn *t, unsigned set, struct err *e)
{
	struct content *c = plan_content(t->plan, set);
	AUTO_FREE unsigned char **got = xcalloc(c->fp->nr, sizeof(*got));
	struct answer a = live_answer(b, t, set, got);
	struct judgement j = { 0 };
	if (t->slot != SLOT_CANDIDATE && own_error_is_granted(b->w) && own_error_take(c, &a, e) < 0)
		return -1;
	if (content_judge(c, &b->w->tolerances, &a, &j, e) < 0)
		return -1;
	if (j.verdict.state == VERDICT_PASS) {
		learn_bits(b, t, set);
		return OUTCOME_DONE;
	}
	t->verdict = j.verdict;
	int outcome = recheck_late(b, c, &a, t, e);
	name_case(t, c);
	return outcome;
}

static bool look_in_full(struct bench *b, const struct turn *t)
{
	if (t->is_warmup && t->slot == SLOT_CANDIDATE)
		return true;
	return t->plan->s->fp.output_bytes <= FULL_BELOW_BYTES ||
	       rng_below(&b->rng, WHOLE_ONE_IN) == 0;
}

static int look_at_outputs(struct bench *b, struct turn *t, struct err *e)
{
	AUTO_SPEND(b->w, judge_ns);
	int outcome = OUTCOME_DONE;
	for (unsigned call = 0; outcome == OUTCOME_DONE && call < t->plan->nr_calls; call++) {
		unsigned set = plan_set(t->plan, t->round, call);
		if (!has_known_bits(b, t, set, look_in_full(b, t)))
			outcome = judge_live(b, t, set, e);
	}
	return outcome;
}

/* An answer that came before its work was done leaves outputs that change after it. */
static int check_glimpse(const struct turn *t, const struct side_glimpse *g, struct verdict *v)
{
	const char *late = glimpse_changed(g);
	if (!late)
		return OUTCOME_DONE;
	*v = verdict_make(REASON_late_write, "a timed output changed after the answer: %s", late);
	snprintf(v->shape, sizeof(v->shape), "%s", t->plan->s->fp.shape->name);
	return OUTCOME_VERDICT;
}

static int look(struct bench *b, struct turn *t, const struct side_glimpse *g, struct err *e)
{
	int outcome = look_at_outputs(b, t, e);
	if (outcome < 0 || t->slot != SLOT_CANDIDATE)
		return outcome;
	return check_glimpse(t, g, &t->verdict) == OUTCOME_VERDICT ? OUTCOME_VERDICT : outcome;
}

/* A kernel can answer and go on, on the cores that the reference is about to be timed on. Nobody is
 * called before who was called sleeps: the same wait after every slot favours none. */
static int await_sleep(struct bench *b, struct turn *t)
{
	struct side *side = b->sides[t->slot];
	if (t->slot != SLOT_CANDIDATE) {
		(void)side_falls_asleep(side, ASLEEP_NS);
		return OUTCOME_DONE;
	}
	if (side_falls_asleep(side, ASLEEP_NS) || side_comes_to_rest(side, QUIET_NS)) {
		early_asleep(&b->early, side_cpu_ns(side));
		return OUTCOME_DONE;
	}
	t->verdict = verdict_make(REASON_cpu_after_return, "its threads went on using a CPU");
	snprintf(t->verdict.shape, sizeof(t->verdict.shape), "%s", t->plan->s->fp.shape->name);
	return OUTCOME_VERDICT;
}

int slot_run(struct bench *b, struct turn *t, struct err *e)
{
	AUTO_SPEND(b->w, prepare_ns);
	const struct plan *p = t->plan;
	const bool is_looked_at = t->is_warmup || t->slot == SLOT_CANDIDATE;
	t->salt = rng_next(&b->rng);
	rotation_prepare(b->rotation, p, t->round, is_looked_at || !b->rotation->is_cold, t->salt);
	struct side_glimpse glimpse = { 0 };
	if (t->slot == SLOT_CANDIDATE)
		glimpse_draw(&glimpse, b->rotation, p, t->round, &b->rng);
	struct outcome_call call = {
		.side = b->sides[t->slot],
		.args = b->args,
		.nr_args = p->s->fp.nr,
		.nr_calls = p->nr_calls,
		.copy = t->copy,
		.call_deadline_ns = b->call_deadline_ns,
		.counter_ns = &b->w->spent.kernel_ns,
		.glimpse = &glimpse,
	};
	if (t->slot == SLOT_CANDIDATE)
		early_called(&b->early, side_cpu_ns(b->sides[t->slot]));
	int outcome = outcome_run(b->w, &call, &t->time, &t->verdict, e);
	if (outcome == OUTCOME_DONE && is_looked_at)
		outcome = look(b, t, &glimpse, e);
	return outcome == OUTCOME_DONE ? await_sleep(b, t) : outcome;
}
