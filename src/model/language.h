/*
 * The language of a task's kernels: how its sources end, how the types of arguments are written and
 * what the entry takes beyond the arguments. One row each in languages.def.
 */
#ifndef FORGE_MODEL_LANGUAGE_H
#define FORGE_MODEL_LANGUAGE_H

#include <stdbool.h>

#include "model/dtype.h"

struct str;

struct language {
	const char *name;
	const char *suffix;
	const char *default_build;
	const char *stream; /* type of the entry's last parameter, or NULL */
	bool is_checked;
};

/* NULL for an unknown name. */
const struct language *language_find(const char *name);
/* "c cuda python pypto"; with `is_checked` only those that `forge check` takes. */
void language_names(bool is_checked, struct str *out);
bool language_is(const struct language *l, const char *name);
/* The type of an element as the entry sees it. */
const char *language_ctype(const struct language *l, enum dtype t);

#endif
