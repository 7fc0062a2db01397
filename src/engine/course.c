#include "engine/course.h"

/* A milestone whose budget is used up gets no further row. Rows are offered by milestone, then in
 * the order written, as soon as what they need is accepted. A row that was rolled back blocks what
 * needs it; an atomic group with one failed member counts as not there at all, and the next row
 * goes onto the kernel from before the group. */

#include "base/str.h"
#include "model/curriculum.h"
#include "store/fold.h"

const struct state_decision *course_state(const struct run_state *s, const char *id)
{
	const struct state_curriculum *c = run_state_curriculum(s);
	for (size_t i = 0; c && i < c->nr_milestones; i++)
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++)
			if (str_equal(c->milestones[i].decisions[j].id, id))
				return &c->milestones[i].decisions[j];
	return NULL;
}

unsigned course_last_round(const struct run_state *s, const char *milestone)
{
	const struct state_curriculum *c = run_state_curriculum(s);
	unsigned last = 0;
	for (size_t i = 0; c && i < c->nr_milestones; i++) {
		if (!str_equal(c->milestones[i].id, milestone))
			continue;
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++)
			if (c->milestones[i].decisions[j].round > last)
				last = c->milestones[i].decisions[j].round;
	}
	return last;
}

static bool is_kept(enum decision_fate fate)
{
	return fate == FATE_KEPT || fate == FATE_KEPT_SLOWER || fate == FATE_BEST;
}

static bool has_failed(enum decision_fate fate)
{
	return fate == FATE_ROLLED_BACK || fate == FATE_NO_CANDIDATE;
}

static enum decision_fate fate_of(const struct run_state *s, const struct decision *d)
{
	const struct state_decision *st = course_state(s, d->id);
	return st ? st->fate : FATE_PENDING;
}

/* Does any member of the group fulfil `is`? */
static bool any_in_group(const struct run_state *s, const struct curriculum *c, const char *group,
			 bool (*is)(enum decision_fate fate))
{
	for (size_t i = 0; group && i < c->nr_milestones; i++) {
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++) {
			const struct decision *d = &c->milestones[i].decisions[j];
			if (str_equal(d->atomic, group) && is(fate_of(s, d)))
				return true;
		}
	}
	return false;
}

bool course_is_accepted(const struct run_state *s, const struct curriculum *c,
			const struct decision *d)
{
	return is_kept(fate_of(s, d)) && !any_in_group(s, c, d->atomic, has_failed);
}

static bool is_need_met(const struct run_state *s, const struct curriculum *c, const char *id)
{
	const struct decision *d = curriculum_find(c, id);
	return d && (d->is_not_applicable || course_is_accepted(s, c, d));
}

static bool is_ready(const struct run_state *s, const struct curriculum *c,
		     const struct decision *d)
{
	if (d->is_not_applicable || fate_of(s, d) != FATE_PENDING ||
	    any_in_group(s, c, d->atomic, has_failed))
		return false;
	for (size_t i = 0; i < d->nr_needs; i++)
		if (!is_need_met(s, c, d->needs[i]))
			return false;
	return true;
}

/* Only what is settled blocks: a need that is pending itself may still come. */
bool course_is_blocked(const struct run_state *s, const struct curriculum *c,
		       const struct decision *d)
{
	if (d->is_not_applicable || fate_of(s, d) != FATE_PENDING)
		return false;
	for (size_t i = 0; i < d->nr_needs; i++) {
		const struct decision *need = curriculum_find(c, d->needs[i]);
		if (!is_need_met(s, c, d->needs[i]) && (!need || fate_of(s, need) != FATE_PENDING))
			return true;
	}
	return any_in_group(s, c, d->atomic, has_failed);
}

/* First ready row of a milestone; with `only_begun` only of groups that are under way. */
static const struct decision *first_ready(const struct run_state *s, const struct curriculum *c,
					  size_t milestone, bool only_begun)
{
	const struct milestone *m = &c->milestones[milestone];
	for (size_t i = 0; i < m->nr_decisions; i++) {
		const struct decision *d = &m->decisions[i];
		if (is_ready(s, c, d) && (!only_begun || any_in_group(s, c, d->atomic, is_kept)))
			return d;
	}
	return NULL;
}

static const struct decision *ready_in(const struct run_state *s, const struct curriculum *c,
				       size_t milestone)
{
	const struct decision *d = first_ready(s, c, milestone, true);
	return d ? d : first_ready(s, c, milestone, false);
}

bool course_next(const struct run_state *s, const struct curriculum *c, struct course_row *next)
{
	for (size_t i = 0; i < c->nr_milestones; i++) {
		const struct decision *d = ready_in(s, c, i);
		if (!d || run_state_is_milestone_spent(s, c->milestones[i].id))
			continue;
		*next = (struct course_row){ .milestone = i, .m = &c->milestones[i], .d = d };
		return true;
	}
	return false;
}

unsigned course_base(const struct run_state *s, const struct curriculum *c)
{
	unsigned base = 0;
	for (size_t i = 0; i < c->nr_milestones; i++) {
		for (size_t j = 0; j < c->milestones[i].nr_decisions; j++) {
			const struct decision *d = &c->milestones[i].decisions[j];
			const struct state_decision *st = course_state(s, d->id);
			if (st && st->round > base && course_is_accepted(s, c, d))
				base = st->round;
		}
	}
	return base;
}

static bool is_same_row(const struct state_decision *old, const struct decision *d)
{
	const char *value = d->value ? d->value : d->range;
	return str_equal(old->what, d->what) && str_equal(old->value, value ? value : "") &&
	       old->is_not_applicable == d->is_not_applicable;
}

static bool is_unchanged(const struct state_decision *old, const struct curriculum *next)
{
	const struct decision *d = curriculum_find(next, old->id);
	return d && is_same_row(old, d);
}

/* The first round whose kernel holds something that `next` does not want. */
static unsigned first_changed_round(const struct state_curriculum *old,
				    const struct curriculum *next)
{
	unsigned first = (unsigned)-1;
	for (size_t i = 0; i < old->nr_milestones; i++) {
		for (size_t j = 0; j < old->milestones[i].nr_decisions; j++) {
			const struct state_decision *d = &old->milestones[i].decisions[j];
			if (is_kept(d->fate) && d->round < first && !is_unchanged(d, next))
				first = d->round;
		}
	}
	return first;
}

void course_reuse(const struct state_curriculum *old, const struct curriculum *next,
		  course_keep_fn keep, void *ctx)
{
	unsigned end = first_changed_round(old, next);
	for (size_t i = 0; i < old->nr_milestones; i++) {
		for (size_t j = 0; j < old->milestones[i].nr_decisions; j++) {
			const struct state_decision *d = &old->milestones[i].decisions[j];
			if (d->round && d->round < end && is_unchanged(d, next))
				keep(ctx, d);
		}
	}
}
