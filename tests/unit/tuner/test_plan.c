#include "kernels.h"

#include <malloc.h>

#include "model/curriculum.h"
#include "model/task.h"
#include "base/rng.h"
#include "tuner/campaign.h"
#include "tuner/campaign_in.h"
#include "tuner/classify.h"
#include "tuner/compose.h"
#include "tuner/draft.h"
#include "tuner/moves.h"
#include "tuner/plan.h"
#include "tuner/scene.h"
#include "tuner/study.h"

static struct plan make(struct arena *a, const char *const *rows)
{
	struct plan p = { .nr = 0 };
	for (; *rows; rows++)
		p = plan_with(&p, *rows, a);
	return p;
}
#define PLAN(a, ...) make(a, (const char *const[]){ __VA_ARGS__, NULL })

static const char gcc_fast[] = "build cc=gcc flags=-O3,-march=native,-ffast-math";

TEST(rows_go_where_their_kind_belongs)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct plan p = PLAN(&a, "unroll loop=L0.0 n=4", "threads loop=L0 n=2",
				   "specialise shapes=all", gcc_fast);
	CHECK_INT(p.nr, 4);
	CHECK_TEXT(p.rows[0], gcc_fast);
	CHECK_TEXT(p.rows[1], "specialise shapes=all");
	CHECK_TEXT(p.rows[2], "threads loop=L0 n=2");
	CHECK_TEXT(p.rows[3], "unroll loop=L0.0 n=4");
}

TEST(an_alternative_takes_the_place_of_its_row)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct plan p =
		PLAN(&a, "unroll loop=L0.0 n=4", "unroll loop=L0.1 n=4", "unroll loop=L0.0 n=8");
	CHECK_INT(p.nr, 2);
	CHECK_TEXT(p.rows[0], "unroll loop=L0.0 n=8");
	const struct plan less = plan_without(&p, 0);
	CHECK_INT(less.nr, 1);
	CHECK_TEXT(less.rows[0], "unroll loop=L0.1 n=4");
}

TEST(numbers_in_rows_are_read_and_written)
{
	AUTO_ARENA struct arena a = { 0 };
	CHECK_INT(row_text_number("unroll loop=L0 n=16", "n"), 16);
	CHECK_INT(row_text_number("unroll loop=L0 n=16", "u"), 0);
	CHECK_TEXT(row_text_with("unroll n=16 loop=L0", "n", 2, &a), "unroll n=2 loop=L0");
	CHECK_TEXT(row_text_with("unroll loop=L0", "n", 2, &a), "unroll loop=L0 n=2");
}

TEST(a_plan_that_does_not_apply_says_which_row_and_why)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STR struct str out = STR_INIT;
	struct err e = { 0 };
	const struct plan p = PLAN(&a, "unroll loop=L7 n=4");
	CHECK(plan_render(&p, KERNEL_ROWS, &kernel_task, &out, &e) < 0);
	CHECK(strstr(e.text, "unroll loop=L7 n=4: ") && strstr(e.text, "no loop L7"));
}

static int find_array(const struct scene *s, const char *array, int nth)
{
	for (size_t i = 0; i < s->nr_touches; i++)
		if (strcmp(s->touches[i].array, array) == 0 && nth-- == 0)
			return (int)i;
	return -1;
}

TEST(a_scene_knows_trips_work_and_strides)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_SCENE struct scene s;
	struct err e = { 0 };
	const struct plan p = PLAN(&a, "specialise shapes=all");
	CHECK_OK(scene_open(&s, &p, KERNEL_NEST, &kernel_task, &e));
	CHECK_INT(s.nr_loops, 3);
	/* The larger of the two sizes: n = 13, m = 20, k = 7. */
	CHECK(s.loops[0].trips == 13 && s.loops[1].trips == 20 && s.loops[2].trips == 7);
	CHECK(s.work == 13 * 20 * 7);
	CHECK(scene_work(&s, 1) == s.work && s.loops[0].is_shared && !s.loops[2].is_shared);
	int b = find_array(&s, "b", 0);
	CHECK(b >= 0 && s.touches[b].stride[2] == 20 && s.touches[b].stride[1] == 1 &&
	      s.touches[b].stride[0] == 0);
	CHECK(s.touches[b].weight == s.work && s.touches[b].is_operand);
}

/* At least so many of the moves render; what they compute is for the tests of their rows. */
static void check_moves(const char *source, moves_fn find, size_t least)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct ground g = { source, &kernel_task, &a, NULL };
	const struct plan p = PLAN(&a, gcc_fast, "specialise shapes=all");
	AUTO_FREE struct moves *moves = xcalloc(1, sizeof(*moves));
	size_t nr = 0;
	find(&g, &p, moves);
	for (size_t i = 0; i < moves->nr; i++)
		CHECK(moves->items[i].nr > 0 && moves->items[i].nr <= PLAN_ROWS);
	for (size_t i = 0; i < moves->nr; i++) {
		AUTO_STR struct str text = STR_INIT;
		struct err e = { 0 };
		if (plan_render(&moves->items[i], source, &kernel_task, &text, &e) < 0)
			continue;
		nr++;
	}
	CHECK(nr >= least);
}

TEST(moves_find_what_the_loops_offer)
{
	check_moves(KERNEL_NEST, moves_canonical, 1);
	check_moves(KERNEL_NEST, moves_tiles, 2);
	check_moves(KERNEL_NEST, moves_threads, 2);
	check_moves(KERNEL_ROWS, moves_threads, 2);
	check_moves(KERNEL_TURN, moves_order, 2);
	check_moves(KERNEL_ROWS, moves_finish, 2);
	check_moves(KERNEL_ROWS, moves_builds, 3);
}

TEST(what_was_refused_is_not_moved_to_again)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_STRV struct strv banned = { 0 };
	AUTO_FREE struct moves *free_to = xcalloc(1, sizeof(*free_to));
	AUTO_FREE struct moves *without = xcalloc(1, sizeof(*without));
	const struct ground g = { KERNEL_ROWS, &kernel_task, &a, NULL };
	const struct ground less = { KERNEL_ROWS, &kernel_task, &a, &banned };
	const struct plan p = PLAN(&a, gcc_fast, "specialise shapes=all");
	strv_add(&banned, "threads loop=L0 n=2 layout=block");
	moves_threads(&g, &p, free_to);
	moves_threads(&less, &p, without);
	CHECK(free_to->nr == without->nr + 1);
}

/* A search asks for moves thousands of times; it once kept the body of every plan it looked at. */
TEST(moves_leave_only_their_rows_behind)
{
	AUTO_ARENA struct arena a = { 0 };
	const struct ground g = { KERNEL_NEST, &kernel_task, &a, NULL };
	const struct plan p = PLAN(&a, gcc_fast, "specialise shapes=all",
				   "sink loop=L0.0 u=32 as=lanes", "sink loop=L0 u=8 as=registers");
	AUTO_FREE struct moves *moves = xcalloc(1, sizeof(*moves));
	moves_order(&g, &p, moves);
	size_t before = mallinfo2().uordblks;
	for (unsigned i = 0; i < 50; i++) {
		moves->nr = 0;
		moves_packs(&g, &p, moves);
		moves_order(&g, &p, moves);
	}
	size_t grown = mallinfo2().uordblks - before;
	printf("# %zu bytes in 50 times\n", grown);
	CHECK(grown < 50 * 65536);
}

static size_t rows_missing(const struct plan *p, const struct plan *in)
{
	size_t nr = 0;
	for (size_t i = 0; i < p->nr; i++)
		nr += !plan_has(in, p->rows[i]);
	return nr;
}

/* The lot leads where no single move does, stays with the compiler, and is the same every time. */
TEST(plans_drawn_by_lot_are_several_moves_away)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_FREE struct campaign *c = xcalloc(1, sizeof(*c));
	AUTO_FREE struct moves *once = xcalloc(1, sizeof(*once));
	AUTO_FREE struct moves *again = xcalloc(1, sizeof(*again));
	struct rng rng = { .seed = 3 };
	struct rng same = rng;
	size_t nr_far = 0;
	c->ground = (struct ground){ KERNEL_NEST, &kernel_task, &a, NULL };
	c->best[0].plan = PLAN(&a, gcc_fast, "specialise shapes=all",
			       "sink loop=L0.0 u=16 as=lanes", "sink loop=L0 u=4 as=registers");
	c->best[0].ratio = 2;
	campaign_draw(c, &rng, once);
	campaign_draw(c, &same, again);
	CHECK(once->nr > 1 && once->nr == again->nr);
	for (size_t i = 0; i < once->nr; i++) {
		const struct plan *p = &once->items[i];
		CHECK(plan_equal(p, &again->items[i]));
		CHECK(plan_renders(&c->ground, p));
		CHECK_TEXT(plan_compiler(p), "gcc");
		nr_far += rows_missing(p, &c->best[0].plan) > 1;
	}
	CHECK(nr_far > 0);
}

static const struct decision *find_value(const struct draft *d, const char *part)
{
	for (size_t m = 0; m < DRAFT_MILESTONES; m++)
		for (size_t i = 0; i < d->parts[m].nr; i++)
			if (d->parts[m].items[i].value && strstr(d->parts[m].items[i].value, part))
				return &d->parts[m].items[i];
	return NULL;
}

static struct discovery sample(struct arena *a)
{
	struct discovery f = { .evaluations = 12 };
	f.best.plan = PLAN(a, gcc_fast, "specialise shapes=all", "threads loop=L0 n=2 layout=block",
			   "unroll loop=L0.0 n=4");
	f.best.ratio = 4;
	f.changes = f.best.plan;
	memset(f.is_whole, true, sizeof(f.is_whole));
	f.steps[1] = 2;
	f.steps[2] = 3.5;
	f.steps[3] = 4;
	f.near[0].plan = PLAN(a, gcc_fast, "specialise shapes=all",
			      "threads loop=L0 n=2 layout=block", "unroll loop=L0.0 n=8");
	f.near[0].ratio = 3.9;
	f.nr_near = 1;
	return f;
}

static void check_lint(const struct draft *d)
{
	AUTO_CURRICULUM struct curriculum c = { 0 };
	AUTO_FINDINGS struct findings f = { 0 };
	AUTO_STR struct str toml = STR_INIT;
	struct err e = { 0 };
	draft_print(d, &toml);
	CHECK_OK(curriculum_parse(&c, toml.text, "draft", &e));
	curriculum_lint(&c, NULL, &f);
	for (size_t i = 0; i < f.nr; i++)
		printf("# line %u: %s\n", f.items[i].line, f.items[i].text);
	CHECK_INT(f.nr, 0);
}

TEST(what_was_found_becomes_a_course_of_whole_decisions)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_DRAFT struct draft d = { .a = &a, .version = 1, .structure_epoch = 1 };
	const struct study s = { .a = &a, .task = kernel_task };
	const struct discovery f = sample(&a);
	compose_course(&d, &s, &f);
	draft_connect(&d);
	d.parts[0].title = d.parts[1].title = "a title";
	const struct decision *first = find_value(&d, "specialise");
	CHECK(first && strstr(first->value, "build cc=gcc") && strstr(first->value, " | "));
	CHECK(first->predicts == 2);
	const struct decision *split = find_value(&d, "threads");
	CHECK(split && strcmp(split->covers, "work_split") == 0 && split->predicts == 3.5);
	CHECK(find_value(&d, "n=4") && find_value(&d, "n=8"));
	CHECK(d.parts[0].nr >= 7);
	check_lint(&d);
}

TEST(a_lone_row_after_the_structure_is_no_orphan)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_DRAFT struct draft d = { .a = &a, .version = 1, .structure_epoch = 1 };
	const struct study s = { .a = &a, .task = kernel_task };
	struct discovery f = sample(&a);
	f.nr_near = 0;
	compose_course(&d, &s, &f);
	draft_connect(&d);
	d.parts[0].title = d.parts[1].title = "a title";
	CHECK(d.parts[1].nr == 1);
	check_lint(&d);
}

TEST(a_revision_adds_only_rows_that_no_version_had)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_DRAFT struct draft d = { .a = &a };
	const struct study s = { .a = &a, .task = kernel_task };
	const struct discovery f = sample(&a);
	strv_add(&d.tried,
		 "build cc=gcc flags=-O3,-march=native,-ffast-math | specialise shapes=all");
	strv_add(&d.tried, "unroll loop=L0.0 n=8");
	compose_more(&d, &s, &f, 1, 3);
	CHECK(!find_value(&d, "specialise") && !find_value(&d, "n=8"));
	CHECK(find_value(&d, "threads") && find_value(&d, "n=4"));
}

TEST_MAIN()
