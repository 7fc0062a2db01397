/*
 * What a caller in PyTorch gives and what follows from it: tensors of roles in and inout, scalars
 * with a value of their own, sizes that no tensor tells.
 */
#ifndef FORGE_EXPORT_TORCH_ARGS_H
#define FORGE_EXPORT_TORCH_ARGS_H

#include <stdbool.h>

#include "model/dtype.h"

struct arg;
struct dims;
struct err;
struct str;
struct task;

struct torch_type {
	enum dtype dtype;
	const char *at;     /* "at::kFloat" */
	const char *python; /* "float32" */
};

const struct torch_type *torch_type(enum dtype t);
bool torch_is_given(const struct arg *arg);
/* The first tensor that is given; NULL: none, so that there is no device. */
const struct arg *torch_first(const struct task *t);
/* Append which tensor's shape names this dim alone, "x.size(1)"; false: none. */
bool torch_size(const struct task *t, const char *dim, struct str *out);
/* Those of the first shape. */
const struct dims *torch_dims(const struct task *t);
bool torch_is_number(const char *text);
/* Must the caller give this scalar? */
bool torch_is_asked(const struct task *t, const struct arg *arg);
/* A size that only outputs have: nobody tells it but the caller. */
bool torch_is_untold(const struct task *t, const char *dim);
/* Python that makes the tensors of the first shape, and the arguments of a call with them. */
int torch_example(const struct task *t, struct str *tensors, struct str *call, struct err *e);

#endif
