#include "worker/exchange.h"

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "test.h"
#include "worker/cases.h"

#define BLEND_TASK "tests/unit/worker/data/blend"

static void open_task(struct worker *w, struct cases *cases, enum job_kind kind, uint64_t seed)
{
	struct err e = { 0 };
	*w = (struct worker){ .job = { .kind = kind, .seed = seed } };
	CHECK_OK(task_load(&w->task, BLEND_TASK, &e));
	CHECK_OK(cases_init(cases, w, &e));
	for (size_t i = 0; i < cases->nr; i++)
		CHECK_OK(cases_fill(&cases->shapes[i], w, seed, &e));
}

/* Elements of argument `arg` in which two contents differ. */
static size_t nr_different(const struct content *a, const struct content *b, size_t arg)
{
	const struct operand *o = &a->fp->items[arg];
	const float *x = (const float *)(const void *)a->in[arg];
	const float *y = (const float *)(const void *)b->in[arg];
	size_t nr = 0;
	for (size_t i = 0; i < o->nr; i++)
		nr += memcmp(&x[i], &y[i], sizeof(float)) != 0;
	return nr;
}

static const struct content *sibling_of(const struct shape_cases *s, const struct content *twin)
{
	for (size_t i = 0; i < s->nr_groups; i++)
		if (s->contents[i].group == twin->group)
			return &s->contents[i];
	return NULL;
}

TEST(a_twin_differs_from_its_sibling_in_a_few_elements)
{
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases, JOB_JUDGE, 3);
	for (size_t i = 0; i < cases.nr; i++) {
		const struct shape_cases *s = &cases.shapes[i];
		CHECK_INT(s->nr, s->nr_groups + 1);
		const struct content *twin = &s->contents[s->nr_groups];
		size_t nr = nr_different(sibling_of(s, twin), twin, 0) +
			    nr_different(sibling_of(s, twin), twin, 1);
		CHECK(nr >= 2 && nr <= 16);
	}
	task_release(&w.task);
}

TEST(twins_are_no_cases_and_calibration_has_none)
{
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases, JOB_CALIBRATE, 3);
	CHECK_INT(cases.nr_cases, 9);
	for (size_t i = 0; i < cases.nr; i++)
		CHECK_INT(cases.shapes[i].nr, cases.shapes[i].nr_groups);
	task_release(&w.task);
}

TEST(the_seed_chooses_whose_twin_it_is)
{
	bool was_chosen[3] = { false };
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct worker w;
		AUTO_CASES struct cases cases;
		open_task(&w, &cases, JOB_TIME, seed);
		const struct shape_cases *s = &cases.shapes[0];
		was_chosen[sibling_of(s, &s->contents[s->nr_groups]) - s->contents] = true;
		task_release(&w.task);
	}
	/* In the third group only the weights are drawn one by one; that is enough. */
	CHECK(was_chosen[0] && was_chosen[1] && was_chosen[2]);
}

TEST(inputs_whose_order_matters_have_no_twin)
{
	struct worker w;
	AUTO_CASES struct cases cases;
	open_task(&w, &cases, JOB_JUDGE, 3);
	static const struct {
		const char *inputs;
		bool is_possible;
	} rows[] = {
		{ "{\"x\":{\"kind\":\"ramp\"},\"w\":{\"kind\":\"constant\",\"value\":1}}", false },
		{ "{\"x\":{\"kind\":\"ramp\"},\"w\":{\"kind\":\"normal\"}}", true },
		{ "{\"x\":{\"kind\":\"constant_rows\"},\"w\":{\"kind\":\"ramp\"}}", false },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO_JSON json_t *inputs = json_loads(rows[i].inputs, 0, NULL);
		struct group group = { .name = "g", .inputs = inputs, .is_timed = true };
		CHECK(exchange_is_possible(&cases.shapes[0].fp, &group) == rows[i].is_possible);
	}
	task_release(&w.task);
}

TEST_MAIN()
