#include "worker/footprint.h"

/* Sizes come from the task's checked expressions; a product that overflows is an error there. */

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

/* This part of a value: what is positive, below one or small stays so. */
static const double scalar_share = 0.875;

/* A kernel that needs more than this for one argument does not belong on a worker's machine. */
static const size_t max_tensor_bytes = (size_t)1 << 34;

static int measure(struct operand *o, const struct task *t, const struct shape *shape,
		   struct err *e)
{
	o->is_tensor = o->arg->role != ARG_SCALAR;
	if (!o->is_tensor) {
		o->nr = 1;
		return arg_scalar(o->arg, &shape->dims, o->scalar_bytes, e);
	}
	if (arg_elements(o->arg, &shape->dims, &o->nr, e) < 0)
		return err_wrap(e, "task %s: shape %s: argument %s", t->name, shape->name,
				o->arg->name);
	if (o->nr > max_tensor_bytes / dtype_bytes(o->arg->dtype))
		return err_set(e, ERR_INPUT, "task %s: shape %s: argument %s is too large", t->name,
			       shape->name, o->arg->name);
	o->bytes = o->nr * dtype_bytes(o->arg->dtype);
	o->is_output = arg_is_output(o->arg);
	o->is_input = arg_is_input(o->arg);
	o->is_written = o->is_output || o->arg->role == ARG_WORKSPACE;
	return 0;
}

int footprint_init(struct footprint *f, const struct task *t, const struct shape *shape,
		   struct err *e)
{
	*f = (struct footprint){ .shape = shape, .nr = t->nr_args };
	f->items = xcalloc(t->nr_args, sizeof(*f->items));
	for (size_t i = 0; i < t->nr_args; i++) {
		struct operand *o = &f->items[i];
		o->arg = &t->args[i];
		if (measure(o, t, shape, e) < 0)
			return -1;
		f->tensor_bytes += o->bytes;
		f->input_bytes += o->is_tensor && o->is_input ? o->bytes : 0;
		f->output_bytes += o->is_output ? o->bytes : 0;
	}
	return 0;
}

/* Not made of the sizes. */
static bool is_literal(const struct arg *arg)
{
	char *end = NULL;
	if (arg->role != ARG_SCALAR || !dtype_is_float(arg->dtype) || !arg->value)
		return false;
	double value = strtod(arg->value, &end);
	return end != arg->value && *end == 0 && isfinite(value);
}

void footprint_vary_scalars(struct footprint *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		struct operand *o = &f->items[i];
		if (!is_literal(o->arg))
			continue;
		double value = dtype_load(o->arg->dtype, o->scalar_bytes, 0);
		dtype_store(o->arg->dtype, o->scalar_bytes, 0, value * scalar_share);
	}
}

void footprint_release(struct footprint *f)
{
	free(f->items);
	*f = (struct footprint){ 0 };
}
