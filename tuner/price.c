#include "tuner/price.h"

/* Only rows that can go alone are asked about: nothing needs them, no later row has taken their
 * place or dropped them, and they belong to no group. What opens the way for others (known sizes,
 * sums in registers) is not worth anything by itself and is not asked about either. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/curriculum.h"
#include "tuner/plan.h"
#include "tuner/say.h"
#include "tuner/seen.h"
#include "tuner/tools.h"

/* Predicted and measured further apart than this are a doubt. */
#define GAP_RATIO 1.1
/* Less is not worth a row: what forge calls faster is so by 1 % or more. */
#define LEAST_WORTH 1.01
/* The most doubtful come first: when so many in a row turned out to pay, the others will, too. */
enum { PAYING_IN_A_ROW = 2 };

struct doubt {
	const struct decision *row;
	struct seen seen;
	struct speed gain; /* after over before */
	double gap;        /* between predicted and measured, as |ln| */
	bool is_questioned;
};

struct doubts {
	struct doubt *items;
	size_t nr;
};

static size_t nr_rows(const struct curriculum *c)
{
	size_t nr = 0;
	for (size_t m = 0; m < c->nr_milestones; m++)
		nr += c->milestones[m].nr_decisions;
	return nr;
}

/* Rows whose kernels went on, in the order of the course. */
static void collect(struct doubts *out, const struct curriculum *c, const json_t *digest,
		    struct arena *a)
{
	*out = (struct doubts){ .items = arena_array(a, nr_rows(c) + 1, sizeof(*out->items)) };
	for (size_t m = 0; m < c->nr_milestones; m++) {
		for (size_t i = 0; i < c->milestones[m].nr_decisions; i++) {
			const struct decision *row = &c->milestones[m].decisions[i];
			const struct seen seen = seen_find(digest, row->id);
			if (row->is_not_applicable || !row->value || !seen_is_kept(&seen))
				continue;
			struct doubt *d = &out->items[out->nr++];
			*d = (struct doubt){ .row = row, .seen = seen };
			d->gain = speed_over(&seen.after, &seen.before);
			d->is_questioned = seen_is_questioned(digest, row->id);
			if (row->predicts > 0 && seen.after.ratio > 0)
				d->gap = fabs(log(row->predicts / seen.after.ratio));
		}
	}
}

static unsigned best_round(const struct doubts *held)
{
	unsigned round = 0;
	for (size_t i = 0; i < held->nr; i++)
		if (strcmp(held->items[i].seen.fate, "best") == 0 &&
		    held->items[i].seen.round > round)
			round = held->items[i].seen.round;
	return round;
}

static bool is_needed(const struct curriculum *c, const char *id)
{
	for (size_t m = 0; m < c->nr_milestones; m++)
		for (size_t i = 0; i < c->milestones[m].nr_decisions; i++)
			for (size_t n = 0; n < c->milestones[m].decisions[i].nr_needs; n++)
				if (strcmp(c->milestones[m].decisions[i].needs[n], id) == 0)
					return true;
	return false;
}

/* Rows that were applied after this one. */
static struct plan later_rows(const struct doubts *held, const struct doubt *d, struct arena *a)
{
	struct plan p = { .nr = 0 };
	for (size_t i = 0; i < held->nr; i++) {
		const struct doubt *other = &held->items[i];
		if (other->seen.round <= d->seen.round)
			continue;
		const struct plan rows = plan_of_value(other->row->value, a);
		for (size_t n = 0; n < rows.nr && p.nr < PLAN_ROWS; n++)
			p.rows[p.nr++] = rows.rows[n];
	}
	return p;
}

static bool is_replaced(const struct doubts *held, const struct doubt *d, struct arena *a)
{
	const struct plan own = plan_of_value(d->row->value, a);
	const struct plan later = later_rows(held, d, a);
	for (size_t i = 0; i < own.nr; i++)
		if (!plan_rival(&later, own.rows[i], a) && !plan_drops(&later, own.rows[i], a))
			return false;
	return true;
}

static bool is_doubtful(const struct doubt *d)
{
	return speed_is_open(&d->gain) || d->is_questioned || d->gap > log(GAP_RATIO);
}

/* What could be neither told from noise nor was predicted comes first, then the wider gap. */
static int by_doubt(const void *one, const void *other)
{
	const struct doubt *a = one;
	const struct doubt *b = other;
	bool is_open = speed_is_open(&a->gain);
	if (is_open != speed_is_open(&b->gain))
		return is_open ? -1 : 1;
	double x = is_open ? -a->gain.ratio : a->gap;
	double y = is_open ? -b->gain.ratio : b->gap;
	if (x != y)
		return x > y ? -1 : 1;
	return a->seen.round < b->seen.round ? -1 : a->seen.round > b->seen.round;
}

/* In the order in which they are asked about. */
static void find_doubts(struct doubts *out, const struct price_spec *spec, struct arena *a)
{
	struct doubts held;
	collect(&held, spec->old, spec->digest, a);
	unsigned best = best_round(&held);
	*out = (struct doubts){ .items = arena_array(a, held.nr + 1, sizeof(*out->items)) };
	for (size_t i = 0; i < held.nr; i++) {
		const struct doubt *d = &held.items[i];
		const char *value = d->row->value;
		bool can_go = d->seen.round <= best && !d->row->atomic &&
			      !is_needed(spec->old, d->row->id) && !plan_value_opens(value, a) &&
			      !is_replaced(&held, d, a);
		if (can_go && is_doubtful(d) && !strv_has(spec->known, value))
			out->items[out->nr++] = *d;
	}
	qsort(out->items, out->nr, sizeof(*out->items), by_doubt);
}

static const char *verdict_of(const struct price *p)
{
	if (price_pays(p))
		return "it pays";
	return price_costs(p) ? "it costs" : "it does not pay";
}

/* False: it could not be priced. */
static bool ask(struct prices *out, const struct doubt *d, const struct price_spec *spec)
{
	AUTO_STR struct str why = STR_INIT;
	struct price *p = &out->items[out->nr];
	*p = (struct price){ .id = d->row->id };
	if (!tools_ablate(spec->tools, p->id, &p->worth, &why)) {
		say_text(spec->say, "%s has no price: %s", p->id, why.text);
		return false;
	}
	out->nr++;
	say_text(spec->say, "%s, %s: the best is %.2fx (%.2f to %.2f) of what it is without, %s",
		 p->id, d->row->value, p->worth.ratio, p->worth.low, p->worth.high, verdict_of(p));
	return true;
}

void price_rows(struct prices *out, const struct price_spec *spec, struct arena *a)
{
	struct doubts doubts;
	unsigned nr_paying = 0;
	*out = (struct prices){ .nr = 0 };
	if (!spec->tools || !spec->tools->has_ablate)
		return;
	int64_t least_left = spec->tools->left / 2;
	find_doubts(&doubts, spec, a);
	for (size_t i = 0; i < doubts.nr && out->nr < PRICES_MAX; i++) {
		if (spec->tools->left <= least_left || nr_paying == PAYING_IN_A_ROW)
			return;
		if (!ask(out, &doubts.items[i], spec))
			continue;
		nr_paying = price_pays(&out->items[out->nr - 1]) ? nr_paying + 1 : 0;
	}
}

const struct price *price_find(const struct prices *p, const char *id)
{
	for (size_t i = 0; i < p->nr; i++)
		if (strcmp(p->items[i].id, id) == 0)
			return &p->items[i];
	return NULL;
}

bool price_pays(const struct price *p)
{
	return p->worth.low > 1 || p->worth.ratio >= LEAST_WORTH;
}

bool price_costs(const struct price *p)
{
	return p->worth.high < 1;
}
