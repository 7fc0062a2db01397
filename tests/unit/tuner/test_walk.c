#include "kernels.h"

#include "base/rng.h"
#include "tuner/moves.h"
#include "tuner/plan.h"

/* Plans that a search may come across, drawn at random: each renders or says why not, and what
 * renders can be read again. */

enum { WALKS = 12, STEPS_MOST = 6 };

static const char *const sources[] = { KERNEL_ROWS,     KERNEL_NEST,  KERNEL_TURN, KERNEL_CHAIN,
				       KERNEL_TRIANGLE, KERNEL_PLACE, KERNEL_ODD,  KERNEL_SWEEPS };

static const moves_fn ways[] = { moves_canonical, moves_math,    moves_idioms, moves_tiles,
				 moves_retiles,   moves_rests,   moves_packs,  moves_order,
				 moves_threads,   moves_numbers, moves_finish, moves_builds,
				 moves_ablation };

static struct plan draw(const struct ground *g, struct rng *rng)
{
	struct plan p = { .nr = 0 };
	const size_t steps = 1 + rng_below(rng, STEPS_MOST);
	for (size_t i = 0; i < steps; i++) {
		AUTO_FREE struct moves *moves = xcalloc(1, sizeof(*moves));
		ways[rng_below(rng, ARRAY_LEN(ways))](g, &p, moves);
		if (moves->nr)
			p = moves->items[rng_below(rng, moves->nr)];
	}
	return p;
}

/* Does it render? What does is read without a crash; what does not says why. */
static bool try_plan(const struct ground *g, const struct plan *p)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_ARENA struct arena a = { 0 };
	struct err e = { 0 };
	bool renders = plan_render(p, g->source, g->task, &text, &e) == 0;
	CHECK(renders ? text.len > 0 : e.text[0] != 0);
	AUTO_KERNEL struct kernel again = { 0 };
	kernel_init(&again, renders ? text.text : g->source, g->task, &a);
	return renders;
}

TEST(plans_drawn_at_random_render_or_say_why_not)
{
	unsigned nr_rendered = 0;
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		struct rng rng = { .seed = rng_derive(i, "walk") };
		for (int w = 0; w < WALKS; w++) {
			AUTO_ARENA struct arena a = { 0 };
			const struct ground g = { sources[i], &kernel_task, &a, NULL };
			const struct plan p = draw(&g, &rng);
			nr_rendered += try_plan(&g, &p);
		}
	}
	printf("# %u of %zu rendered\n", nr_rendered, WALKS * ARRAY_LEN(sources));
	CHECK(nr_rendered > WALKS * ARRAY_LEN(sources) / 4);
}

TEST_MAIN()
