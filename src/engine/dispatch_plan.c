#include "engine/dispatch_plan.h"

/* Greedy: it begins with the fastest kernel of a build and adds the one that gains most, while it
 * gains enough. All speed-ups are over the same reference, so those of different jobs compare; what
 * luck put into them the decision about the dispatch kernel takes out again. */

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "store/fold.h"

/* The decision rule calls no smaller effect. */
#define LEAST_GAIN 0.01

struct search {
	const struct dispatch_spec *spec;
	struct arena *a;
	const struct state_round **pool; /* correct, measured, each source once */
	size_t nr_pool;
	const char **shapes;
	size_t nr_shapes;
};

/* The part that serves each shape, and what it measured there. */
struct arms {
	const struct state_round *parts[DISPATCH_MAX_PARTS];
	size_t nr;
	size_t *part_of;
	const struct state_shape **at;
};

static bool is_usable(const struct state_round *r)
{
	return r->outcome == ROUND_KEPT && r->verdict.state == VERDICT_PASS && !r->is_dispatch &&
	       state_round_estimate(r)->call;
}

static bool is_in_pool(const struct search *s, const char *source)
{
	for (size_t i = 0; i < s->nr_pool; i++)
		if (str_equal(s->pool[i]->source, source))
			return true;
	return false;
}

static void fill_pool(struct search *s)
{
	const struct run_state *state = s->spec->state;
	s->pool = arena_array(s->a, state->nr_rounds + 1, sizeof(*s->pool));
	for (size_t i = 0; i < state->nr_rounds; i++)
		if (is_usable(&state->rounds[i]) && !is_in_pool(s, state->rounds[i].source))
			s->pool[s->nr_pool++] = &state->rounds[i];
}

static void fill_shapes(struct search *s)
{
	const struct state_estimate *est = state_round_estimate(s->pool[0]);
	s->shapes = arena_array(s->a, est->nr_shapes + 1, sizeof(*s->shapes));
	for (size_t i = 0; i < est->nr_shapes; i++)
		if (!est->shapes[i].held_out)
			s->shapes[s->nr_shapes++] = est->shapes[i].name;
}

static const struct state_shape *measured(const struct state_round *r, const char *shape)
{
	const struct state_estimate *est = state_round_estimate(r);
	for (size_t i = 0; i < est->nr_shapes; i++)
		if (str_equal(est->shapes[i].name, shape) && est->shapes[i].speedup > 0)
			return &est->shapes[i];
	return NULL;
}

static bool is_everywhere_measured(const struct search *s, const struct state_round *r)
{
	for (size_t i = 0; i < s->nr_shapes; i++)
		if (!measured(r, s->shapes[i]))
			return false;
	return true;
}

static const char *build_of(const struct search *s, const struct state_round *r)
{
	return s->spec->builds ? s->spec->builds[r->number - 1] : "";
}

static bool is_built_alike(const struct search *s, const struct state_round *a,
			   const struct state_round *b)
{
	return build_of(s, a) && str_equal(build_of(s, a), build_of(s, b));
}

static double speedup_of(const struct state_round *r)
{
	return state_round_estimate(r)->speedup;
}

/* The fastest among those that are built like it. */
static bool is_leader(const struct search *s, const struct state_round *r)
{
	for (size_t i = 0; i < s->nr_pool; i++)
		if (is_built_alike(s, s->pool[i], r) && speedup_of(s->pool[i]) > speedup_of(r))
			return false;
	return build_of(s, r) != NULL;
}

static double least_gain(const struct state_round *leader)
{
	return fmax(LEAST_GAIN, state_round_estimate(leader)->floor);
}

static bool takes(const struct state_shape *mine, const struct state_shape *its)
{
	return mine->low > its->high;
}

/* In ln, of the geometric mean. */
static double gain_of(const struct search *s, const struct arms *arms, const struct state_round *r)
{
	double sum = 0;
	for (size_t i = 0; i < s->nr_shapes; i++) {
		const struct state_shape *mine = measured(r, s->shapes[i]);
		if (takes(mine, arms->at[i]))
			sum += log(mine->speedup / arms->at[i]->speedup);
	}
	return sum / (double)s->nr_shapes;
}

static void join(const struct search *s, struct arms *arms, const struct state_round *r)
{
	for (size_t i = 0; i < s->nr_shapes; i++) {
		const struct state_shape *mine = measured(r, s->shapes[i]);
		if (arms->at[i] && !takes(mine, arms->at[i]))
			continue;
		arms->at[i] = mine;
		arms->part_of[i] = arms->nr;
	}
	arms->parts[arms->nr++] = r;
}

static const struct state_round *next_part(const struct search *s, const struct arms *arms)
{
	const struct state_round *best = NULL;
	double most = log1p(least_gain(arms->parts[0]));
	for (size_t i = 0; i < s->nr_pool; i++) {
		const struct state_round *r = s->pool[i];
		if (!is_built_alike(s, r, arms->parts[0]) || !is_everywhere_measured(s, r) ||
		    gain_of(s, arms, r) <= most)
			continue;
		best = r;
		most = gain_of(s, arms, r);
	}
	return best;
}

static double expected_of(const struct search *s, const struct arms *arms)
{
	double sum = 0;
	for (size_t i = 0; i < s->nr_shapes; i++)
		sum += log(arms->at[i]->speedup);
	return exp(sum / (double)s->nr_shapes);
}

/* A part that lost all its shapes to later ones serves nothing but its place; the first stays. */
static bool serves(const struct search *s, const struct arms *arms, size_t part)
{
	for (size_t i = 0; i < s->nr_shapes; i++)
		if (arms->part_of[i] == part)
			return true;
	return part == 0;
}

static void take(const struct search *s, const struct arms *arms, struct dispatch_plan *p)
{
	p->nr = 0;
	for (size_t part = 0; part < arms->nr; part++) {
		if (!serves(s, arms, part))
			continue;
		for (size_t i = 0; i < s->nr_shapes; i++)
			if (arms->part_of[i] == part)
				p->part_of[i] = p->nr;
		p->rounds[p->nr++] = arms->parts[part]->number;
	}
	p->expected = expected_of(s, arms);
}

static void try_leader(const struct search *s, const struct state_round *leader,
		       struct dispatch_plan *p)
{
	struct arms arms = {
		.part_of = arena_array(s->a, s->nr_shapes, sizeof(*arms.part_of)),
		.at = arena_array(s->a, s->nr_shapes, sizeof(*arms.at)),
	};
	join(s, &arms, leader);
	const struct state_round *more = next_part(s, &arms);
	for (; more && arms.nr < DISPATCH_MAX_PARTS; more = next_part(s, &arms))
		join(s, &arms, more);
	double expected = expected_of(s, &arms);
	bool is_enough = expected > s->spec->bar * (1 + least_gain(leader));
	if (arms.nr > 1 && is_enough && expected > p->expected)
		take(s, &arms, p);
}

void dispatch_plan_find(const struct dispatch_spec *spec, struct arena *a, struct dispatch_plan *p)
{
	struct search s = { .spec = spec, .a = a };
	*p = (struct dispatch_plan){ 0 };
	fill_pool(&s);
	if (!s.nr_pool)
		return;
	fill_shapes(&s);
	p->shapes = s.shapes;
	p->nr_shapes = s.nr_shapes;
	p->part_of = arena_array(a, s.nr_shapes + 1, sizeof(*p->part_of));
	for (size_t i = 0; s.nr_shapes && i < s.nr_pool; i++)
		if (is_leader(&s, s.pool[i]) && is_everywhere_measured(&s, s.pool[i]))
			try_leader(&s, s.pool[i], p);
}
