#include "tuner/campaign_in.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "tuner/moves.h"
#include "tuner/say.h"

enum { BATCH = 8, CANDIDATES = 3, TILES_TIMES = 3 };

#define GIVE_UP 6.0
/* A compiler this far behind the other is not followed any more. */
#define FAR_BEHIND 0.6
#define RESERVE_S 6.0
/* Figures so far below the best are not believed at once. */
#define SUSPECT 0.75
/* What opens the way for others may cost this much of the speed. */
#define OPENING_SHARE 0.7

enum who { LEADER, BOTH };

static double now_s(void)
{
	return (double)clock_mono_ns() / (double)NS_PER_S;
}

size_t campaign_compiler_of(const struct plan *p)
{
	return strcmp(plan_compiler(p), "clang") == 0;
}

bool campaign_has_time(const struct campaign *c)
{
	return lab_seconds_left(c->setup->lab) > RESERVE_S;
}

const struct state *campaign_best(const struct campaign *c)
{
	return c->best[1].ratio > c->best[0].ratio ? &c->best[1] : &c->best[0];
}

const char *campaign_render(const struct campaign *c, const struct plan *p)
{
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	if (plan_render(p, c->setup->source, c->setup->task, &text, &ignored) < 0)
		return NULL;
	return arena_strdup(c->setup->a, text.text);
}

static bool is_known(const struct campaign *c, const char *source)
{
	for (size_t i = 0; i < c->nr_memory; i++)
		if (strcmp(c->memory[i].source, source) == 0)
			return true;
	return false;
}

static struct state *remember(struct campaign *c, const struct plan *p, const char *source)
{
	if (c->nr_memory == MEMORY_MAX)
		return NULL;
	struct state *s = &c->memory[c->nr_memory++];
	*s = (struct state){ *p, source, 0 };
	return s;
}

/* Figures taken at different times lie when the machine gets busy or quiet between them, so both
 * are timed in turn, and the newcomer's figure is put on the incumbent's scale. */
static bool is_better(const struct campaign *c, struct state *s, const struct state *than)
{
	struct lab_duel duel;
	struct err ignored = { 0 };
	if (than->ratio == 0)
		return true;
	/* What is left to gain over a kernel that was searched for before is little. */
	double seconds = c->first.ratio > 0 ? LATER_DUEL_S : DUEL_S;
	if (lab_compare(c->setup->lab, than->source, s->source, seconds, &duel, &ignored) < 0)
		return false;
	s->ratio = than->ratio * duel.ratio;
	return duel.ratio > LEAST_GAIN && duel.low > 1.0;
}

static void announce(const struct campaign *c, const struct state *s, const struct state *before)
{
	AUTO_STR struct str text = STR_INIT;
	for (size_t i = 0; i < s->plan.nr; i++)
		if (!plan_has(&before->plan, s->plan.rows[i]))
			str_addf(&text, "%s%s", text.len ? " | " : "", s->plan.rows[i]);
	say_text(c->setup->say, "%s: %.2fx, before %.2fx, by %s", c->phase, s->ratio, before->ratio,
		 text.len ? text.text : "leaving rows out");
}

/* The best of the newly measured plans of one compiler takes the place of the incumbent, if it is
 * really better; else the next of them is asked. */
bool campaign_adopt(struct campaign *c, size_t compiler, size_t from)
{
	for (int tries = 0; tries < CANDIDATES; tries++) {
		struct state *top = NULL;
		for (size_t i = from; i < c->nr_memory; i++) {
			struct state *s = &c->memory[i];
			bool is_ours = s->ratio > 0 && campaign_compiler_of(&s->plan) == compiler;
			if (is_ours && (!top || s->ratio > top->ratio))
				top = s;
		}
		if (!top || top->ratio < c->best[compiler].ratio * LEAST_GAIN)
			return false;
		if (is_better(c, top, &c->best[compiler])) {
			announce(c, top, &c->best[compiler]);
			c->best[compiler] = *top;
			return true;
		}
		if (top->ratio > c->best[compiler].ratio)
			top->ratio = c->best[compiler].ratio;
	}
	return false;
}

/* On stderr with --verbose: every plan and what became of it. */
static void trace(const struct campaign *c, const struct state *s, const struct lab_result *r)
{
	AUTO_STR struct str rows = STR_INIT;
	for (size_t i = 0; i < s->plan.nr; i++)
		str_addf(&rows, " | %s", s->plan.rows[i]);
	log_debug("%s: %.2fx %s%s", c->phase, s->ratio, r->outcome == LAB_OK ? "" : r->text,
		  rows.text);
}

/* A disturbance of seconds makes all that is measured meanwhile look bad. Where the last one does,
 * the best plan, whose speed is known, is asked once more: if it looks bad as well, the batch is.
 */
static bool is_disturbed(const struct campaign *c, const struct state *last)
{
	const struct state *best = campaign_best(c);
	return best->ratio > 0 && last->ratio > 0 && last->ratio < SUSPECT * best->ratio &&
	       lab_again(c->setup->lab, best->source) < SUSPECT * best->ratio;
}

static void measure_again(struct campaign *c, struct state **list, size_t nr)
{
	double known = campaign_best(c)->ratio;
	log_debug("%s: the machine was disturbed, these once more", c->phase);
	for (size_t i = 0; i < nr && campaign_has_time(c); i++) {
		struct state *s = list[i];
		if (s->ratio > 0 && s->ratio < SUSPECT * known)
			s->ratio = fmax(s->ratio, lab_again(c->setup->lab, s->source));
	}
}

static void measure(struct campaign *c, struct state **list, size_t nr)
{
	const char *sources[BATCH] = { NULL };
	struct lab_result results[BATCH];
	for (size_t i = 0; i < nr; i++)
		sources[i] = list[i]->source;
	lab_try(c->setup->lab, sources, nr, GIVE_UP, results);
	for (size_t i = 0; i < nr; i++) {
		list[i]->ratio = results[i].outcome == LAB_OK ? results[i].ratio : 0;
		trace(c, list[i], &results[i]);
	}
	if (nr && campaign_has_time(c) && is_disturbed(c, list[nr - 1]))
		measure_again(c, list, nr);
}

/* Measures what renders and is new; in batches, so that the clock is looked at between. */
void campaign_try(struct campaign *c, const struct moves *moves)
{
	struct state *batch[BATCH];
	size_t nr = 0;
	for (size_t i = 0; i < moves->nr && campaign_has_time(c); i++) {
		const char *source = campaign_render(c, &moves->items[i]);
		if (!source || is_known(c, source))
			continue;
		struct state *s = remember(c, &moves->items[i], source);
		if (!s)
			break;
		batch[nr++] = s;
		if (nr == BATCH) {
			measure(c, batch, nr);
			nr = 0;
		}
	}
	if (nr)
		measure(c, batch, nr);
}

static void try_from(struct campaign *c, size_t compiler, moves_fn find)
{
	struct moves *moves = xcalloc(1, sizeof(*moves));
	if (c->best[compiler].ratio > 0)
		find(&c->ground, &c->best[compiler].plan, moves);
	campaign_try(c, moves);
	free(moves);
}

/* One phase: its moves from the best plan of each compiler, or of the leading one, again while that
 * helps. Structure is sought with one compiler, and the other is given what was found. */
static bool run_phase(struct campaign *c, const char *name, moves_fn find, enum who who, int times)
{
	bool is_changed = false;
	c->phase = name;
	for (int n = 0; n < times && campaign_has_time(c); n++) {
		bool is_moved = false;
		size_t from = c->nr_memory;
		size_t leader = campaign_compiler_of(&campaign_best(c)->plan);
		for (size_t i = 0; i < COMPILERS; i++)
			if (who == BOTH || i == leader)
				try_from(c, i, find);
		for (size_t i = 0; i < COMPILERS; i++)
			is_moved = campaign_adopt(c, i, from) || is_moved;
		is_changed = is_changed || is_moved;
		if (!is_moved)
			break;
	}
	return is_changed;
}

/* A plan as good as the other compiler's may be better with the other's structure: each best is
 * tried with the other's build. */
static void cross(struct campaign *c)
{
	struct moves moves = { .nr = 0 };
	size_t from = c->nr_memory;
	c->phase = "the other compiler";
	for (size_t i = 0; i < COMPILERS; i++) {
		const struct plan *other = &c->best[1 - i].plan;
		if (c->best[i].ratio == 0 || c->best[1 - i].ratio == 0)
			return;
		moves.items[moves.nr++] = plan_with(&c->best[i].plan, other->rows[0], c->setup->a);
	}
	campaign_try(c, &moves);
	for (size_t i = 0; i < COMPILERS; i++)
		campaign_adopt(c, i, from);
}

static void drop_laggard(struct campaign *c)
{
	for (size_t i = 0; i < COMPILERS; i++)
		if (c->best[i].ratio < FAR_BEHIND * c->best[1 - i].ratio)
			c->best[i].ratio = 0;
}

/* Sizes are made known at once: it is what makes everything later decidable. */
static void begin(struct campaign *c)
{
	struct moves moves = { .nr = 0 };
	const char *build;
	c->phase = "builds";
	for (size_t i = 0; (build = moves_first_build(i)); i++) {
		const struct plan plain = { .rows = { build }, .nr = 1 };
		bool is_clang = campaign_compiler_of(&plain) == 1;
		if (is_clang && !lab_has_compiler(c->setup->lab, "clang"))
			continue;
		moves.items[moves.nr++] = plain;
		moves.items[moves.nr++] = plan_with(&plain, "specialise shapes=all", c->setup->a);
	}
	campaign_try(c, &moves);
	for (size_t i = 0; i < COMPILERS; i++)
		campaign_adopt(c, i, 0);
}

/* The rows under the first build of the other compiler. */
static void add_other_compiler(const struct campaign *c, struct moves *moves)
{
	const char *build;
	for (size_t i = 0; (build = moves_first_build(i)); i++) {
		const struct plan other = plan_with(&c->setup->start, build, c->setup->a);
		if (campaign_compiler_of(&other) == campaign_compiler_of(&c->setup->start) ||
		    !lab_has_compiler(c->setup->lab, plan_compiler(&other)))
			continue;
		moves->items[moves->nr++] = other;
		return;
	}
}

/* The start is the reference, word for word, so its speed is known. */
static void resume(struct campaign *c)
{
	struct moves moves = { .nr = 1, .items = { c->setup->start } };
	c->phase = "start";
	add_other_compiler(c, &moves);
	campaign_try(c, &moves);
	if (!c->nr_memory || !plan_equal(&c->memory[0].plan, &c->setup->start) ||
	    c->memory[0].ratio == 0)
		return;
	c->memory[0].ratio = 1;
	c->first = c->memory[0];
	c->best[campaign_compiler_of(&c->first.plan)] = c->first;
	for (size_t i = 0; i < COMPILERS; i++)
		campaign_adopt(c, i, 0);
}

/* Nothing but what every search begins with. */
static bool is_bare(const struct plan *p)
{
	const struct plan rest = plan_without_kind(p, "build");
	return plan_without_kind(&rest, "specialise").nr == 0;
}

static struct state *recall(struct campaign *c, const struct plan *p)
{
	for (size_t i = 0; i < c->nr_memory; i++)
		if (plan_equal(&c->memory[i].plan, p))
			return &c->memory[i];
	return NULL;
}

/* Known sizes are worth having even where they bring nothing by themselves yet. */
static void prefer_sizes(struct campaign *c, struct state *best)
{
	const struct plan sized = plan_with(&best->plan, "specialise shapes=all", c->setup->a);
	const struct state *s = best->ratio > 0 ? recall(c, &sized) : NULL;
	if (s && s->ratio > OPENING_SHARE * best->ratio)
		*best = *s;
}

/* Opening rows are kept unless they cost a lot: they make later ones possible. */
static void open_ways(struct campaign *c)
{
	c->phase = "opening";
	for (size_t i = 0; i < COMPILERS; i++) {
		struct moves moves = { .nr = 0 };
		struct state *best = &c->best[i];
		size_t from = c->nr_memory;
		if (best->ratio == 0)
			continue;
		prefer_sizes(c, best);
		moves_canonical(&c->ground, &best->plan, &moves);
		campaign_try(c, &moves);
		if (c->nr_memory > from && c->memory[from].ratio > OPENING_SHARE * best->ratio) {
			announce(c, &c->memory[from], best);
			*best = c->memory[from];
		}
	}
}

/* A row whose loss is not seen goes, so that the kernel stays readable. */
static void drop_idle_rows(struct campaign *c)
{
	struct state *best = &c->best[campaign_compiler_of(&campaign_best(c)->plan)];
	c->phase = "ablation";
	for (size_t at = best->plan.nr; at-- > 1 && campaign_has_time(c);) {
		struct moves one = { .nr = 1 };
		struct lab_duel duel;
		struct err ignored = { 0 };
		size_t from = c->nr_memory;
		if (row_text_is(best->plan.rows[at], "specialise") ||
		    plan_has(&c->setup->start, best->plan.rows[at]))
			continue;
		one.items[0] = plan_without(&best->plan, at);
		campaign_try(c, &one);
		if (c->nr_memory == from || c->memory[from].ratio == 0 ||
		    lab_compare(c->setup->lab, best->source, c->memory[from].source, DUEL_S, &duel,
				&ignored) < 0 ||
		    duel.ratio < 0.995)
			continue;
		c->memory[from].ratio = best->ratio * duel.ratio;
		announce(c, &c->memory[from], best);
		*best = c->memory[from];
	}
}

/* What an earlier search did not come to is asked first where it brings most. */
static void set_out(struct campaign *c)
{
	if (c->setup->start.nr)
		resume(c);
	if (c->first.ratio == 0)
		begin(c);
	if (c->first.ratio > 0 && !plan_has_kind(&c->setup->start, "threads"))
		run_phase(c, "threads", moves_threads, BOTH, 1);
	if (c->first.ratio == 0 || is_bare(&c->setup->start))
		open_ways(c);
	else
		run_phase(c, "opening", moves_canonical, BOTH, 1);
}

/* What only a plan that is there already can be asked. */
static void reconsider(struct campaign *c)
{
	if (c->first.ratio == 0)
		return;
	run_phase(c, "rows left out", moves_ablation, LEADER, 2);
	run_phase(c, "other tiles", moves_retiles, LEADER, 1);
}

/* What does not fill a strip runs without any tile, which hides what the next tile brings: so its
 * turn comes after each of them. */
static void tile_nests(struct campaign *c)
{
	for (int times = 0; times < TILES_TIMES; times++) {
		if (!run_phase(c, "tiles", moves_tiles, LEADER, 1))
			return;
		run_phase(c, "rests", moves_rests, LEADER, 1);
	}
}

static void search(struct campaign *c)
{
	set_out(c);
	run_phase(c, "functions", moves_math, BOTH, 2);
	reconsider(c);
	run_phase(c, "patterns", moves_idioms, LEADER, 3);
	tile_nests(c);
	/* What tiles made short is not what takes the time any more. */
	if (run_phase(c, "functions", moves_math, BOTH, 1))
		tile_nests(c);
	if (run_phase(c, "order", moves_order, LEADER, 2))
		run_phase(c, "tiles", moves_tiles, LEADER, 1);
	cross(c);
	run_phase(c, "threads", moves_threads, BOTH, 1);
	drop_laggard(c);
	run_phase(c, "numbers", moves_numbers, LEADER, 2);
	run_phase(c, "rests", moves_rests, LEADER, 1);
	run_phase(c, "copies", moves_packs, LEADER, 2);
	run_phase(c, "finish", moves_finish, LEADER, 3);
	run_phase(c, "builds", moves_builds, LEADER, 2);
	cross(c);
	run_phase(c, "numbers", moves_numbers, LEADER, 2);
	if (c->first.ratio > 0)
		campaign_wander(c);
	drop_idle_rows(c);
}

/* Between the compilers, too, both are timed in turn. */
static const struct state *final_best(struct campaign *c)
{
	struct state *one = &c->best[0];
	struct state *other = &c->best[1];
	if (one->ratio > 0 && other->ratio > 0)
		is_better(c, other, one);
	return campaign_best(c);
}

/* Of a plan that it started from, the search must find a better one. */
static bool is_gain(const struct campaign *c, const struct state *best, struct measured_plan *out)
{
	*out = (struct measured_plan){ best->plan, best->ratio };
	if (best->ratio <= 0 || !best->plan.nr)
		return false;
	if (!c->setup->start.nr)
		return true;
	if (c->first.ratio == 0)
		return best->ratio > LEAST_GAIN;
	return !plan_equal(&best->plan, &c->first.plan) &&
	       campaign_beats_start(c, out, best->source);
}

bool campaign_run(const struct campaign_setup *setup, struct discovery *out)
{
	struct campaign *c = xcalloc(1, sizeof(*c));
	*out = (struct discovery){ 0 };
	c->setup = setup;
	c->started = now_s();
	c->ground = (struct ground){ setup->source, setup->task, setup->a, setup->banned };
	search(c);
	const struct state *best = final_best(c);
	bool is_found = is_gain(c, best, &out->best);
	if (is_found) {
		campaign_collect_near(c, out);
		campaign_climb(c, out);
	}
	out->evaluations = lab_evaluations(setup->lab);
	out->seconds = now_s() - c->started;
	free(c);
	return is_found;
}
