#include "tuner/classify.h"

#include <math.h>

#include "base/mem.h"
#include "tuner/ir.h"
#include "tuner/scene.h"

/* Elements used fewer times than this are streamed through: memory decides. */
#define FEW_USES 4.0
#define MUCH_GATHERED 0.2
#define LEAST_SHARE 0.01

struct sums {
	double weight;
	double reads;
	double distinct;
	double strided;
	double gathered;
};

/* Elements that one place touches in a call: the product of the loops that move it. */
static double distinct_elements(const struct scene *s, const struct touch *t)
{
	double nr = 1;
	for (int i = t->loop; i != NO_LOOP; i = s->loops[i].parent)
		if (t->stride[i] != 0)
			nr *= s->loops[i].trips;
	return nr;
}

static void add_touch(struct sums *sums, const struct scene *s, const struct touch *t)
{
	double stride = t->stride[t->loop];
	sums->weight += t->weight;
	sums->reads += t->is_read ? t->weight : 0;
	sums->distinct += t->is_operand ? distinct_elements(s, t) : 0;
	sums->strided += fabs(stride) > 1 ? t->weight : 0;
	sums->gathered += isnan(stride) ? t->weight : 0;
}

/* Some innermost loop of the nest hands a value from one step to the next. */
static bool has_chain(const struct scene *s, int top)
{
	for (int i = 0; i < s->nr_loops; i++)
		if (s->loops[i].top == top && s->loops[i].is_innermost && !s->loops[i].is_shared &&
		    scene_work(s, i) > s->work / 4)
			return true;
	return false;
}

static enum bound find_bound(const struct scene *s, int top, const struct sums *sums, double uses)
{
	if (sums->gathered > MUCH_GATHERED * sums->weight)
		return BOUND_GATHER;
	if (uses < FEW_USES)
		return BOUND_MEMORY;
	return has_chain(s, top) ? BOUND_LATENCY : BOUND_ARITHMETIC;
}

static void classify_nest(struct nest_class *c, const struct scene *s, int top)
{
	struct sums sums = { 0 };
	double work = scene_work(s, top);
	for (size_t i = 0; i < s->nr_touches; i++)
		if (s->touches[i].loop != NO_LOOP && s->loops[s->touches[i].loop].top == top)
			add_touch(&sums, s, &s->touches[i]);
	*c = (struct nest_class){
		.label = s->loops[top].label,
		.share = work / s->work,
		.loads_a_step = sums.reads / work,
		.uses = sums.distinct > 0 ? sums.weight / sums.distinct : 1,
		.strided_share = sums.weight > 0 ? sums.strided / sums.weight : 0,
	};
	c->bound = find_bound(s, top, &sums, c->uses);
}

void classify(struct classes *out, const struct scene *s)
{
	out->nr = 0;
	for (int i = 0; i < s->nr_loops && out->nr < CLASSES_MAX; i++)
		if (s->loops[i].parent == NO_LOOP && scene_work(s, i) > LEAST_SHARE * s->work)
			classify_nest(&out->items[out->nr++], s, i);
}

const char *class_text(const struct nest_class *c, struct arena *a)
{
	static const char *const words[] = {
		[BOUND_MEMORY] = "memory",
		[BOUND_GATHER] = "gathers",
		[BOUND_LATENCY] = "a chain of dependent operations",
		[BOUND_ARITHMETIC] = "arithmetic",
	};
	return arena_printf(a,
			    "%s looks bound by %s: %.3g loads a step, each element used about "
			    "%.3g times, %.0f %% of the touches move by more than one element",
			    c->label, words[c->bound], c->loads_a_step, c->uses,
			    100 * c->strided_share);
}
