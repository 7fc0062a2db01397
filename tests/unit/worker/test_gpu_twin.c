#include "worker/gpu_twin.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "test.h"

/* A plan whose only input is drawn by `generator`. */
struct scene {
	struct arg arg;
	struct operand operand;
	struct group group;
	struct content content;
	struct content *contents[1];
	json_t *inputs;
	struct shape_cases s;
	struct gpu_plan plan;
};

static void open_scene(struct scene *x, const char *generator, size_t bytes)
{
	AUTO_FREE char *text = xasprintf("{\"x\":{\"kind\":\"%s\"}}", generator);
	*x = (struct scene){ .arg = { .name = "x", .role = ARG_IN, .dtype = DTYPE_F32 } };
	x->operand = (struct operand){
		.arg = &x->arg, .nr = bytes / 4, .bytes = bytes, .is_tensor = true, .is_input = true
	};
	x->inputs = json_loads(text, 0, NULL);
	CHECK(x->inputs);
	x->group = (struct group){ .name = "g", .inputs = x->inputs };
	x->content = (struct content){ .fp = &x->s.fp, .group = &x->group };
	x->contents[0] = &x->content;
	x->s.fp = (struct footprint){ .items = &x->operand, .nr = 1, .input_bytes = bytes };
	x->plan = (struct gpu_plan){
		.s = &x->s, .contents = x->contents, .nr_contents = 1, .nr_groups = 1
	};
}

static unsigned fit(const char *generator, size_t bytes, unsigned nr_calls, unsigned nr_contents)
{
	struct scene x;
	open_scene(&x, generator, bytes);
	x.plan.nr_calls = nr_calls;
	struct content *many[70];
	for (unsigned i = 0; i < ARRAY_LEN(many); i++)
		many[i] = &x.content;
	x.plan.contents = many;
	x.plan.nr_contents = nr_contents;
	const unsigned nr = gpu_twins_fit(&x.plan);
	json_decref(x.inputs);
	return nr;
}

TEST(every_call_of_a_sample_gets_inputs_of_its_own)
{
	CHECK_INT(fit("normal", 1 << 20, 1, 3), 1);
	CHECK_INT(fit("normal", 1 << 20, 32, 3), 32);
}

TEST(memory_bounds_how_many_differ)
{
	CHECK_INT(fit("normal", (size_t)128 << 20, 32, 3), 4);
	CHECK_INT(fit("normal", (size_t)1 << 30, 32, 3), 1);
	CHECK_INT(fit("normal", 1 << 20, 32, 50), 14);
	CHECK_INT(fit("normal", 1 << 20, 32, 64), 0);
}

TEST(a_window_of_twins_is_made_of_whole_turns_of_the_groups)
{
	struct scene x;
	open_scene(&x, "normal", (size_t)128 << 20);
	x.plan.nr_contents = x.plan.nr_groups = 3;
	x.plan.contents = (struct content *[]){ &x.content, &x.content, &x.content };
	x.plan.nr_calls = 30;
	CHECK_INT(gpu_twins_fit(&x.plan), 3);
	json_decref(x.inputs);
}

/* Groups may differ in what they cost: a window of twins of one of them took, for an honest kernel,
 * twice as long as the window of all that it is held against. */
TEST(where_fewer_fit_than_groups_the_other_calls_are_ordinary)
{
	unsigned order[] = { 0, 1, 2 };
	struct gpu_plan p = { .nr_contents = 3, .nr_groups = 3, .nr_calls = 6, .nr_windows = 3 };
	p.order = order;
	p.nr_order = ARRAY_LEN(order);
	for (p.nr_twins = 1; p.nr_twins < p.nr_groups; p.nr_twins++)
		for (unsigned from = 0; from < p.nr_calls; from++)
			for (unsigned call = 0; call < p.nr_calls; call++) {
				const unsigned nr = (call + p.nr_calls - from) % p.nr_calls;
				CHECK_INT(gpu_twin_content(&p, 4, from, call),
					  nr < p.nr_twins ? p.nr_contents + nr
							  : gpu_plan_content(&p, 4, call));
			}
	p.nr_twins = 3;
	for (unsigned call = 0; call < p.nr_calls; call++)
		CHECK_INT(gpu_twin_content(&p, 4, 2, call), p.nr_contents + (call + 4) % 3);
}

TEST(an_input_with_a_structure_has_no_twin)
{
	CHECK_INT(fit("offsets", 1 << 20, 8, 3), 0);
}

TEST_MAIN()
