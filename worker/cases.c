#include "worker/cases.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "judge/mixture.h"
#include "worker/exchange.h"

#define MIN_TOLD_NS (50 * NS_PER_US)
#define TOLD_RATIO 2.0

static bool can_have_twin(const struct shape_cases *s, size_t at)
{
	const struct group *group = &s->shape->groups[at];
	return group->is_timed && exchange_is_possible(&s->fp, group);
}

/* Where a candidate is judged, one group of each shape has a twin. */
static bool has_twin(const struct shape_cases *s, const struct worker *w)
{
	if (w->job.kind != JOB_JUDGE && w->job.kind != JOB_TIME)
		return false;
	for (size_t i = 0; i < s->nr_groups; i++)
		if (can_have_twin(s, i))
			return true;
	return false;
}

static int add_shape(struct cases *c, const struct worker *w, const struct shape *shape,
		     struct err *e)
{
	struct shape_cases *s = &c->shapes[c->nr];
	s->shape = shape;
	c->nr++;
	if (footprint_init(&s->fp, &w->task, shape, e) < 0)
		return -1;
	s->nr_groups = shape->nr_groups;
	s->nr = s->nr_groups + (has_twin(s, w) ? 1 : 0);
	s->contents = xcalloc(s->nr, sizeof(*s->contents));
	s->ranges = xcalloc(s->fp.nr, sizeof(*s->ranges));
	c->nr_cases += s->nr_groups;
	return 0;
}

int cases_init(struct cases *c, const struct worker *w, struct err *e)
{
	const struct shapes *all = &w->task.shapes;
	/* Tolerances are made once, so they have to cover the held-out shapes too. */
	const bool with_held_out = w->job.held_out || w->job.kind == JOB_CALIBRATE;
	*c = (struct cases){ .shapes = xcalloc(all->nr, sizeof(*c->shapes)) };
	for (size_t i = 0; i < all->nr; i++) {
		if (all->items[i].held_out && !with_held_out)
			continue;
		if (add_shape(c, w, &all->items[i], e) < 0)
			return -1;
	}
	if (c->nr_cases == 0)
		return err_set(e, ERR_INPUT, "task %s has no case to judge", w->task.name);
	return 0;
}

/* The twin's group is drawn from the seed. */
static int fill_twin(struct shape_cases *s, const struct worker *w, uint64_t seed, struct err *e)
{
	struct content *twin = &s->contents[s->nr_groups];
	AUTO_FREE char *purpose = xasprintf("twin/%s", s->shape->name);
	struct rng rng = { .seed = rng_derive(seed, purpose) };
	size_t at = rng_below(&rng, s->nr_groups);
	while (!can_have_twin(s, at))
		at = (at + 1) % s->nr_groups;
	if (content_fill(twin, w, &s->fp, &s->shape->groups[at], seed, e) < 0)
		return -1;
	exchange_make(twin, rng.seed);
	return 0;
}

int cases_fill(struct shape_cases *s, const struct worker *w, uint64_t seed, struct err *e)
{
	for (size_t i = 0; s->ranges && i < s->fp.nr; i++)
		s->ranges[i].is_known = false;
	for (size_t i = 0; i < s->nr_groups; i++)
		if (content_fill(&s->contents[i], w, &s->fp, &s->shape->groups[i], seed, e) < 0)
			return -1;
	return s->nr > s->nr_groups ? fill_twin(s, w, seed, e) : 0;
}

struct costs {
	const struct shape_cases *shape;
	const struct content *least;
	const struct content *most;
	double ratio;
};

static void spread_of(const struct shape_cases *s, enum party party, struct costs *worst)
{
	struct costs here = { .shape = s };
	for (size_t i = 0; i < s->nr_groups; i++) {
		const struct content *c = &s->contents[i];
		if (!c->group->is_timed || c->call_ns[party] == 0)
			continue;
		if (!here.least || c->call_ns[party] < here.least->call_ns[party])
			here.least = c;
		if (!here.most || c->call_ns[party] > here.most->call_ns[party])
			here.most = c;
	}
	/* Two calls of a few microseconds tell little. */
	if (!here.least || here.least->call_ns[party] < MIN_TOLD_NS)
		return;
	here.ratio = (double)here.most->call_ns[party] / (double)here.least->call_ns[party];
	if (here.ratio > worst->ratio)
		*worst = here;
}

void cases_note_costs(struct worker *w, const struct cases *c)
{
	for (enum party party = PARTY_REFERENCE; party <= PARTY_CANDIDATE; party++) {
		struct costs x = { .ratio = 0 };
		for (size_t i = 0; i < c->nr; i++)
			spread_of(&c->shapes[i], party, &x);
		if (x.ratio < TOLD_RATIO)
			continue;
		worker_note(
			w,
			"what a call of the %s costs depends on the values of its inputs: shape %s "
			"took %.1f us in group %s, %.1f us in group %s; all timed groups count "
			"alike",
			party_name(party), x.shape->shape->name,
			(double)x.least->call_ns[party] / 1e3, x.least->group->name,
			(double)x.most->call_ns[party] / 1e3, x.most->group->name);
	}
}

void cases_release(struct cases *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		struct shape_cases *s = &c->shapes[i];
		for (size_t k = 0; k < s->nr; k++)
			content_release(&s->contents[k]);
		free(s->contents);
		free(s->ranges);
		footprint_release(&s->fp);
	}
	free(c->shapes);
	*c = (struct cases){ 0 };
}
