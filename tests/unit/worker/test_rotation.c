#include "worker/rotation.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "judge/poison.h"
#include "test.h"
#include "worker/contention.h"
#include "worker/fingerprint.h"
#include "worker/slotorder.h"

#define BLEND_TASK "tests/unit/worker/data/blend"

struct setup {
	struct worker w;
	struct cases cases;
	struct plan plan;
};

static void set_up(struct setup *s, uint64_t call_ns)
{
	struct err e = { 0 };
	*s = (struct setup){ .w = { .job = { .kind = JOB_TIME, .rounds = 31 } } };
	s->w.builds[PARTY_CANDIDATE].nr_copies = BUILD_MAX_COPIES;
	CHECK_OK(task_load(&s->w.task, BLEND_TASK, &e));
	CHECK_OK(cases_init(&s->cases, &s->w, &e));
	CHECK_OK(cases_fill(&s->cases.shapes[0], &s->w, 3, &e));
	struct shape_cases *plain = &s->cases.shapes[0];
	plain->call_ns[0] = plain->call_ns[1] = call_ns;
	for (size_t i = 0; i < plain->nr; i++)
		plain->contents[i].is_expected = true;
	CHECK(plan_init(&s->plan, &s->w, plain));
}

static void tear_down(struct setup *s)
{
	plan_release(&s->plan);
	cases_release(&s->cases);
	task_release(&s->w.task);
}
#define AUTO_SETUP __attribute__((cleanup(tear_down)))

TEST(short_kernels_are_batched_and_long_ones_get_fewer_rounds)
{
	static const struct {
		uint64_t call_ns;
		unsigned calls;
		unsigned rounds;
	} rows[] = {
		{ 5 * NS_PER_US, 16, 192 }, { 79 * NS_PER_US, 2, 192 }, { 80 * NS_PER_US, 1, 192 },
		{ 900 * NS_PER_US, 1, 96 }, { 2 * NS_PER_MS, 1, 64 },   { 4 * NS_PER_MS, 1, 24 },
		{ 14 * NS_PER_MS, 1, 15 },  { 16 * NS_PER_MS, 1, 9 },   { 90 * NS_PER_MS, 1, 6 },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_SETUP struct setup s;
		set_up(&s, rows[i].call_ns);
		CHECK_INT(s.plan.nr_calls, rows[i].calls);
		CHECK_INT(s.plan.nr_rounds, rows[i].rounds);
		CHECK(s.plan.nr_sets >= s.plan.nr_calls);
	}
}

static void set_up_sides(struct setup *s, uint64_t reference_ns, uint64_t candidate_ns)
{
	set_up(s, 1);
	plan_release(&s->plan);
	s->cases.shapes[0].call_ns[PARTY_REFERENCE] = reference_ns;
	s->cases.shapes[0].call_ns[PARTY_CANDIDATE] = candidate_ns;
	CHECK(plan_init(&s->plan, &s->w, &s->cases.shapes[0]));
}

TEST(long_samples_of_sides_far_apart_get_few_rounds)
{
	static const struct {
		uint64_t reference_ns;
		uint64_t candidate_ns;
		unsigned rounds;
	} rows[] = {
		{ 7 * NS_PER_MS, 2 * NS_PER_MS, 15 },  { 7 * NS_PER_MS, NS_PER_MS, 5 },
		{ NS_PER_MS, 7 * NS_PER_MS, 5 },       { 90 * NS_PER_MS, NS_PER_MS, 5 },
		{ 80 * NS_PER_US, 5 * NS_PER_US, 96 },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_SETUP struct setup s;
		set_up_sides(&s, rows[i].reference_ns, rows[i].candidate_ns);
		CHECK_INT(s.plan.nr_rounds, rows[i].rounds);
	}
}

static unsigned calls_of(uint64_t reference_ns, uint64_t candidate_ns, size_t *nr_contents)
{
	AUTO_SETUP struct setup s;
	set_up_sides(&s, reference_ns, candidate_ns);
	*nr_contents = s.plan.nr_contents;
	return s.plan.nr_calls;
}

TEST(the_sample_of_a_far_slower_side_ends_the_growth_of_both)
{
	size_t contents = 0;
	CHECK_INT(calls_of(15 * NS_PER_US, 5 * NS_PER_US, &contents), 16);
	CHECK_INT(calls_of(30 * NS_PER_US, 5 * NS_PER_US, &contents), 10);
	CHECK_INT(calls_of(5 * NS_PER_US, 30 * NS_PER_US, &contents), 10);
	/* Every group takes part; the near twin of one of them has its turn in later rounds. */
	CHECK_INT(calls_of(90 * NS_PER_MS, 5 * NS_PER_US, &contents), (int)contents / 2);
	CHECK(contents > 1);
}

TEST(a_replicate_goes_through_as_many_copies_as_its_rounds_allow)
{
	static const struct {
		uint64_t call_ns;
		unsigned copies;
		unsigned parts;
		unsigned warmups;
	} rows[] = {
		{ 80 * NS_PER_US, 8, 8, 3 }, { 4 * NS_PER_MS, 8, 8, 1 },
		{ 14 * NS_PER_MS, 8, 5, 1 }, { 16 * NS_PER_MS, 8, 3, 1 },
		{ 90 * NS_PER_MS, 8, 2, 1 }, { 4 * NS_PER_MS, 1, 1, 1 },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_SETUP struct setup s;
		set_up(&s, rows[i].call_ns);
		plan_release(&s.plan);
		s.w.builds[PARTY_CANDIDATE].nr_copies = rows[i].copies;
		CHECK(plan_init(&s.plan, &s.w, &s.cases.shapes[0]));
		CHECK_INT(s.plan.nr_parts, rows[i].parts);
		CHECK_INT(s.plan.nr_warmups, rows[i].warmups);
		CHECK_INT(s.plan.warms_parts, rows[i].warmups > 1);
		CHECK_INT(s.plan.nr_rounds % s.plan.nr_parts, 0);
	}
}

TEST(sets_of_a_round_differ_and_all_contents_take_part)
{
	AUTO_SETUP struct setup s;
	set_up(&s, 10 * NS_PER_US);
	/* Each group twice, one of them once as its near twin. */
	CHECK_INT(s.plan.nr_contents, 6);
	for (unsigned a = 0; a < s.plan.nr_calls; a++)
		for (unsigned b = 0; b < a; b++)
			CHECK(plan_set(&s.plan, 4, a) != plan_set(&s.plan, 4, b));
	CHECK(plan_content(&s.plan, 0) != plan_content(&s.plan, 1));
	CHECK(plan_content(&s.plan, 0) == plan_content(&s.plan, 6));
}

/* Which group has a near twin is drawn from the job's secret; it may not weigh more for that. */
TEST(every_group_weighs_the_same)
{
	static const uint64_t call_ns[] = { 3 * NS_PER_US, 10 * NS_PER_US, NS_PER_MS };
	for (size_t i = 0; i < ARRAY_LEN(call_ns); i++) {
		AUTO_SETUP struct setup s;
		set_up(&s, call_ns[i]);
		const struct shape_cases *c = &s.cases.shapes[0];
		unsigned weights[8] = { 0 };
		unsigned nr_twins = 0;
		for (unsigned set = 0; set < s.plan.nr_sets; set++) {
			const struct content *content = plan_content(&s.plan, set);
			weights[content->group - c->shape->groups]++;
			nr_twins += content == &c->contents[c->nr_groups];
		}
		CHECK_INT(weights[1], weights[0]);
		CHECK_INT(weights[2], weights[0]);
		CHECK(nr_twins > 0);
	}
}

TEST(operands_are_aligned_apart_and_moved_by_each_placing)
{
	struct err e = { 0 };
	AUTO_SETUP struct setup s;
	set_up(&s, 20 * NS_PER_US);
	AUTO_ROTATION struct rotation r;
	CHECK_OK(rotation_make(&r, &s.plan, 1, true, &e));
	struct rng rng = { .seed = 5 };
	rotation_place(&r, &s.plan, &rng);
	const size_t bytes = s.plan.s->fp.items[2].bytes;
	unsigned nr_moved = 0;
	uint64_t before[64] = { 0 };
	for (unsigned set = 0; set < s.plan.nr_sets && set < 64; set++) {
		const unsigned char *y = rotation_at(&r, &s.plan, set, 2);
		CHECK((uintptr_t)y % 64 == 0);
		CHECK(y + bytes <=
		      r.regions[ROTATION_WRITABLE].addr + r.regions[ROTATION_WRITABLE].len);
		if (set)
			CHECK(y >= rotation_at(&r, &s.plan, set - 1, 2) + bytes);
		CHECK(memcmp(rotation_at(&r, &s.plan, set, 0), plan_content(&s.plan, set)->in[0],
			     s.plan.s->fp.items[0].bytes) == 0);
		before[set] = s.plan.offsets[set * s.plan.s->fp.nr + 2];
	}
	rotation_place(&r, &s.plan, &rng);
	for (unsigned set = 0; set < s.plan.nr_sets && set < 64; set++)
		nr_moved += before[set] != s.plan.offsets[set * s.plan.s->fp.nr + 2];
	CHECK(nr_moved > 0);
}

TEST(poison_past_the_caches_is_the_judges_poison)
{
	struct err e = { 0 };
	AUTO_SETUP struct setup s;
	set_up(&s, 20 * NS_PER_US);
	AUTO_ROTATION struct rotation r;
	CHECK_OK(rotation_make(&r, &s.plan, 1, true, &e));
	struct rng rng = { .seed = 5 };
	rotation_place(&r, &s.plan, &rng);
	rotation_prepare(&r, &s.plan, 1, true, 77);
	const struct operand *y = &s.plan.s->fp.items[2];
	unsigned used = plan_set(&s.plan, 1, 0);
	CHECK_INT(poison_count(DTYPE_F32, rotation_at(&r, &s.plan, used, 2), y->nr, 77), y->nr);
	rotation_prepare(&r, &s.plan, 1, false, 78);
	CHECK_INT(poison_count(DTYPE_F32, rotation_at(&r, &s.plan, used, 2), y->nr, 77), y->nr);
}

TEST(what_is_kept_beside_an_operand_is_found)
{
	struct err e = { 0 };
	AUTO_SETUP struct setup s;
	set_up(&s, 20 * NS_PER_US);
	AUTO_ROTATION struct rotation r;
	CHECK_OK(rotation_make(&r, &s.plan, 1, true, &e));
	struct rng rng = { .seed = 5 };
	rotation_place(&r, &s.plan, &rng);
	for (unsigned round = 0; round < s.plan.nr_rounds; round++)
		rotation_prepare(&r, &s.plan, round, true, 77);
	CHECK(!rotation_stray_write(&r, &s.plan, &rng));
	unsigned char *y = rotation_at(&r, &s.plan, 3, 2);
	const size_t bytes = s.plan.s->fp.items[2].bytes;
	for (size_t k = 0; k < 200; k++) {
		y[bytes + k] ^= 1;
		CHECK_TEXT(rotation_stray_write(&r, &s.plan, &rng), "y");
		y[bytes + k] ^= 1;
	}
	const size_t before = (uintptr_t)y % 4096;
	CHECK(before == 0 || y[-1] != 0);
	if (before) {
		y[-1] ^= 1;
		CHECK_TEXT(rotation_stray_write(&r, &s.plan, &rng), "y");
		y[-1] ^= 1;
	}
	y[0] ^= 1;
	CHECK(!rotation_stray_write(&r, &s.plan, &rng));
}

TEST(what_is_kept_beyond_the_sets_is_found)
{
	struct err e = { 0 };
	AUTO_SETUP struct setup s;
	set_up(&s, 20 * NS_PER_US);
	AUTO_ROTATION struct rotation r;
	CHECK_OK(rotation_make(&r, &s.plan, 1, true, &e));
	struct rng rng = { .seed = 5 };
	s.plan.nr_sets--;
	rotation_place(&r, &s.plan, &rng);
	CHECK(!rotation_stray_write(&r, &s.plan, &rng));
	r.regions[ROTATION_WRITABLE].addr[r.regions[ROTATION_WRITABLE].len - 1] ^= 1;
	CHECK_TEXT(rotation_stray_write(&r, &s.plan, &rng), "");
	s.plan.nr_sets++;
	rotation_place(&r, &s.plan, &rng);
	CHECK(!rotation_stray_write(&r, &s.plan, &rng));
}

TEST(blocks_of_six_rounds_hold_every_order_once)
{
	struct rng rng = { .seed = 1 };
	struct slotorder orders[60];
	slotorder_draw(&rng, orders, 60);
	for (size_t block = 0; block < 60; block += 6) {
		unsigned seen = 0;
		for (size_t i = block; i < block + 6; i++)
			seen |= 1u << (orders[i].slots[0] * 3 + orders[i].slots[1]);
		CHECK_INT(__builtin_popcount(seen), 6);
	}
}

static bool matches(const struct fingerprint *f, const void *bytes, size_t len, size_t first,
		    size_t step)
{
	struct fingerprint_look look = {
		.bytes = bytes, .len = len, .key = 1, .first = first, .step = step
	};
	return fingerprint_matches(f, &look);
}

TEST(a_fingerprint_sees_one_changed_bit_where_it_looks)
{
	unsigned char bytes[3 * FINGERPRINT_BLOCK + 5];
	memset(bytes, 3, sizeof(bytes));
	struct fingerprint f = { 0 };
	CHECK(!matches(&f, bytes, sizeof(bytes), 0, 1));
	fingerprint_take(&f, bytes, sizeof(bytes), 2);
	CHECK(!matches(&f, bytes, sizeof(bytes), 0, 1));
	fingerprint_take(&f, bytes, sizeof(bytes), 1);
	CHECK_INT(f.nr, 4);
	CHECK(matches(&f, bytes, sizeof(bytes), 0, 1));
	bytes[FINGERPRINT_BLOCK + 9] ^= 4;
	CHECK(!matches(&f, bytes, sizeof(bytes), 0, 1));
	CHECK(!matches(&f, bytes, sizeof(bytes), 1, 8));
	CHECK(matches(&f, bytes, sizeof(bytes), 0, 8));
	bytes[FINGERPRINT_BLOCK + 9] ^= 4;
	bytes[sizeof(bytes) - 1] ^= 1;
	CHECK(!matches(&f, bytes, sizeof(bytes), 0, 8));
	fingerprint_release(&f);
}

/* Ten rounds; in `nr_waiting` of them one slot waited for its CPU. */
static size_t dropped_of_ten(unsigned nr_waiting)
{
	struct contention c;
	contention_init(&c, 10);
	contention_begin(&c);
	struct sample samples[30] = { 0 };
	for (unsigned i = 0; i < 30; i++) {
		samples[i] = (struct sample){ .round = i / 3, .ns = 100000, .calls = 1 };
		bool waits = i % 3 == 1 && i / 3 < nr_waiting;
		samples[i].wait_ns = waits ? 600 : 400;
	}
	contention_drop(&c, samples, 30, 10);
	size_t nr = 0;
	for (unsigned i = 0; i < 30; i++)
		nr += samples[i].is_dropped;
	contention_release(&c);
	return nr;
}

TEST(whole_rounds_are_dropped_unless_too_few_would_be_left)
{
	CHECK_INT(dropped_of_ten(0), 0);
	CHECK_INT(dropped_of_ten(1), 3);
	CHECK_INT(dropped_of_ten(3), 9);
	CHECK_INT(dropped_of_ten(4), 0);
}

TEST_MAIN()
