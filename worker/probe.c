#include "worker/probe.h"

/*
 * A probe borrows the name of the group it was made from: that finds the tolerances, and tells the
 * author which data it resembles ("normal:mixed"). What a mixture may be off is the widest of all
 * groups' tolerances and of what the reference earns on these inputs, and then MIX_SLACK times
 * that: strange rows can be far harder than the groups', and a probe looks for another answer, not
 * for the last digits. Scaling moves no digit, so there the group's own tolerances hold.
 */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "judge/calibrate.h"
#include "judge/judge.h"
#include "judge/linear.h"
#include "model/task_linear.h"
#include "worker/mixing.h"
#include "worker/oracle.h"
#include "worker/own_error.h"
#include "worker/pages.h"
#include "worker/show.h"

enum { MAX_PROBES = 3, MIX_SLACK = 16 };
enum { LEAST_EXPONENT = 3, NR_EXPONENTS = 6 };

/* Whom, by which tolerances, and on what. */
struct ask {
	struct worker *w;
	const struct tolerances *tolerances;
	const struct shape_cases *cases; /* that the probes are made from */
	uint64_t call_deadline_ns;
};

struct probing {
	struct worker *w;
	const struct tolerances *tolerances;
	const struct shape_cases *cases;
	struct rng rng;
	uint64_t call_deadline_ns;
	struct shape_cases own;
	struct group groups[MAX_PROBES];
	const char *kinds[MAX_PROBES];
	struct shown candidate[MAX_PROBES];
	struct shown reference[MAX_PROBES];
	bool has_asked_reference;
};

static int probing_init(struct probing *p, const struct ask *ask, struct err *e)
{
	const struct shape *shape = ask->cases->shape;
	AUTO_FREE char *purpose = xasprintf("probe/%s", shape->name);
	*p = (struct probing){ .w = ask->w,
			       .tolerances = ask->tolerances,
			       .cases = ask->cases,
			       .call_deadline_ns = ask->call_deadline_ns };
	p->rng.seed = rng_derive_secret(ask->w->job.seed, purpose);
	p->own.shape = shape;
	p->own.contents = xcalloc(MAX_PROBES, sizeof(*p->own.contents));
	return footprint_init(&p->own.fp, &ask->w->task, shape, e);
}

static void probing_release(struct probing *p)
{
	for (size_t i = 0; i < p->own.nr; i++) {
		shown_release(&p->candidate[i], &p->own.fp);
		shown_release(&p->reference[i], &p->own.fp);
		content_release(&p->own.contents[i]);
	}
	free(p->own.contents);
	footprint_release(&p->own.fp);
}

/* Room for one more, with nothing in it but the inputs' memory. */
static struct content *new_probe(struct probing *p, const struct content *base, const char *kind)
{
	size_t at = p->own.nr++;
	struct content *c = &p->own.contents[at];
	p->groups[at] = (struct group){ .name = base->group->name };
	p->kinds[at] = kind;
	content_init(c, &p->own.fp, &p->groups[at]);
	for (size_t i = 0; i < p->own.fp.nr; i++)
		if (base->in[i])
			c->in[i] = pages_new(p->own.fp.items[i].bytes);
	return c;
}

static void drop_last(struct probing *p)
{
	content_release(&p->own.contents[--p->own.nr]);
}

/* --- mixed --- */

/* The widest tolerance of an output over the groups. */
static struct tolerance widest(const struct probing *p, size_t arg)
{
	struct tolerance out = { 0 };
	for (size_t g = 0; g < p->cases->nr; g++) {
		const struct content *c = &p->cases->contents[g];
		const struct tolerance *t = tolerances_find(p->tolerances, c->group->name,
							    p->own.fp.items[arg].arg->name);
		out.slice = fmax(out.slice, fmax(t ? t->slice : 0, c->own[arg].slice));
		out.tensor = fmax(out.tensor, fmax(t ? t->tensor : 0, c->own[arg].tensor));
	}
	return out;
}

static void grant(struct content *c, size_t arg, struct tolerance t)
{
	c->own[arg].slice = fmax(c->own[arg].slice, MIX_SLACK * t.slice);
	c->own[arg].tensor = fmax(c->own[arg].tensor, MIX_SLACK * t.tensor);
}

static int add_mixed(struct probing *p, size_t base, bool is_rare, struct err *e)
{
	const struct content *from = &p->cases->contents[base];
	struct content *c = new_probe(p, from, is_rare ? "one_row" : "mixed");
	for (size_t i = 0; i < p->own.fp.nr; i++) {
		if (p->own.fp.items[i].is_output)
			grant(c, i, widest(p, i));
		if (!c->in[i])
			continue;
		memcpy(c->in[i], from->in[i], p->own.fp.items[i].bytes);
		const struct mixing how = { p->cases, i, base, is_rare, rng_next(&p->rng) };
		if (mixing_is_possible(p->cases, i) && mixing_make(&how, c->in[i], e) < 0)
			return -1;
	}
	return 0;
}

/* --- linear --- */

static bool is_scaled(const struct probing *p, const char *item, size_t arg)
{
	return p->own.fp.items[arg].is_tensor &&
	       task_linear_has(item, p->own.fp.items[arg].arg->name);
}

/* False: this factor does not do for these values. */
static bool fill_scaled(const struct probing *p, struct content *c, const struct content *from,
			const char *item, double factor)
{
	for (size_t i = 0; i < p->own.fp.nr; i++) {
		const struct operand *o = &p->own.fp.items[i];
		if (c->in[i] && !is_scaled(p, item, i))
			memcpy(c->in[i], from->in[i], o->bytes);
		else if (c->in[i] &&
			 !linear_scale(o->arg->dtype, from->in[i], o->nr, factor, c->in[i]))
			return false;
		if (!o->is_output)
			continue;
		c->own[i] = from->own[i];
		c->want[i] = pages_new(size_mul(o->nr, want_cell_bytes(o)));
		if (!linear_expect(o->arg->dtype, from->want[i], o->nr, factor, c->want[i]))
			return false;
	}
	c->is_expected = true;
	return true;
}

static bool add_scaled(struct probing *p, const struct content *from, const char *item,
		       const char *kind, double factor)
{
	struct content *c = new_probe(p, from, kind);
	if (fill_scaled(p, c, from, item, factor))
		return true;
	drop_last(p);
	return false;
}

/* Largest magnitude of what an item names. */
static double size_of(const struct probing *p, const struct content *c, const char *item)
{
	double size = 0;
	for (size_t i = 0; i < p->own.fp.nr; i++) {
		const struct operand *o = &p->own.fp.items[i];
		if (!c->in[i] || !is_scaled(p, item, i))
			continue;
		for (size_t k = 0; k < o->nr; k++)
			size = fmax(size, fabs(dtype_load(o->arg->dtype, c->in[i], k)));
	}
	return size;
}

/* The contents with the largest or the smallest values. */
static const struct content *most_extreme(const struct probing *p, const char *item, bool is_large)
{
	const struct content *found = &p->cases->contents[0];
	double size = size_of(p, found, item);
	for (size_t i = 1; i < p->cases->nr; i++) {
		double other = size_of(p, &p->cases->contents[i], item);
		if (is_large ? other <= size : other >= size)
			continue;
		found = &p->cases->contents[i];
		size = other;
	}
	return found;
}

static double draw_factor(struct probing *p)
{
	int exponent = LEAST_EXPONENT + (int)rng_below(&p->rng, NR_EXPONENTS);
	return rng_below(&p->rng, 2) ? ldexp(1, exponent) : -ldexp(1, exponent);
}

/* Beyond what any group holds, in both directions. */
static void add_linear(struct probing *p, const char *item)
{
	const struct content *large = most_extreme(p, item, true);
	const struct content *small = most_extreme(p, item, false);
	add_scaled(p, large, item, "scaled", draw_factor(p));
	add_scaled(p, small, item, "scaled", 1 / draw_factor(p));
	add_scaled(p, large, item, "zeroed", 0);
}

/* --- asking --- */

static int judge_answers(const struct probing *p, size_t at, const struct shown *shown,
			 struct judgement *out, struct err *e)
{
	const struct content *c = &p->own.contents[at];
	*out = (struct judgement){ .verdict = shown->ended };
	if (shown->ended.state != VERDICT_NONE)
		return 0;
	if (content_judge(c, p->tolerances, &shown->answers[0], out, e) < 0)
		return -1;
	if (shown->has_same_bits || out->verdict.state != VERDICT_PASS)
		return 0;
	return content_judge(c, p->tolerances, &shown->answers[1], out, e);
}

/* What the reference earns on a mixture; false: it does not compute what the judge does. */
static int earn(struct probing *p, size_t at, bool *is_aligned, struct err *e)
{
	struct content *c = &p->own.contents[at];
	*is_aligned = true;
	for (size_t i = 0; i < p->own.fp.nr; i++) {
		const struct operand *o = &p->own.fp.items[i];
		int64_t extent[CONTENT_MAX_RANK] = { 0 };
		struct compare_spec spec;
		struct compare compare;
		if (!o->is_output)
			continue;
		if (content_to_compare(c, &p->reference[at].answers[0], i, extent, &spec, e) < 0)
			return -1;
		compare_run(&spec, &compare);
		*is_aligned &= calibrate_is_aligned(o->arg->dtype, &compare);
		grant(c, i,
		      tolerance_of(o->arg->dtype,
				   (struct tolerance){ .slice = compare.max_slice_err,
						       .tensor = compare.max_tensor_err }));
	}
	return 0;
}

static int ask_reference(struct probing *p, struct err *e)
{
	if (p->has_asked_reference)
		return 0;
	p->has_asked_reference = true;
	return show_shape(p->w, &p->own, PARTY_REFERENCE, worker_left_ns(p->w), p->reference, e);
}

/* The judge need not have an answer where no group of the task is. */
static int ask_judge(struct probing *p, size_t at, struct err *e)
{
	if (oracle_run(p->w, &p->own.fp, &p->own.contents[at], 1, e) == 0)
		return 0;
	if (e->kind != ERR_INPUT)
		return -1;
	*e = (struct err){ 0 };
	return 0;
}

/* Does the reference hold where the candidate did not? */
static int reference_holds(struct probing *p, size_t at, bool *holds, struct err *e)
{
	const struct shown *shown = &p->reference[at];
	*holds = false;
	if (!p->w->builds[PARTY_REFERENCE].nr_so || !p->own.contents[at].is_expected)
		return 0;
	if (ask_reference(p, e) < 0)
		return -1;
	if (!shown->was_called || shown->ended.state != VERDICT_NONE)
		return 0;
	struct judgement own = { 0 };
	if (judge_answers(p, at, shown, &own, e) < 0)
		return -1;
	*holds = own.verdict.state == VERDICT_PASS;
	if (*holds || !own_error_is_granted(p->w))
		return 0;
	return earn(p, at, holds, e);
}

static void name_case(const struct probing *p, size_t at, struct verdict *v)
{
	snprintf(v->shape, sizeof(v->shape), "%s", p->own.shape->name);
	snprintf(v->group, sizeof(v->group), "%s:%s", p->groups[at].name, p->kinds[at]);
}

static int judge_one(struct probing *p, size_t at, struct judgement *out, struct err *e)
{
	bool holds = false;
	if (ask_judge(p, at, e) < 0)
		return -1;
	if (!p->own.contents[at].is_expected)
		return 0;
	if (judge_answers(p, at, &p->candidate[at], out, e) < 0)
		return -1;
	if (out->verdict.state != VERDICT_PASS && reference_holds(p, at, &holds, e) < 0)
		return -1;
	if (holds && judge_answers(p, at, &p->candidate[at], out, e) < 0)
		return -1;
	name_case(p, at, &out->verdict);
	if (out->verdict.state != VERDICT_PASS && holds)
		return 0;
	if (out->verdict.state != VERDICT_PASS)
		worker_note(p->w, "shape %s, group %s: dropped, for no reference passes it",
			    out->verdict.shape, out->verdict.group);
	out->verdict = (struct verdict){ 0 };
	return 0;
}

/* The first that fails. */
static int ask_candidate(struct probing *p, struct judgement *out, struct err *e)
{
	*out = (struct judgement){ 0 };
	if (p->own.nr == 0)
		return 0;
	if (show_shape(p->w, &p->own, PARTY_CANDIDATE, p->call_deadline_ns, p->candidate, e) < 0)
		return -1;
	for (size_t i = 0; i < p->own.nr && p->candidate[i].was_called; i++) {
		if (judge_one(p, i, out, e) < 0)
			return -1;
		if (out->verdict.state != VERDICT_NONE)
			return 0;
	}
	return 0;
}

static int ask_mixed(struct probing *p, size_t base, struct judgement *out, struct err *e)
{
	footprint_vary_scalars(&p->own.fp);
	if (add_mixed(p, base, false, e) < 0 || add_mixed(p, base, true, e) < 0)
		return -1;
	return ask_candidate(p, out, e);
}

/* Among the data of one group. */
static int run_mixed(const struct ask *ask, size_t base, struct judgement *out, struct err *e)
{
	struct probing p;
	int rc = probing_init(&p, ask, e);
	p.rng.counter = base << 32;
	if (rc == 0)
		rc = ask_mixed(&p, base, out, e);
	probing_release(&p);
	return rc;
}

/* Where not all is tried, the data of one group, which the seed chooses. */
static int run_all_mixed(const struct ask *ask, struct judgement *out, struct err *e)
{
	const size_t nr = ask->cases->nr;
	const size_t first = rng_derive(ask->w->job.seed, "mixed") % nr;
	const size_t nr_bases = worker_is_sampling(ask->w) ? 1 : nr;
	int rc = 0;
	for (size_t i = 0; rc == 0 && out->verdict.state == VERDICT_NONE && i < nr_bases; i++)
		rc = run_mixed(ask, (first + i) % nr, out, e);
	return rc;
}

static int run_linear(const struct ask *ask, const char *item, struct judgement *out, struct err *e)
{
	struct probing p;
	int rc = probing_init(&p, ask, e);
	if (rc == 0) {
		add_linear(&p, item);
		rc = ask_candidate(&p, out, e);
	}
	probing_release(&p);
	return rc;
}

int probe_candidate(struct worker *w, struct shape_cases *s, uint64_t call_deadline_ns,
		    struct judgement *out, struct err *e)
{
	const struct ask ask = { w, &w->tolerances, s, call_deadline_ns };
	*out = (struct judgement){ 0 };
	int rc = run_all_mixed(&ask, out, e);
	for (size_t i = 0; rc == 0 && out->verdict.state == VERDICT_NONE && i < w->task.nr_linear;
	     i++)
		rc = run_linear(&ask, w->task.linear[i], out, e);
	return rc < 0 ? err_wrap(e, "probe") : 0;
}

static int check_linear(struct probing *p, const char *item, struct err *e)
{
	add_linear(p, item);
	if (p->own.nr == 0)
		return 0;
	if (ask_reference(p, e) < 0)
		return -1;
	for (size_t i = 0; i < p->own.nr; i++) {
		struct judgement j = { 0 };
		if (judge_answers(p, i, &p->reference[i], &j, e) < 0)
			return -1;
		name_case(p, i, &j.verdict);
		if (j.verdict.state != VERDICT_PASS)
			return err_set(e, ERR_INPUT,
				       "the reference is not linear in %s, as task.toml says: case "
				       "%s/%s: %s %s; correct [task] linear",
				       item, j.verdict.shape, j.verdict.group,
				       reason_name(j.verdict.reason), j.verdict.detail);
	}
	return 0;
}

int probe_reference(struct worker *w, const struct tolerances *t, struct shape_cases *s,
		    struct err *e)
{
	const struct ask ask = { w, t, s, worker_left_ns(w) };
	for (size_t i = 0; i < w->task.nr_linear; i++) {
		struct probing p;
		int rc = probing_init(&p, &ask, e);
		if (rc == 0)
			rc = check_linear(&p, w->task.linear[i], e);
		probing_release(&p);
		if (rc < 0)
			return -1;
	}
	return 0;
}
