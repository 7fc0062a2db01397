#include "export/torch_args.h"

/* Sizes come from the tensors' shapes where a shape names one alone, else from an argument. */

#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/task.h"

enum { MAX_RANK = 16 };

/* PyTorch's names. */
static const struct torch_type types[] = {
	{ DTYPE_F64, "at::kDouble", "float64" },
	{ DTYPE_F32, "at::kFloat", "float32" },
	{ DTYPE_F16, "at::kHalf", "float16" },
	{ DTYPE_BF16, "at::kBFloat16", "bfloat16" },
	{ DTYPE_F8E4M3, "at::ScalarType::Float8_e4m3fn", "float8_e4m3fn" },
	{ DTYPE_F8E5M2, "at::ScalarType::Float8_e5m2", "float8_e5m2" },
	{ DTYPE_I64, "at::kLong", "int64" },
	{ DTYPE_I32, "at::kInt", "int32" },
	{ DTYPE_I8, "at::kChar", "int8" },
	{ DTYPE_U8, "at::kByte", "uint8" },
	{ DTYPE_BOOL, "at::kBool", "bool" },
};

const struct torch_type *torch_type(enum dtype t)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (types[i].dtype == t)
			return &types[i];
	BUG("dtype %d has no name in PyTorch", (int)t);
}

bool torch_is_given(const struct arg *arg)
{
	return arg->role == ARG_IN || arg->role == ARG_INOUT;
}

/* The first tensor that is given; a kernel without one has no device. */
const struct arg *torch_first(const struct task *t)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (torch_is_given(&t->args[i]))
			return &t->args[i];
	return NULL;
}

/* Which tensor's shape names this dim alone: "x.size(1)"; false: none. */
bool torch_size(const struct task *t, const char *dim, struct str *out)
{
	for (size_t i = 0; i < t->nr_args; i++)
		for (size_t k = 0; torch_is_given(&t->args[i]) && k < t->args[i].nr_shape; k++)
			if (str_equal(t->args[i].shape[k], dim)) {
				str_addf(out, "%s.size(%zu)", t->args[i].name, k);
				return true;
			}
	return false;
}

const struct dims *torch_dims(const struct task *t)
{
	return &t->shapes.items[0].dims;
}

bool torch_is_number(const char *text)
{
	char *end = NULL;
	strtod(text, &end);
	return *text && !*end;
}

/* What the caller must say: scalars with a value of their own, and dims that no tensor tells. */
bool torch_is_asked(const struct task *t, const struct arg *arg)
{
	AUTO_STR struct str ignored = STR_INIT;
	if (arg->role != ARG_SCALAR)
		return false;
	if (arg->value)
		return torch_is_number(arg->value);
	return !torch_size(t, arg->name, &ignored);
}

static bool is_scalar(const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role == ARG_SCALAR && str_equal(t->args[i].name, name))
			return true;
	return false;
}

/* A size that only outputs have: nobody tells it but the caller. */
bool torch_is_untold(const struct task *t, const char *dim)
{
	AUTO_STR struct str ignored = STR_INIT;
	return !is_scalar(t, dim) && !torch_size(t, dim, &ignored);
}

static void add_python_size(const struct task *t, const char *name, struct str *call)
{
	const struct dim *dim = dims_find(torch_dims(t), name);
	if (dim)
		str_addf(call, "%s%s=%lld", call->len ? ", " : "", name, (long long)dim->value);
}

static int add_python_tensor(const struct task *t, const struct arg *arg, struct str *tensors,
			     struct str *call, struct err *e)
{
	int64_t extent[MAX_RANK] = { 0 };
	if (arg->nr_shape > MAX_RANK || arg_extents(arg, torch_dims(t), extent, e) < 0)
		return -1;
	str_addf(tensors, "%s = torch.zeros(", arg->name);
	for (size_t k = 0; k < arg->nr_shape; k++)
		str_addf(tensors, "%lld, ", (long long)extent[k]);
	str_addf(tensors, "dtype=torch.%s, device=\"cuda\")\n", torch_type(arg->dtype)->python);
	str_addf(call, "%s%s=%s", call->len ? ", " : "", arg->name, arg->name);
	return 0;
}

int torch_example(const struct task *t, struct str *tensors, struct str *call, struct err *e)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		if (torch_is_asked(t, arg) && !arg->value)
			add_python_size(t, arg->name, call);
		if (torch_is_given(arg) && add_python_tensor(t, arg, tensors, call, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < torch_dims(t)->nr; i++)
		if (torch_is_untold(t, torch_dims(t)->items[i].name))
			add_python_size(t, torch_dims(t)->items[i].name, call);
	return 0;
}
