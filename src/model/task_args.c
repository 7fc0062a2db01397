#include "model/task.h"

/* What an argument is at a shape: extents, elements, the value of a scalar; and the prototype of
 * the entry. Everything is computed from the task's text on demand, so a loaded task stays small
 * and immutable. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "model/expr.h"
#include "model/language.h"

static const char *const role_names[] = {
	[ARG_IN] = "in",
	[ARG_OUT] = "out",
	[ARG_INOUT] = "inout",
	[ARG_SCALAR] = "scalar",
	[ARG_WORKSPACE] = "workspace",
};

const char *arg_role_name(enum arg_role role)
{
	return role_names[role];
}

bool arg_is_output(const struct arg *arg)
{
	return arg->role == ARG_OUT || arg->role == ARG_INOUT;
}

bool arg_is_input(const struct arg *arg)
{
	return arg->role == ARG_IN || arg->role == ARG_INOUT;
}

int arg_extents(const struct arg *arg, const struct dims *dims, int64_t *extent, struct err *e)
{
	for (size_t i = 0; i < arg->nr_shape; i++) {
		if (expr_eval(arg->shape[i], dims, &extent[i], e) < 0)
			return err_wrap(e, "argument %s", arg->name);
		if (extent[i] <= 0)
			return err_set(
				e, ERR_INPUT,
				"argument %s: extent %zu, \"%s\", is %lld; it must be positive",
				arg->name, i, arg->shape[i], (long long)extent[i]);
	}
	return 0;
}

static int add_extent(const struct arg *arg, const struct dims *dims, size_t i, size_t *nr,
		      struct err *e)
{
	int64_t extent;
	const struct arg one = { .name = arg->name, .shape = &arg->shape[i], .nr_shape = 1 };
	if (arg_extents(&one, dims, &extent, e) < 0)
		return -1;
	if (__builtin_mul_overflow(*nr, (size_t)extent, nr) ||
	    *nr > (size_t)INT64_MAX / dtype_bytes(arg->dtype))
		return err_set(e, ERR_INPUT, "argument %s: its size does not fit 64 bits",
			       arg->name);
	return 0;
}

int arg_elements(const struct arg *arg, const struct dims *dims, size_t *nr, struct err *e)
{
	*nr = 1;
	for (size_t i = 0; i < arg->nr_shape; i++)
		if (add_extent(arg, dims, i, nr, e) < 0)
			return -1;
	return 0;
}

static bool is_in_range(enum dtype t, int64_t value)
{
	unsigned char bytes[8] = { 0 };
	if (t == DTYPE_BOOL)
		return value == 0 || value == 1;
	dtype_store_int(t, bytes, 0, value);
	return dtype_load_int(t, bytes, 0) == value;
}

static int scalar_int(const struct arg *arg, const struct dims *dims, const char *text,
		      unsigned char bytes[8], struct err *e)
{
	int64_t value;
	if (expr_eval(text, dims, &value, e) < 0)
		return err_wrap(e, "scalar %s", arg->name);
	if (!dtype_is_float(arg->dtype) && !is_in_range(arg->dtype, value))
		return err_set(e, ERR_INPUT, "scalar %s: %lld does not fit %s", arg->name,
			       (long long)value, dtype_name(arg->dtype));
	dtype_store_int(arg->dtype, bytes, 0, value);
	return 0;
}

int arg_scalar(const struct arg *arg, const struct dims *dims, unsigned char bytes[8],
	       struct err *e)
{
	const char *text = arg->value ? arg->value : arg->name;
	char *end;
	errno = 0;
	double number = strtod(text, &end);
	bool is_beyond = errno == ERANGE && (isinf(number) || number == 0);
	memset(bytes, 0, 8);
	/* A dim may be called "inf" or "nan"; only fixed values are read as numbers. */
	if (!arg->value || !dtype_is_float(arg->dtype) || end == text || *end)
		return scalar_int(arg, dims, text, bytes, e);
	dtype_store(arg->dtype, bytes, 0, number);
	double stored = dtype_load(arg->dtype, bytes, 0);
	if (is_beyond || isfinite(number) != isfinite(stored) || (number != 0) != (stored != 0))
		return err_set(e, ERR_INPUT, "scalar %s: %s does not fit %s", arg->name, text,
			       dtype_name(arg->dtype));
	return 0;
}

static void add_parameter(const struct arg *arg, const char *type, struct str *out)
{
	bool is_const = arg->role == ARG_IN;
	bool is_pointer = arg->role != ARG_SCALAR;
	str_addf(out, "%s%s %s%s", is_const ? "const " : "", type, is_pointer ? "*" : "",
		 arg->name);
}

static const char *judge_type(const struct arg *arg)
{
	return dtype_is_float(arg->dtype) ? "double" : dtype_ctype(arg->dtype);
}

static void python_prototype(const struct task *t, struct str *out)
{
	str_addf(out, "def %s(", t->entry);
	for (size_t i = 0; i < t->nr_args; i++)
		str_addf(out, "%s%s", i ? ", " : "", t->args[i].name);
	str_add(out, ")");
}

void task_prototype(const struct task *t, struct str *out)
{
	const struct language *l = t->language ? language_find(t->language) : NULL;
	const char *stream = l ? l->stream : NULL;
	if (l && language_is(l, "python")) {
		python_prototype(t, out);
		return;
	}
	str_addf(out, "%svoid %s(", stream ? "extern \"C\" " : "", t->entry);
	for (size_t i = 0; i < t->nr_args; i++) {
		str_add(out, i ? ", " : "");
		add_parameter(&t->args[i], language_ctype(l, t->args[i].dtype), out);
	}
	if (stream)
		str_addf(out, ", %s stream", stream);
	str_add(out, ")");
}

void task_judge_prototype(const struct task *t, struct str *out)
{
	str_addf(out, "void %s(", t->entry);
	for (size_t i = 0; i < t->nr_args; i++) {
		str_add(out, i ? ", " : "");
		add_parameter(&t->args[i], judge_type(&t->args[i]), out);
	}
	str_add(out, ")");
}

int task_work(const char *expression, const struct dims *dims, double *out, struct err *e)
{
	int64_t value;
	*out = 0;
	if (!expression)
		return err_set(e, ERR_INPUT, "the task does not say its work");
	if (expr_eval(expression, dims, &value, e) < 0)
		return err_wrap(e, "work");
	*out = (double)value;
	return 0;
}
