/*
 * What null trials once found on a machine (docs/format/noise.md): for each size class and number
 * of threads the noise floor below which no claim is made there. Made by bench/null, one file a
 * kind of machine; the worker writes what holds for a shape into its result, and the decision rule
 * takes it from there. Without a file nothing is known and only the floor of the job itself counts.
 */
#ifndef FORGE_MODEL_NOISE_H
#define FORGE_MODEL_NOISE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct err;

/* Where the operands of one call fit. */
enum noise_class { NOISE_L1, NOISE_LLC, NOISE_DRAM, NOISE_CLASSES };

struct noise_row {
	enum noise_class class;
	unsigned threads;
	unsigned trials;
	unsigned called; /* of them, FASTER or SLOWER: all wrong */
	double floor;    /* 99th percentile of the estimates' distance from 1, as a fraction */
};

enum { NOISE_MAX_ROWS = 32 };

struct noise {
	const char *fingerprint; /* of the kind of machine (sys/cpu.h) */
	const char *cpu;
	const char *kernel;
	const char *date; /* UTC, when the newest row was measured */
	struct noise_row rows[NOISE_MAX_ROWS];
	size_t nr;
};

/* Text lives in the arena. `doc` stands in messages. */
int noise_parse(struct noise *n, const json_t *json, const char *doc, struct arena *a,
		struct err *e);
json_t *noise_to_json(const struct noise *n);
/* The file of a kind of machine: $FORGE_NOISE, or noise/ in the user's data folder; yours, or NULL
 * when there is no place. */
char *noise_path(const char *fingerprint);
/* 0 and *is_there false when there is no such file. */
int noise_load(struct noise *n, const char *fingerprint, struct arena *a, bool *is_there,
	       struct err *e);
int noise_save(const struct noise *n, struct err *e);
/* Replace the row of this class and number of threads, or add it. */
int noise_put(struct noise *n, const struct noise_row *row, struct err *e);

/* Caches of a machine as the classes see them; 0: unknown. Of the last one a core has its part only
 * (a virtual machine tells the size of the whole socket's), so at most 32 MiB of it count. */
struct noise_caches {
	size_t first;
	size_t last;
};
struct noise_caches noise_caches_of(size_t l1d, size_t l2, size_t l3);
enum noise_class noise_class_of(size_t bytes, const struct noise_caches *c);
const char *noise_class_name(enum noise_class c); /* "l1", "llc", "dram" */
/* False when it names none. */
bool noise_class_find(const char *name, enum noise_class *out);
/* The floor of a class for a kernel of so many threads: of the row with most threads up to these; 0
 * when there is none. */
double noise_floor(const struct noise *n, enum noise_class class, unsigned threads);

#endif
