#include "tuner/campaign_in.h"

#include "base/mem.h"
#include "base/rng.h"

/* STEPS_MOST moves at once; a search that found nothing for DRY_MOST batches is over. */
enum { WANDER_BATCH = 6, STEPS_MOST = 3, DRAWS_MOST = 40, DRY_MOST = 12 };

/* Numbers and layouts depend on one another more than the rest does, so they are drawn more often.
 */
static const moves_fn ways[] = {
	moves_numbers, moves_numbers, moves_numbers, moves_rests, moves_threads,  moves_packs,
	moves_packs,   moves_finish,  moves_builds,  moves_tiles, moves_ablation, moves_math,
};

/* One move of one way; false: that way has none. */
static bool step(const struct campaign *c, struct rng *rng, struct plan *p)
{
	AUTO_FREE struct moves *moves = xcalloc(1, sizeof(*moves));
	ways[rng_below(rng, ARRAY_LEN(ways))](&c->ground, p, moves);
	if (!moves->nr)
		return false;
	*p = moves->items[rng_below(rng, moves->nr)];
	return true;
}

static struct plan stray(const struct campaign *c, struct rng *rng)
{
	struct plan p = campaign_best(c)->plan;
	size_t steps = 2 + rng_below(rng, STEPS_MOST - 1);
	for (size_t i = 0; i < steps; i++)
		step(c, rng, &p);
	return p;
}

void campaign_draw(const struct campaign *c, struct rng *rng, struct moves *out)
{
	size_t compiler = campaign_compiler_of(&campaign_best(c)->plan);
	for (int i = 0; i < DRAWS_MOST && out->nr < WANDER_BATCH; i++) {
		const struct plan p = stray(c, rng);
		if (campaign_compiler_of(&p) == compiler && plan_renders(&c->ground, &p))
			out->items[out->nr++] = p;
	}
}

void campaign_wander(struct campaign *c)
{
	struct rng rng = { .seed = rng_derive(c->nr_memory, "wander") };
	int dry = 0;
	c->phase = "several at once";
	while (campaign_best(c)->ratio > 0 && campaign_has_time(c) && dry < DRY_MOST) {
		AUTO_FREE struct moves *moves = xcalloc(1, sizeof(*moves));
		size_t from = c->nr_memory;
		campaign_draw(c, &rng, moves);
		campaign_try(c, moves);
		dry = campaign_adopt(c, campaign_compiler_of(&campaign_best(c)->plan), from)
			      ? 0
			      : dry + 1;
	}
}
