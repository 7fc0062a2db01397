/*
 * samples.csv: one line per raw sample, in the order measured (docs/format/samples.md). Text only;
 * result.c ties it to its result.json by a digest.
 */
#ifndef FORGE_MODEL_SAMPLES_H
#define FORGE_MODEL_SAMPLES_H

#include <stddef.h>

#include "model/result.h"

struct arena;
struct err;
struct str;

#define SAMPLES_FILE "samples.csv"

void samples_print(const struct sample *samples, size_t nr, struct str *out);
/* The samples live in the arena. `doc` stands in messages: "doc:LINE: what". */
int samples_parse(const char *text, const char *doc, struct arena *a, struct sample **out,
		  size_t *nr, struct err *e);

#endif
