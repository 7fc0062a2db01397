#include "tuner/revise.h"

/* Three things speak against a row: the judge, the clock, and what the best is worth without it. A
 * row of M0 that is only slower stays when it opens the way for others; more cores that do not pay
 * do not. The first build stays in any case: later rows hang on it. An alternative keeps the id of
 * the row whose place it takes, so what needs that row needs it. */

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/draft.h"
#include "tuner/other.h"
#include "tuner/plan.h"
#include "tuner/price.h"
#include "tuner/propose.h"
#include "tuner/seen.h"

/* One row of the version before. */
struct fate {
	const struct decision *row;
	size_t milestone;
	struct seen seen;
	const struct price *price; /* NULL: none was asked for */
	bool is_bound;             /* stays although it is slower: others rest on it */
};

enum ruling { STAYS, REFUTED, UNPAID, BLOCKED };

/* What needs a row that is gone can not come; what needs one that the judge refused is built on
 * what is wrong, whatever takes its place. M0 is otherwise: there every row rests on the first. */
static bool is_blocked(const struct draft *d, const struct evidence *v, const struct fate *f)
{
	for (size_t i = 0; i < f->row->nr_needs; i++) {
		const char *id = f->row->needs[i];
		const struct seen need = seen_find(v->digest, id);
		if (!draft_find(d, id) || (!str_starts(id, "D0.") && seen_is_refused(&need)))
			return true;
	}
	return false;
}

static enum ruling rule(const struct draft *d, const struct evidence *v, const struct fate *f)
{
	if (f->row->is_not_applicable)
		return STAYS;
	if (seen_is_refused(&f->seen) || (seen_is_slower(&f->seen) && !f->is_bound))
		return REFUTED;
	if (f->price && !price_pays(f->price))
		return UNPAID;
	bool may_block = f->milestone > 0 && seen_is_pending(&f->seen);
	return may_block && is_blocked(d, v, f) ? BLOCKED : STAYS;
}

static const char *outcome_text(struct draft *d, const struct fate *f)
{
	const char *value = f->row->value ? f->row->value : f->row->range;
	if (seen_is_refused(&f->seen))
		return arena_printf(d->a, "\"%s\" was tried and refused", value);
	if (seen_is_slower(&f->seen))
		return arena_printf(d->a, "\"%s\" was tried and made it slower", value);
	return arena_printf(d->a,
			    "\"%s\" does not pay: the best was measured at %.2f (%.2f to %.2f) "
			    "times its speed without",
			    value, f->price->worth.ratio, f->price->worth.low,
			    f->price->worth.high);
}

static void leave_out(struct draft *d, const struct fate *f)
{
	if (f->milestone > 0 || !f->row->covers)
		return;
	struct decision absent = propose_absent(f->row->covers, outcome_text(d, f));
	absent.what = f->row->what;
	absent.id = f->row->id;
	draft_add(d, 0, &absent);
}

static bool replace(struct draft *d, const struct evidence *v, const struct fate *f)
{
	struct decision other;
	if (!v->others || !other_find(v->others, d, f->row, seen_is_refused(&f->seen), &other))
		return false;
	other.why = arena_printf(d->a, "%s; %s", outcome_text(d, f), other.why);
	draft_add(d, f->milestone, &other);
	return true;
}

/* True: there is work for the student in it. */
static bool add_row(struct draft *d, const struct evidence *v, const struct fate *f)
{
	enum ruling ruling = rule(d, v, f);
	if (ruling == STAYS) {
		draft_add(d, f->milestone, f->row);
		return f->row->value && seen_is_pending(&f->seen);
	}
	if (f->milestone == 0)
		d->structure_epoch = v->old->structure_epoch + 1;
	if (ruling == REFUTED && replace(d, v, f))
		return true;
	leave_out(d, f);
	return ruling == UNPAID && price_costs(f->price);
}

static struct fate fate_of(const struct draft *d, const struct evidence *v, size_t m, size_t i)
{
	const struct decision *row = &v->old->milestones[m].decisions[i];
	struct fate f = { .row = row, .milestone = m, .seen = seen_find(v->digest, row->id) };
	f.price = v->prices ? price_find(v->prices, row->id) : NULL;
	f.is_bound = m == 0 ? plan_value_opens(row->value, d->a) : m == 1 && d->parts[1].nr == 0;
	return f;
}

static void note(struct strv *values, const char *value)
{
	if (value && !strv_has(values, value))
		strv_add(values, value);
}

/* Before anything is chosen, so that no alternative is a row that stands further down. */
static void note_values(struct draft *d, const struct evidence *v)
{
	for (size_t m = 0; m < v->old->nr_milestones; m++) {
		for (size_t i = 0; i < v->old->milestones[m].nr_decisions; i++) {
			const struct decision *row = &v->old->milestones[m].decisions[i];
			const struct price *price =
				v->prices ? price_find(v->prices, row->id) : NULL;
			note(&d->tried, row->value);
			if (price && price_pays(price))
				note(&d->priced, row->value);
		}
	}
}

bool revise_rows(struct draft *d, const struct evidence *v)
{
	bool has_work = false;
	d->version = v->old->version + 1;
	d->structure_epoch = v->old->structure_epoch;
	note_values(d, v);
	for (size_t m = 0; m < v->old->nr_milestones && m < DRAFT_MILESTONES; m++) {
		for (size_t i = 0; i < v->old->milestones[m].nr_decisions; i++) {
			const struct fate f = fate_of(d, v, m, i);
			has_work = add_row(d, v, &f) || has_work;
		}
	}
	return has_work;
}

static void note_rows(struct strv *rows, const char *value, size_t from, struct arena *a)
{
	const struct plan p = plan_of_value(value, a);
	for (size_t i = from; i < p.nr; i++)
		note(rows, p.rows[i]);
}

void revise_refused(struct draft *d, const struct evidence *v)
{
	for (size_t m = 0; m < v->old->nr_milestones; m++) {
		for (size_t i = 0; i < v->old->milestones[m].nr_decisions; i++) {
			const struct decision *row = &v->old->milestones[m].decisions[i];
			const struct seen seen = seen_find(v->digest, row->id);
			if (row->value && seen_is_refused(&seen))
				note_rows(&d->refused, row->value, strchr(row->value, '|') != NULL,
					  d->a);
		}
	}
}

/* The row whose round is the next one after `round`. */
static const struct decision *next_held(const struct evidence *v, unsigned *round)
{
	const struct decision *next = NULL;
	unsigned least = 0;
	for (size_t m = 0; m < v->old->nr_milestones; m++) {
		for (size_t i = 0; i < v->old->milestones[m].nr_decisions; i++) {
			const struct decision *row = &v->old->milestones[m].decisions[i];
			const struct seen seen = seen_find(v->digest, row->id);
			if (!row->value || !seen_is_kept(&seen) || seen.round <= *round ||
			    (next && seen.round >= least))
				continue;
			next = row;
			least = seen.round;
		}
	}
	*round = least;
	return next;
}

void revise_held(struct strv *out, const struct evidence *v)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct decision *row;
	for (unsigned round = 0; (row = next_held(v, &round));) {
		const struct seen seen = seen_find(v->digest, row->id);
		const struct price *price = v->prices ? price_find(v->prices, row->id) : NULL;
		bool is_refuted = seen_is_slower(&seen) && !plan_value_opens(row->value, &a);
		if (!is_refuted && !(price && !price_pays(price)))
			strv_add(out, row->value);
	}
}
