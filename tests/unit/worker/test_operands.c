#include "worker/operands.h"

#include "base/err.h"
#include "base/mem.h"
#include "judge/poison.h"
#include "test.h"
#include "worker/cases.h"

#define BLEND_TASK "tests/unit/worker/data/blend"

/* A worker that only knows the task. */
static void open_task(struct worker *w, struct cases *cases)
{
	struct err e = { 0 };
	*w = (struct worker){ .job = { .kind = JOB_TIME, .seed = 3 } };
	CHECK_OK(task_load(&w->task, BLEND_TASK, &e));
	CHECK_OK(cases_init(cases, w, &e));
	for (size_t i = 0; i < cases->nr; i++)
		CHECK_OK(cases_fill(&cases->shapes[i], w, 3, &e));
}

TEST(only_visible_shapes_are_cases_unless_asked)
{
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases);
	CHECK_INT(cases.nr, 2);
	CHECK_INT(cases.nr_cases, 6);
	struct err e = { 0 };
	AUTO_CASES struct cases all;
	w.job.held_out = true;
	CHECK_OK(cases_init(&all, &w, &e));
	CHECK_INT(all.nr, 3);
	task_release(&w.task);
}

TEST(a_footprint_counts_bytes_by_role)
{
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases);
	const struct footprint *fp = &cases.shapes[0].fp;
	CHECK_INT(fp->output_bytes, 64 * 512 * 4);
	CHECK_INT(fp->input_bytes, 64 * 512 * 4 + 512 * 4);
	CHECK_INT(fp->tensor_bytes, fp->input_bytes + fp->output_bytes);
	CHECK(!fp->items[3].is_tensor && fp->items[3].scalar_bytes[0] == 64);
	task_release(&w.task);
}

TEST(tensors_stand_against_both_guards_in_turn)
{
	struct err e = { 0 };
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases);
	const struct shape_cases *odd = &cases.shapes[1];
	AUTO_OPERANDS struct operands o;
	CHECK_OK(operands_make(&o, &odd->fp, false, &e));
	operands_load(&o, &odd->contents[0], PLACED_LEFT, 1);
	for (size_t i = 0; i < 3; i++)
		CHECK_INT(o.offsets[i], 0);
	operands_load(&o, &odd->contents[0], PLACED_RIGHT, 1);
	for (size_t i = 0; i < 3; i++) {
		size_t end = o.offsets[i] + odd->fp.items[i].bytes;
		size_t len = o.regions[o.region_of[i]].len;
		CHECK(o.offsets[i] % 64 == 0 && end <= len && len - end < 64);
	}
	CHECK(memcmp(operands_at(&o, 0), odd->contents[0].in[0], odd->fp.items[0].bytes) == 0);
	CHECK_TEXT(operands_name_of_region(&o, o.region_of[2]), "y");
	CHECK(!o.regions[o.region_of[0]].writable && o.regions[o.region_of[2]].writable);
	task_release(&w.task);
}

TEST(beside_an_input_there_are_no_zeros)
{
	struct err e = { 0 };
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases);
	const struct shape_cases *odd = &cases.shapes[1];
	AUTO_OPERANDS struct operands o;
	CHECK_OK(operands_make(&o, &odd->fp, false, &e));
	static const enum placement places[] = { PLACED_LEFT, PLACED_RIGHT };
	for (size_t k = 0; k < ARRAY_LEN(places); k++) {
		operands_load(&o, &odd->contents[0], places[k], 5);
		for (size_t i = 0; i < 2; i++) {
			const struct region *r = &o.regions[o.region_of[i]];
			size_t end = o.offsets[i] + odd->fp.items[i].bytes;
			CHECK(!o.offsets[i] ||
			      poison_is_intact(r->addr, o.offsets[i], ~5ULL, NULL));
			CHECK(end == r->len ||
			      poison_is_intact(r->addr + end, r->len - end, ~5ULL, NULL));
		}
		CHECK(memcmp(operands_at(&o, 0), odd->contents[0].in[0], odd->fp.items[0].bytes) ==
		      0);
	}
	task_release(&w.task);
}

TEST(a_stray_write_is_seen_on_both_sides_and_a_legal_one_is_not)
{
	struct err e = { 0 };
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases);
	const struct shape_cases *odd = &cases.shapes[1];
	AUTO_OPERANDS struct operands o;
	CHECK_OK(operands_make(&o, &odd->fp, false, &e));
	const struct region *y = &o.regions[o.region_of[2]];
	operands_load(&o, &odd->contents[0], PLACED_RIGHT, 9);
	memset(operands_at(&o, 2), 0, odd->fp.items[2].bytes);
	CHECK(!operands_stray_write(&o));
	operands_at(&o, 2)[odd->fp.items[2].bytes] ^= 1;
	CHECK_TEXT(operands_stray_write(&o), "y");
	operands_load(&o, &odd->contents[0], PLACED_RIGHT, 10);
	CHECK(!operands_stray_write(&o));
	operands_at(&o, 2)[-1] ^= 1;
	CHECK_TEXT(operands_stray_write(&o), "y");
	operands_load(&o, &odd->contents[0], PLACED_LEFT, 11);
	y->addr[y->len - 1] ^= 1;
	CHECK_TEXT(operands_stray_write(&o), "y");
	task_release(&w.task);
}

TEST(the_oracle_gets_floats_as_doubles)
{
	struct err e = { 0 };
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases);
	const struct shape_cases *odd = &cases.shapes[1];
	AUTO_OPERANDS struct operands o;
	CHECK_OK(operands_make(&o, &odd->fp, true, &e));
	operands_load(&o, &odd->contents[0], PLACED_RIGHT, 1);
	const double *x = (const double *)(void *)operands_at(&o, 0);
	const float *from = (const float *)(void *)odd->contents[0].in[0];
	CHECK(x[0] == (double)from[0] && x[1000] == (double)from[1000]);
	double bias = 0;
	memcpy(&bias, o.args[5].scalar, sizeof(bias));
	CHECK(bias == 0.5);
	int64_t cols = 0;
	memcpy(&cols, o.args[4].scalar, sizeof(cols));
	CHECK_INT(cols, 397);
	task_release(&w.task);
}

TEST_MAIN()
