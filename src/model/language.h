/*
 * The language of a task's kernels: how its sources end, how the types of arguments are written and
 * what the entry takes beyond the arguments. One row each in languages.def.
 */
#ifndef FORGE_MODEL_LANGUAGE_H
#define FORGE_MODEL_LANGUAGE_H

#include <stdbool.h>

#include "model/dtype.h"

struct str;

/* The function that a Python module defines, whatever the task's entry is called. */
#define PYTHON_ENTRY "run"

struct language {
	const char *name;
	const char *suffix;
	const char *default_build;
	const char *stream; /* type of the entry's last parameter, or NULL */
	bool is_gpu;
	bool is_checked;
};

/* NULL for an unknown name. */
const struct language *language_find(const char *name);
/* "c cuda python pypto"; with `is_checked` only those that `forge check` takes. */
void language_names(bool is_checked, struct str *out);
bool language_is(const struct language *l, const char *name);
/* Can a kernel be held against a reference of this language? A library that is called from Python
 * is the reference of many a CUDA kernel. */
bool language_can_meet(const struct language *kernel, const struct language *reference);
/* The type of an element as the entry sees it. */
const char *language_ctype(const struct language *l, enum dtype t);

#endif
