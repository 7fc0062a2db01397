/*
 * The student's tool `build`: would this source be accepted by the compiler and the screens? A
 * build job like every other, on the run's host, but of no round: nothing is run, judged, timed or
 * recorded, and it costs the turn's time only.
 */
#ifndef FORGE_ENGINE_STUDENT_BUILD_H
#define FORGE_ENGINE_STUDENT_BUILD_H

#include <jansson.h>

struct engine;
struct err;

/* Builds of one turn. */
enum { STUDENT_MAX_BUILDS = 16 };

/* Members of the tool's result, yours; `nr_built` counts the turn's builds. NULL: our failure, or
 * the engine was stopped. */
json_t *student_build(struct engine *g, const json_t *call, unsigned *nr_built, struct err *e);

#endif
