/*
 * Macros of the source itself, as far as a kernel needs them: names and functions with a plain body
 * are replaced before parsing. A macro that is anything else (conditional, variadic, pasting, with
 * statements) stays a name, and is listed so that the parser treats what uses it as opaque.
 */
#ifndef FORGE_TUNER_CMACRO_H
#define FORGE_TUNER_CMACRO_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/clex.h"

struct arena;

struct macro {
	const char *name;
	bool is_function;
	bool is_plain; /* may be replaced */
	const char **params;
	size_t nr_params;
	struct lexemes body;
};

struct macros {
	struct macro *items;
	size_t nr;
	size_t cap;
};

#define AUTO_MACROS __attribute__((cleanup(macros_release)))

/* Collect the #define lines of a whole source. */
void macros_collect(struct macros *m, const struct lexemes *source, struct arena *a);
const struct macro *macros_find(const struct macros *m, const char *name);
/* Copy lexemes [from, to) into `out` with the plain macros replaced. */
void macros_expand(const struct macros *m, const struct lexemes *source, size_t from, size_t to,
		   struct lexemes *out);
void macros_release(struct macros *m);

#endif
