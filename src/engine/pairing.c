#include "engine/pairing.h"

/* A round of a replicate and shape counts when all three of its slots are there; it is dropped as
 * a whole when one of them is. Shapes that were judged but not timed do not appear. */

#include <math.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/result.h"
#include "stats/paired.h"
#include "stats/summary.h"
#include "store/state_estimate.h"

struct pairing {
	const struct result *r;
	unsigned *place; /* result shape -> timed shape, UINT_MAX: not timed */
	unsigned nr_shapes;
	unsigned nr_replicates;
	unsigned nr_rounds;          /* highest round number + 1 */
	const struct sample **slots; /* [shape][replicate][round][slot] */
	size_t nr_cells;
};

static const unsigned not_timed = (unsigned)-1;

static void find_extent(struct pairing *p, struct arena *a)
{
	const struct result *r = p->r;
	p->place = arena_array(a, r->nr_shapes, sizeof(*p->place));
	for (size_t i = 0; i < r->nr_shapes; i++)
		p->place[i] = not_timed;
	for (size_t i = 0; i < r->nr_samples; i++) {
		const struct sample *s = &r->samples[i];
		p->place[s->shape] = 0;
		if (s->replicate >= p->nr_replicates)
			p->nr_replicates = s->replicate + 1;
		if (s->round >= p->nr_rounds)
			p->nr_rounds = s->round + 1;
	}
	for (size_t i = 0; i < r->nr_shapes; i++)
		if (p->place[i] != not_timed)
			p->place[i] = p->nr_shapes++;
}

static size_t cell_of(const struct pairing *p, const struct sample *s)
{
	size_t shape = p->place[s->shape];
	return (shape * p->nr_replicates + s->replicate) * p->nr_rounds + s->round;
}

static void place_samples(struct pairing *p, struct arena *a)
{
	p->nr_cells = size_mul(size_mul(p->nr_shapes, p->nr_replicates), p->nr_rounds);
	p->slots = arena_array(a, size_mul(p->nr_cells, SLOT_NR), sizeof(*p->slots));
	for (size_t i = 0; i < p->r->nr_samples; i++) {
		const struct sample *s = &p->r->samples[i];
		p->slots[cell_of(p, s) * SLOT_NR + s->slot] = s;
	}
}

static double per_call_ns(const struct sample *s)
{
	return (double)s->ns / (double)s->calls;
}

static struct paired_round round_of(const struct pairing *p, const struct sample *const *slot)
{
	const struct sample *ref = slot[SLOT_REFERENCE];
	const struct sample *cand = slot[SLOT_CANDIDATE];
	const struct sample *again = slot[SLOT_REFERENCE_AGAIN];
	return (struct paired_round){
		.shape = p->place[ref->shape],
		.replicate = ref->replicate,
		.round = ref->round,
		.reference_ns = per_call_ns(ref),
		.candidate_ns = per_call_ns(cand),
		.again_ns = per_call_ns(again),
		.is_reference_first = ref->order < cand->order,
		.is_dropped = ref->is_dropped || cand->is_dropped || again->is_dropped,
	};
}

static size_t collect_rounds(const struct pairing *p, struct paired_round *rounds)
{
	size_t nr = 0;
	for (size_t i = 0; i < p->nr_cells; i++) {
		const struct sample *const *slot = &p->slots[i * SLOT_NR];
		if (slot[SLOT_REFERENCE] && slot[SLOT_CANDIDATE] && slot[SLOT_REFERENCE_AGAIN])
			rounds[nr++] = round_of(p, slot);
	}
	return nr;
}

/* What earlier null trials found on the machine that measured, by timed shape. */
static double *stored_floors(const struct pairing *p, struct arena *a)
{
	double *floors = arena_array(a, p->nr_shapes, sizeof(*floors));
	for (size_t i = 0; i < p->r->nr_shapes; i++)
		if (p->place[i] != not_timed)
			floors[p->place[i]] = result_noise_floor(p->r, p->r->shapes[i].name);
	return floors;
}

/* The reference beside the candidate against alone, ln, of the replicates that could tell. */
static const double *slowdowns(const struct pairing *p, struct arena *a, size_t *nr)
{
	double *all = arena_array(a, p->nr_replicates, sizeof(*all));
	*nr = result_slowdowns(p->r, all, p->nr_replicates);
	for (size_t i = 0; i < *nr; i++)
		all[i] = log1p(all[i]);
	return all;
}

static void fill_shapes(const struct pairing *p, const struct paired *paired, struct arena *a,
			struct state_estimate *est)
{
	est->nr_shapes = p->nr_shapes;
	est->shapes = arena_array(a, est->nr_shapes, sizeof(*est->shapes));
	for (size_t i = 0; i < p->r->nr_shapes; i++) {
		if (p->place[i] == not_timed)
			continue;
		const struct estimate *x = &paired->shapes[p->place[i]];
		est->shapes[p->place[i]] =
			(struct state_shape){ .name = arena_strdup(a, p->r->shapes[i].name),
					      .held_out = p->r->shapes[i].held_out,
					      .call = call_name(x->call),
					      .speedup = x->speedup,
					      .low = x->low,
					      .high = x->high,
					      .reference_ns = x->reference_ns,
					      .candidate_ns = x->candidate_ns };
	}
}

static void fill_all(const struct pairing_spec *spec, const struct estimate *x, struct arena *a,
		     struct state_estimate *est)
{
	*est = (struct state_estimate){ .call = call_name(x->call),
					.purpose = arena_strdup(a, spec->purpose),
					.comparator = arena_strdup(a, spec->comparator),
					.job = arena_strdup(a, spec->result->job_id),
					.replicates = x->replicates,
					.speedup = x->speedup,
					.low = x->low,
					.high = x->high,
					.floor = x->floor,
					.confidence = x->confidence,
					.slowdown = expm1(x->beside),
					.is_reference_slowed = x->is_reference_slowed,
					.drift = x->drift,
					.carry_over = x->carry_over,
					.is_contended = spec->result->is_contended };
}

int pairing_estimate(const struct pairing_spec *spec, struct arena *a, struct state_estimate *est,
		     struct err *e)
{
	AUTO_ARENA struct arena scratch = { 0 };
	AUTO_PAIRED struct paired paired = { 0 };
	struct pairing p = { .r = spec->result };
	find_extent(&p, &scratch);
	if (!p.nr_shapes)
		return err_set(e, ERR_INPUT, "job %s has no samples", spec->result->job_id);
	place_samples(&p, &scratch);
	struct paired_round *rounds = arena_array(&scratch, p.nr_cells, sizeof(*rounds));
	struct paired_spec how = { .rounds = rounds,
				   .nr_rounds = collect_rounds(&p, rounds),
				   .nr_shapes = p.nr_shapes,
				   .nr_replicates = p.nr_replicates,
				   .shape_floors = stored_floors(&p, &scratch) };
	how.beside = slowdowns(&p, &scratch, &how.nr_beside);
	if (paired_evaluate(&paired, &how, e) < 0)
		return err_wrap(e, "job %s", spec->result->job_id);
	fill_all(spec, &paired.all, a, est);
	fill_shapes(&p, &paired, a, est);
	return 0;
}

double pairing_reference_geomean(const struct state_estimate *est)
{
	AUTO_ARENA struct arena scratch = { 0 };
	double *times = arena_array(&scratch, est->nr_shapes, sizeof(*times));
	size_t nr = 0;
	for (size_t i = 0; i < est->nr_shapes; i++)
		if (!est->shapes[i].held_out)
			times[nr++] = est->shapes[i].reference_ns;
	return nr ? summary_geomean(times, nr) : 0;
}

void pairing_lost_shapes(const struct state_estimate *est, double allowed, struct strv *names)
{
	for (size_t i = 0; i < est->nr_shapes; i++) {
		const struct state_shape *s = &est->shapes[i];
		if (str_equal(s->call, call_name(CALL_SLOWER)) && s->high < 1 - allowed)
			strv_add(names, s->name);
	}
}

bool estimate_is(const struct state_estimate *est, const char *call)
{
	return str_equal(est->call, call);
}
