#include "tuner/campaign_in.h"

#include "base/err.h"
#include "base/mem.h"
#include "tuner/say.h"

void campaign_collect_near(const struct campaign *c, struct discovery *out)
{
	for (size_t i = 0; i < c->nr_memory; i++) {
		const struct state *s = &c->memory[i];
		if (s->ratio < 0.93 * out->best.ratio || !plan_is_near(&s->plan, &out->best.plan))
			continue;
		size_t at = out->nr_near < NEAR_MAX ? out->nr_near++ : NEAR_MAX;
		while (at > 0 && out->near[at - 1].ratio < s->ratio) {
			if (at < NEAR_MAX)
				out->near[at] = out->near[at - 1];
			at--;
		}
		if (at < NEAR_MAX)
			out->near[at] = (struct measured_plan){ s->plan, s->ratio };
	}
}

void campaign_climb(struct campaign *c, struct discovery *out)
{
	struct plan plan = c->setup->start;
	plan_difference(&plan, &out->best.plan, &out->changes, c->setup->a);
	for (size_t i = 0; i < out->changes.nr; i++) {
		struct lab_result r = { .outcome = LAB_TOO_SLOW };
		struct err ignored = { 0 };
		const char *row = out->changes.rows[i];
		bool is_done = plan_change(&plan, row, c->setup->a, &ignored) == 0;
		const char *source = is_done ? campaign_render(c, &plan) : NULL;
		out->is_whole[i] = source != NULL;
		if (source)
			lab_try(c->setup->lab, &source, 1, 0, &r);
		out->steps[i] = r.outcome == LAB_OK ? r.ratio : 0;
	}
}

/* Every step was a gain when it was taken; what their sum is worth is asked once more, for longer.
 * The judge's clock decides in the end, so a doubt in the interval is left to it. */
bool campaign_beats_start(const struct campaign *c, struct measured_plan *best, const char *source)
{
	struct lab_duel duel;
	struct err ignored = { 0 };
	if (lab_compare(c->setup->lab, c->first.source, source, LAST_DUEL_S, &duel, &ignored) < 0)
		return false;
	best->ratio = duel.ratio;
	say_text(c->setup->say,
		 "beside the kernel that the search began with: %.2fx (%.2f to %.2f)", duel.ratio,
		 duel.low, duel.high);
	return duel.ratio > LEAST_GAIN;
}
