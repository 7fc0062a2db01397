#include "worker/gpu_trial_in.h"

#include <stdlib.h>

#include "base/mem.h"
#include "test.h"

/* A trial of one shape whose candidate takes as long as its reference, 100 us a sample of one call.
 */
enum { ROUNDS = 7, NR = ROUNDS * SLOT_NR };

struct scene {
	struct worker w;
	struct gpu_device device;
	struct gpu_trial t;
	struct result_shape shape;
	struct sample samples[NR];
};

static void open_scene(struct scene *s)
{
	*s = (struct scene){ .shape = { .name = "large", .bytes = 1e9 } };
	s->device.l2_bytes = 60 << 20;
	s->t = (struct gpu_trial){ .w = &s->w,
				   .device = &s->device,
				   .rates = { .bytes_per_s = 4e12, .most_flops_per_s = 8e14 } };
	s->w.job.is_cold = true;
	s->w.result.verdict = verdict_make(REASON_ok, "%s", "");
	s->w.result.shapes = &s->shape;
	s->w.result.nr_shapes = 1;
	s->w.result.samples = s->samples;
	s->w.result.nr_samples = NR;
	for (unsigned i = 0; i < NR; i++)
		s->samples[i] = (struct sample){ .round = i / SLOT_NR,
						 .slot = (enum slot)(i % SLOT_NR),
						 .calls = 1,
						 .ns = 300000,
						 .inner_ns = 306000 };
}

static void set_candidate(struct scene *s, uint64_t ns, uint64_t inner_ns, uint64_t wait_ns)
{
	for (unsigned i = 0; i < NR; i++)
		if (s->samples[i].slot == SLOT_CANDIDATE) {
			s->samples[i].ns = ns;
			s->samples[i].inner_ns = inner_ns;
			s->samples[i].wait_ns = wait_ns;
		}
}

static enum reason reason_of(struct scene *s)
{
	gpu_trial_check(&s->t);
	return s->w.result.verdict.reason;
}

TEST(an_honest_trial_passes)
{
	struct scene s;
	open_scene(&s);
	CHECK_INT(reason_of(&s), REASON_ok);
	set_candidate(&s, 250000, 258000, 4000);
	CHECK_INT(reason_of(&s), REASON_ok);
}

TEST(a_host_clock_that_saw_much_more_or_less_is_no_agreement)
{
	struct scene s;
	open_scene(&s);
	set_candidate(&s, 250000, 400000, 0);
	CHECK_INT(reason_of(&s), REASON_clock_disagrees);
	open_scene(&s);
	set_candidate(&s, 250000, 150000, 0);
	CHECK_INT(reason_of(&s), REASON_clock_disagrees);
	CHECK_TEXT(s.w.result.verdict.shape, "large");
}

TEST(work_behind_the_last_kernel_is_no_agreement)
{
	struct scene s;
	open_scene(&s);
	set_candidate(&s, 250000, 256000, 200000);
	CHECK_INT(reason_of(&s), REASON_clock_disagrees);
}

/* The reference's samples say what the machine adds. */
TEST(a_gap_that_the_reference_has_too_is_the_machines)
{
	struct scene s;
	open_scene(&s);
	for (unsigned i = 0; i < NR; i++)
		s.samples[i].inner_ns = 450000;
	CHECK_INT(reason_of(&s), REASON_ok);
}

/* 1 GB at 4 TB/s take 250 us. */
TEST(faster_than_the_memory_is_below_the_floor)
{
	struct scene s;
	open_scene(&s);
	set_candidate(&s, 150000, 156000, 0);
	CHECK_INT(reason_of(&s), REASON_below_floor);
	open_scene(&s);
	set_candidate(&s, 200000, 206000, 0);
	CHECK_INT(reason_of(&s), REASON_ok);
}

/* 8e12 operations at 800 TFLOP/s take 10 ms; a quarter of that is possible, or a quarter of it
 * again for numbers of a byte. */
TEST(faster_than_the_matrix_units_is_below_the_floor)
{
	static struct arg args[] = { { .name = "x", .role = ARG_IN, .dtype = DTYPE_BF16 } };
	static struct arg bytes[] = { { .name = "x", .role = ARG_IN, .dtype = DTYPE_F8E4M3 } };
	struct scene s;
	open_scene(&s);
	s.shape = (struct result_shape){ .name = "large", .flops = 8e12 };
	s.w.task.args = args;
	s.w.task.nr_args = 1;
	set_candidate(&s, 2600000, 2606000, 0);
	CHECK_INT(reason_of(&s), REASON_ok);
	set_candidate(&s, 2400000, 2406000, 0);
	CHECK_INT(reason_of(&s), REASON_below_floor);
	open_scene(&s);
	s.shape = (struct result_shape){ .name = "large", .flops = 8e12 };
	s.w.task.args = bytes;
	s.w.task.nr_args = 1;
	set_candidate(&s, 700000, 706000, 0);
	CHECK_INT(reason_of(&s), REASON_ok);
	set_candidate(&s, 600000, 606000, 0);
	CHECK_INT(reason_of(&s), REASON_below_floor);
}

TEST(without_ceilings_there_is_no_floor_of_arithmetic)
{
	struct scene s;
	open_scene(&s);
	s.shape = (struct result_shape){ .name = "large", .flops = 8e12 };
	s.t.rates.most_flops_per_s = 0;
	set_candidate(&s, 1000, 7000, 0);
	CHECK_INT(reason_of(&s), REASON_ok);
}

TEST(what_fits_the_cache_and_what_is_warm_has_no_floor)
{
	struct scene s;
	open_scene(&s);
	s.shape.bytes = 100e6;
	set_candidate(&s, 1000, 7000, 0);
	CHECK_INT(reason_of(&s), REASON_ok);
	open_scene(&s);
	s.w.job.is_cold = false;
	set_candidate(&s, 1000, 7000, 0);
	CHECK_INT(reason_of(&s), REASON_ok);
}

static void add_twins(struct scene *s, unsigned nr, double candidate)
{
	for (unsigned i = 0; i < nr; i++) {
		struct twins *x = &s->t.twins;
		x->items = xreallocarray(x->items, x->nr + 1, sizeof(*x->items));
		x->items[x->nr++] = (struct twin){ .series = 1 + i / 2,
						   .candidate = candidate,
						   .reference = 1.01 };
		x->series = 1 + i / 2;
	}
}

TEST(who_takes_longer_for_inputs_that_it_never_saw_remembers)
{
	struct scene s;
	open_scene(&s);
	add_twins(&s, 4, 1.1);
	CHECK_INT(reason_of(&s), REASON_ok);
	add_twins(&s, 8, 1.1);
	CHECK_INT(reason_of(&s), REASON_ok);
	twins_release(&s.t.twins);
	add_twins(&s, 4, 3);
	CHECK_INT(reason_of(&s), REASON_remembered);
	twins_release(&s.t.twins);
}

TEST(a_verdict_that_stands_is_not_changed)
{
	struct scene s;
	open_scene(&s);
	s.w.result.verdict = verdict_make(REASON_late_write, "%s", "");
	set_candidate(&s, 1000, 400000, 0);
	CHECK_INT(reason_of(&s), REASON_late_write);
}

TEST_MAIN()
