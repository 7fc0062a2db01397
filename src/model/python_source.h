/*
 * As much of a Python module as a lint needs: the parameters of one of its functions. The parser of
 * the language itself looks at the whole module when it is built (build/backend_python.c); this one
 * is for a file and a line where there is no Python.
 */
#ifndef FORGE_MODEL_PYTHON_SOURCE_H
#define FORGE_MODEL_PYTHON_SOURCE_H

#include <stdbool.h>

#include "base/str.h"

struct pyfunction {
	struct strv names; /* of the parameters, in order; a starred one with its stars */
	unsigned line;
};

/* The last function of this name that is defined at the left margin; false: there is none, or its
 * parameter list does not end. Release in both cases. */
bool pyfunction_find(struct pyfunction *f, const char *text, const char *name);
void pyfunction_release(struct pyfunction *f);
#define AUTO_PYFUNCTION __attribute__((cleanup(pyfunction_release)))

/* A copy in which comments and documentation (strings in triple quotes that begin a line) are
 * blank; lines stay where they are. */
char *python_without_prose(const char *text);

#endif
