/*
 * Screens of a Python module (screens_python.def): the program that looks at its syntax tree, and
 * what its answer means.
 */
#ifndef FORGE_BUILD_SCREEN_PYTHON_H
#define FORGE_BUILD_SCREEN_PYTHON_H

#include <jansson.h>

struct err;
struct verdict;

/* screen_python.py as it stands in the source tree. */
extern const char screen_python_text[];

/* The answer of that program: an objection is a verdict; without one *facts is a new reference. */
int screen_python_take(const json_t *answer, struct verdict *v, json_t **facts, struct err *e);

#endif
