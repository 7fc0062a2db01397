#include "worker/effects.h"

/*
 * Only rounds that are kept and have all three slots count. After the candidate: of the six orders
 * two hold one reference right after C and the other right after a reference (C R R' and C R' R);
 * the mean of the two medians is free of what tells R and R' apart.
 */

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "model/result.h"
#include "stats/summary.h"

/* A growing column of numbers. */
struct column {
	double *values;
	size_t nr;
};

enum { GAIN, ROUND, REFERENCE, R_FIRST, C_FIRST, THEN_R, THEN_AGAIN, NR_COLUMNS };

struct columns {
	struct column items[NR_COLUMNS];
};

static void columns_init(struct columns *c, size_t room)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		c->items[i] = (struct column){ .values = xcalloc(room + 1, sizeof(double)) };
}

static void columns_release(struct columns *c)
{
	for (size_t i = 0; i < NR_COLUMNS; i++)
		free(c->items[i].values);
}
#define AUTO_COLUMNS __attribute__((cleanup(columns_release)))

static void add(struct columns *c, unsigned column, double value)
{
	struct column *to = &c->items[column];
	to->values[to->nr++] = value;
}

static double median(const struct columns *c, unsigned column)
{
	return summary_median(c->items[column].values, c->items[column].nr);
}

/* One round by slot. */
struct triple {
	const struct sample *of[SLOT_NR];
};

/* Samples stand in the order measured, three a round; a last one may be cut off. */
static bool take_triple(const struct result *r, size_t at, struct triple *t)
{
	*t = (struct triple){ 0 };
	for (size_t i = at; i < at + SLOT_NR; i++)
		t->of[r->samples[i].slot] = &r->samples[i];
	for (size_t i = 0; i < SLOT_NR; i++)
		if (!t->of[i] || t->of[i]->is_dropped)
			return false;
	return true;
}

static double ln_ratio(const struct triple *t, enum slot above, enum slot below)
{
	return log((double)t->of[above]->ns / (double)t->of[below]->ns);
}

static void add_triple(struct columns *c, const struct triple *t)
{
	const unsigned r = t->of[SLOT_REFERENCE]->order;
	const unsigned again = t->of[SLOT_REFERENCE_AGAIN]->order;
	const unsigned candidate = t->of[SLOT_CANDIDATE]->order;
	const double gain = ln_ratio(t, SLOT_REFERENCE, SLOT_CANDIDATE);
	add(c, GAIN, gain);
	add(c, ROUND, (double)t->of[SLOT_REFERENCE]->round);
	add(c, REFERENCE, (double)t->of[SLOT_REFERENCE]->ns);
	add(c, r < candidate ? R_FIRST : C_FIRST, gain);
	if (candidate == 0 && r < again)
		add(c, THEN_R, ln_ratio(t, SLOT_REFERENCE, SLOT_REFERENCE_AGAIN));
	else if (candidate == 0)
		add(c, THEN_AGAIN, ln_ratio(t, SLOT_REFERENCE_AGAIN, SLOT_REFERENCE));
}

static double correlation(const struct columns *c, unsigned column)
{
	return summary_spearman(c->items[ROUND].values, c->items[column].values,
				c->items[ROUND].nr);
}

static double or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

static struct effects of_columns(const struct columns *c)
{
	return (struct effects){
		.drift = or_zero(correlation(c, GAIN)),
		.reference_drift = or_zero(correlation(c, REFERENCE)),
		.carry_over = or_zero(median(c, R_FIRST) - median(c, C_FIRST)),
		.after_candidate = or_zero((median(c, THEN_R) + median(c, THEN_AGAIN)) / 2),
	};
}

static unsigned count_replicates(const struct result *r)
{
	return r->nr_samples ? r->samples[r->nr_samples - 1].replicate + 1 : 0;
}

static struct effects of_replicate(const struct result *r, unsigned shape, unsigned replicate)
{
	AUTO_COLUMNS struct columns c;
	struct triple t;
	columns_init(&c, r->nr_samples / SLOT_NR);
	for (size_t i = 0; i + SLOT_NR <= r->nr_samples; i += SLOT_NR) {
		const struct sample *s = &r->samples[i];
		if (s->shape == shape && s->replicate == replicate && take_triple(r, i, &t))
			add_triple(&c, &t);
	}
	return of_columns(&c);
}

struct effects effects_of(const struct result *r, unsigned shape)
{
	struct effects sum = { 0 };
	const unsigned nr = count_replicates(r);
	for (unsigned k = 0; k < nr; k++) {
		const struct effects one = of_replicate(r, shape, k);
		sum.drift += one.drift / nr;
		sum.reference_drift += one.reference_drift / nr;
		sum.carry_over += one.carry_over / nr;
		sum.after_candidate += one.after_candidate / nr;
	}
	return sum;
}

json_t *effects_to_json(const struct effects *x)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "drift", json_number(x->drift), "reference_drift",
			 json_number(x->reference_drift), "carry_over", json_number(x->carry_over),
			 "after_candidate", json_number(x->after_candidate));
}
