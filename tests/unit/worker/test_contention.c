#include "worker/contention.h"

#include "base/mem.h"
#include "test.h"

/* Rounds by hand: what drops one is what was seen beside it, never how long it took. */

enum { ROUNDS = 10 };

struct scene {
	struct contention c;
	struct sample samples[SLOT_NR * ROUNDS];
};

static void scene_open(struct scene *s)
{
	contention_init(&s->c, ROUNDS);
	contention_begin(&s->c);
	for (unsigned i = 0; i < ARRAY_LEN(s->samples); i++)
		s->samples[i] = (struct sample){ .round = i / SLOT_NR,
						 .slot = (enum slot)(i % SLOT_NR),
						 .calls = 1,
						 .ns = 100000 };
}

/* Rounds of which all three samples are dropped; a part of a round never is. */
static unsigned drop(struct scene *s)
{
	unsigned nr = 0;
	contention_drop(&s->c, s->samples, ARRAY_LEN(s->samples), ROUNDS);
	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct sample *of = &s->samples[i * SLOT_NR];
		CHECK(of[0].is_dropped == of[1].is_dropped && of[1].is_dropped == of[2].is_dropped);
		nr += of[0].is_dropped;
	}
	return nr;
}

TEST(a_round_is_never_dropped_by_its_value)
{
	struct scene s;
	scene_open(&s);
	for (unsigned i = 0; i < ARRAY_LEN(s.samples); i += 2)
		s.samples[i].ns *= 1000;
	CHECK_INT(drop(&s), 0);
	contention_release(&s.c);
}

TEST(a_round_in_which_one_side_waited_for_a_core_is_dropped_whole)
{
	struct scene s;
	scene_open(&s);
	s.samples[3].wait_ns = 501; /* of 100000: more than one part in 200 */
	s.samples[7].wait_ns = 499;
	CHECK_INT(drop(&s), 1);
	CHECK(s.samples[3].is_dropped && !s.samples[6].is_dropped);
	CHECK_INT(s.c.nr_disturbed, 1);
	contention_release(&s.c);
}

/* It may have made itself wait. */
TEST(what_only_the_candidate_waited_in_is_dropped_and_says_nothing_about_the_machine)
{
	struct scene s;
	scene_open(&s);
	s.samples[4].wait_ns = 501;
	CHECK_INT(drop(&s), 1);
	CHECK(s.samples[3].is_dropped);
	CHECK_INT(s.c.nr_seen, ROUNDS);
	CHECK_INT(s.c.nr_disturbed, 0);
	contention_release(&s.c);
}

TEST(a_round_whose_core_was_stolen_is_dropped)
{
	struct scene s;
	scene_open(&s);
	s.c.was_stolen[8] = true;
	CHECK_INT(drop(&s), 1);
	CHECK(s.samples[24].is_dropped);
	contention_release(&s.c);
}

/* Picking the few quiet rounds of a busy time would be picking by value through a back door. */
TEST(where_too_few_would_be_left_all_are_kept_and_counted)
{
	struct scene s;
	scene_open(&s);
	for (unsigned i = 0; i < 4; i++)
		s.samples[i * SLOT_NR].wait_ns = 50000;
	CHECK_INT(drop(&s), 0);
	CHECK_INT(s.c.nr_disturbed, 4);
	contention_release(&s.c);
}

TEST(the_gate_marks_a_trial_by_pressure_steal_and_disturbed_rounds)
{
	static const struct {
		struct contention c;
		bool is_realtime;
		bool is_high;
	} rows[] = {
		{ { .nr_seen = 10, .nr_disturbed = 4 }, false, false },
		{ { .nr_seen = 10, .nr_disturbed = 5 }, true, true },
		{ { .steal_share = 0.09 }, false, false },
		{ { .steal_share = 0.11 }, true, true },
		{ { .psi_share = 0.81 }, false, true },
		/* Those who waited did not wait for us. */
		{ { .psi_share = 0.81 }, true, false },
		{ { .psi_share = 0.79 }, false, false },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_INT(contention_is_high(&rows[i].c, rows[i].is_realtime), rows[i].is_high);
}

TEST_MAIN()
