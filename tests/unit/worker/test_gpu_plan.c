#include "worker/gpu_plan.h"

#include <stdlib.h>

#include "base/mem.h"
#include "test.h"

enum { CONTENTS = 3 };

struct scene {
	struct worker w;
	struct operand operands[2];
	struct group groups[CONTENTS];
	struct content contents[CONTENTS];
	struct shape_cases s;
};

/* An input and an output; the last group is not timed. */
static void open_scene(struct scene *x, uint64_t call_ns, size_t bytes)
{
	*x = (struct scene){ .w = { .job = { .rounds = 31 } } };
	x->operands[0] = (struct operand){ .is_tensor = true, .is_input = true, .bytes = bytes };
	x->operands[1] = (struct operand){ .is_tensor = true, .is_output = true, .bytes = bytes };
	x->s.fp = (struct footprint){ .items = x->operands, .nr = 2, .tensor_bytes = 2 * bytes };
	x->s.contents = x->contents;
	x->s.nr = x->s.nr_groups = CONTENTS;
	x->s.call_ns[0] = x->s.call_ns[1] = call_ns;
	for (unsigned i = 0; i < CONTENTS; i++) {
		x->groups[i].is_timed = i + 1 < CONTENTS;
		x->contents[i].group = &x->groups[i];
	}
}

TEST(short_calls_are_taken_together_and_long_ones_are_not)
{
	static const struct {
		uint64_t call_ns;
		size_t bytes;
		unsigned calls;
		unsigned windows;
		unsigned rounds;
	} rows[] = {
		{ 2000, 1 << 15, 32, 3, 31 },
		{ 60000, 64 << 20, 6, 3, 31 },
		{ 1000000, 64 << 20, 2, 3, 31 },
		{ 20000000, 64 << 20, 2, 3, 9 },
		{ 100000000, (size_t)3 << 30, 1, 1, 6 },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scene x;
		struct gpu_plan p;
		open_scene(&x, rows[i].call_ns, rows[i].bytes);
		CHECK(gpu_plan_init(&p, &x.w, &x.s));
		CHECK_INT(p.nr_calls, rows[i].calls);
		CHECK_INT(p.nr_windows, rows[i].windows);
		CHECK_INT(p.nr_rounds, rows[i].rounds);
		CHECK_INT(p.nr_contents, 2);
		gpu_plan_release(&p);
	}
}

TEST(a_shape_without_a_timed_group_is_not_timed)
{
	struct scene x;
	struct gpu_plan p;
	open_scene(&x, 1000, 64);
	x.groups[0].is_timed = x.groups[1].is_timed = false;
	CHECK(!gpu_plan_init(&p, &x.w, &x.s));
	gpu_plan_release(&p);
}

/* The window of a round is round % nr_windows. */
TEST(every_address_meets_every_content)
{
	struct scene x;
	struct gpu_plan p;
	open_scene(&x, 100000, 64);
	CHECK(gpu_plan_init(&p, &x.w, &x.s));
	for (unsigned window = 0; window < p.nr_windows; window++) {
		bool seen[CONTENTS] = { false };
		for (unsigned round = window; round < p.nr_rounds; round += p.nr_windows)
			seen[gpu_plan_content(&p, round, 0)] = true;
		CHECK(seen[0] && seen[1]);
	}
	gpu_plan_release(&p);
}

static unsigned count_calls(const struct gpu_plan *p, unsigned round, const struct group *group)
{
	unsigned nr = 0;
	for (unsigned call = 0; call < p->nr_calls; call++)
		nr += p->contents[gpu_plan_content(p, round, call)]->group == group;
	return nr;
}

/* The last content is a twin of the first or of the second group. */
TEST(every_group_weighs_the_same_whichever_has_a_twin)
{
	for (unsigned twin = 0; twin < 2; twin++) {
		struct scene x;
		struct gpu_plan p;
		bool is_twin_seen = false;
		open_scene(&x, 60000, 1 << 20);
		x.s.nr_groups = CONTENTS - 1;
		x.contents[CONTENTS - 1].group = &x.groups[twin];
		CHECK(gpu_plan_init(&p, &x.w, &x.s));
		CHECK_INT(p.nr_contents, CONTENTS);
		for (unsigned round = 0; round < p.nr_rounds; round++) {
			CHECK_INT(count_calls(&p, round, &x.groups[0]), p.nr_calls / 2);
			CHECK_INT(count_calls(&p, round, &x.groups[1]), p.nr_calls / 2);
			is_twin_seen |= gpu_plan_content(&p, round, 0) == CONTENTS - 1;
		}
		CHECK(is_twin_seen);
		gpu_plan_release(&p);
	}
}

TEST(bits_are_known_once_they_were_judged)
{
	struct scene x;
	struct gpu_plan p;
	const uint64_t prints[] = { 1, 2, 3 };
	open_scene(&x, 100000, 64);
	CHECK(gpu_plan_init(&p, &x.w, &x.s));
	CHECK_INT(p.nr_outputs, 1);
	CHECK(!gpu_known_has(&p, 0, &prints[0]));
	gpu_known_add(&p, 0, &prints[0]);
	gpu_known_add(&p, 0, &prints[1]);
	CHECK(gpu_known_has(&p, 0, &prints[0]) && gpu_known_has(&p, 0, &prints[1]));
	CHECK(!gpu_known_has(&p, 0, &prints[2]));
	CHECK(!gpu_known_has(&p, 1, &prints[0]));
	gpu_plan_release(&p);
}

TEST_MAIN()
