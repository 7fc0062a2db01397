/*
 * For the judge's tests: a task of one tensor argument, a shape with a few dims and a group whose
 * generator is given as JSON.
 */
#ifndef FORGE_TEST_JUDGE_INPUTS_H
#define FORGE_TEST_JUDGE_INPUTS_H

#include <jansson.h>

#include "base/err.h"
#include "judge/fill.h"
#include "model/task.h"
#include "test.h"

struct inputs {
	const char *extent[2];
	struct arg arg;
	struct dim dim[3];
	struct shape shape;
	struct group group;
	json_t *json;
};

static inline void inputs_init(struct inputs *in, enum dtype dtype, const char *generator)
{
	*in = (struct inputs){ .extent = { "rows", "cols" },
			       .dim = { { "rows", 8 }, { "cols", 101 }, { "total", 5000 } } };
	in->arg = (struct arg){
		.name = "x", .role = ARG_IN, .dtype = dtype, .shape = in->extent, .nr_shape = 2
	};
	in->shape = (struct shape){ .name = "odd", .dims = { in->dim, 3 } };
	in->json = json_pack("{s:o}", "x", json_loads(generator, 0, NULL));
	CHECK(in->json);
	in->group = (struct group){ .name = "plain", .inputs = in->json };
}

static inline void inputs_release(struct inputs *in)
{
	json_decref(in->json);
}
#define AUTO_INPUTS __attribute__((cleanup(inputs_release)))

static inline size_t inputs_nr(const struct inputs *in)
{
	struct err e = { 0 };
	size_t nr = 0;
	CHECK_OK(arg_elements(&in->arg, &in->shape.dims, &nr, &e));
	return nr;
}

static inline int inputs_fill(const struct inputs *in, void *out, struct err *e)
{
	return fill_arg(&in->arg, &in->shape, &in->group, 42, out, e);
}

#endif
