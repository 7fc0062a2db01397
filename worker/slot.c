#include "worker/slot.h"

/*
 * The candidate's outputs are poisoned before every call and looked at after it. Reading all of
 * them would cost a memory-bound kernel's time again, so a timed call is checked on a random eighth
 * of its blocks and, one time in eight, on all: what a call leaves out is still poison there, and
 * it can not know where we look. The reference is ours; it is checked while warming up.
 */

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "sys/side.h"
#include "worker/correct.h"

enum { PART = 8, FULL_BELOW_BYTES = 64 * 1024 };

enum party slot_party(enum slot slot)
{
	return slot == SLOT_CANDIDATE ? PARTY_CANDIDATE : PARTY_REFERENCE;
}

/* Outputs of one call as they stand in the shared memory. */
static struct answer live_answer(const struct bench *b, const struct plan *p, unsigned set,
				 uint64_t salt, unsigned char **got)
{
	for (size_t i = 0; i < p->s->fp.nr; i++)
		got[i] = p->s->fp.items[i].is_output ? rotation_at(b->rotation, p, set, i) : NULL;
	return (struct answer){ .got = got, .poison_salt = salt };
}

static bool has_known_bits(struct bench *b, const struct plan *p, unsigned set, enum party party,
			   bool in_full)
{
	struct content *c = plan_content(p, set);
	const uint64_t key = correct_fingerprint_key(b->w);
	const size_t step = in_full ? 1 : PART;
	for (size_t i = 0; i < p->s->fp.nr; i++) {
		const struct operand *o = &p->s->fp.items[i];
		if (o->is_output &&
		    !fingerprint_matches(&c->seen[party][i], rotation_at(b->rotation, p, set, i),
					 o->bytes, key, rng_below(&b->rng, step), step))
			return false;
	}
	return true;
}

static bool were_bits_known(const struct plan *p, const struct content *c, enum party party)
{
	for (size_t i = 0; i < p->s->fp.nr; i++)
		if (c->seen[party][i].blocks)
			return true;
	return false;
}

static void learn_bits(struct bench *b, const struct plan *p, unsigned set, enum party party)
{
	struct content *c = plan_content(p, set);
	for (size_t i = 0; i < p->s->fp.nr; i++)
		if (p->s->fp.items[i].is_output)
			fingerprint_take(&c->seen[party][i], rotation_at(b->rotation, p, set, i),
					 p->s->fp.items[i].bytes, correct_fingerprint_key(b->w));
}

/* Judged wrong right after the return, but right a moment later: somebody else finished it. */
static void recheck_late(struct bench *b, const struct content *c, const struct answer *a,
			 enum slot slot, struct verdict *v, struct err *e)
{
	if (b->w->task.threads <= 1)
		return;
	side_is_quiet(b->sides[slot], NS_PER_MS);
	struct judgement again = { 0 };
	if (content_judge(c, &b->w->tolerances, a, &again, e) == 0 &&
	    again.verdict.state == VERDICT_PASS)
		*v = verdict_make(REASON_late_write,
				  "a timed output was complete only after the return");
}

/* Bits that were not seen before: the judge decides. */
static int judge_live(struct bench *b, const struct plan *p, unsigned set, enum slot slot,
		      uint64_t salt, struct verdict *v, struct err *e)
{
	const struct content *c = plan_content(p, set);
	AUTO_FREE unsigned char **got = xcalloc(p->s->fp.nr, sizeof(*got));
	struct answer a = live_answer(b, p, set, salt, got);
	struct judgement j = { 0 };
	if (content_judge(c, &b->w->tolerances, &a, &j, e) < 0)
		return -1;
	if (j.verdict.state == VERDICT_PASS) {
		b->nr_other_bits += were_bits_known(p, c, slot_party(slot)) ? 1 : 0;
		learn_bits(b, p, set, slot_party(slot));
		return OUTCOME_DONE;
	}
	*v = j.verdict;
	recheck_late(b, c, &a, slot, v, e);
	snprintf(v->shape, sizeof(v->shape), "%s", p->s->shape->name);
	snprintf(v->group, sizeof(v->group), "%s", c->group->name);
	return OUTCOME_VERDICT;
}

static bool look_in_full(struct bench *b, const struct plan *p, bool is_warmup)
{
	return is_warmup || p->s->fp.output_bytes <= FULL_BELOW_BYTES ||
	       rng_below(&b->rng, PART) == 0;
}

static int look_at_outputs(struct bench *b, const struct plan *p, unsigned round, enum slot slot,
			   bool is_warmup, uint64_t salt, struct verdict *v, struct err *e)
{
	AUTO_SPEND(b->w, judge_ns);
	const enum party party = slot_party(slot);
	int outcome = OUTCOME_DONE;
	for (unsigned call = 0; outcome == OUTCOME_DONE && call < p->nr_calls; call++) {
		unsigned set = plan_set(p, round, call);
		if (!has_known_bits(b, p, set, party, look_in_full(b, p, is_warmup)))
			outcome = judge_live(b, p, set, slot, salt, v, e);
	}
	return outcome;
}

int slot_run(struct bench *b, const struct plan *p, unsigned round, enum slot slot, bool is_warmup,
	     struct side_time *t, struct verdict *v, struct err *e)
{
	AUTO_SPEND(b->w, prepare_ns);
	const bool is_looked_at = is_warmup || slot == SLOT_CANDIDATE;
	const uint64_t salt = rng_next(&b->rng);
	rotation_prepare(b->rotation, p, round, is_looked_at || !b->rotation->is_cold, salt);
	struct outcome_call call = {
		.side = b->sides[slot],
		.args = b->args,
		.nr_args = p->s->fp.nr,
		.nr_calls = p->nr_calls,
		.call_deadline_ns = b->call_deadline_ns,
	};
	int outcome = outcome_run(b->w, &call, &b->w->spent.kernel_ns, t, v, e);
	if (outcome != OUTCOME_DONE || !is_looked_at)
		return outcome;
	return look_at_outputs(b, p, round, slot, is_warmup, salt, v, e);
}
