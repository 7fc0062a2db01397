/*
 * What a worker answers (docs/format/result.md): result.json and samples.csv of a bundle, as one
 * document. The worker fills and saves it; engine and report load it. Times are nanoseconds by the
 * worker's clock; a sample is `calls` kernel calls.
 */
#ifndef FORGE_MODEL_RESULT_H
#define FORGE_MODEL_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/verdict.h"

struct err;

enum slot { SLOT_REFERENCE, SLOT_CANDIDATE, SLOT_REFERENCE_AGAIN, SLOT_NR };

struct case_result {
	const char *shape;
	const char *group;
	bool held_out;
	struct verdict verdict;
	double max_err;   /* largest normalised error over outputs and slices */
	double tolerance; /* what it was held against */
};

/* One raw sample: a row of samples.csv, in the order measured. */
struct sample {
	unsigned shape; /* index into result.shapes */
	unsigned replicate;
	unsigned round;
	unsigned part; /* of the replicate: its rounds ran on one copy of each kernel */
	enum slot slot;
	unsigned order;    /* place in the round, 0..2 */
	unsigned calls;    /* kernel calls in the window */
	uint64_t ns;       /* window by the worker's clock, null round trip taken off */
	uint64_t inner_ns; /* advisory, by the runner */
	uint64_t wait_ns;  /* run-queue delay of the runner in the window */
	uint64_t cpu_ns;   /* CPU time of the runner in the window */
	bool is_dropped;   /* whole round dropped by covariates, never by value */
};

struct result_shape {
	const char *name;
	bool held_out;
	double flops; /* 0: unknown */
	double bytes;
};

struct job_cost {
	double build_s;
	double start_s;   /* runner starts */
	double kernel_s;  /* inside kernels, all sides, warm-up included */
	double judge_s;   /* inputs, oracle, comparison */
	double prepare_s; /* operands of timed samples placed, poisoned, flushed */
	double wait_s;    /* for other timing jobs of the machine */
	double total_s;
};

struct result {
	struct arena arena;
	json_t *doc; /* the whole result.json: machine, build, profile, notes; owned */
	const char *job_id;
	const char *error; /* NULL, or why the job itself failed (not the candidate) */
	struct verdict verdict;
	struct case_result *cases;
	size_t nr_cases;
	struct result_shape *shapes;
	size_t nr_shapes;
	struct sample *samples;
	size_t nr_samples;
	struct job_cost cost;
	bool is_contended; /* PSI or steal above the gate while measuring */
};

/* `dir` is the bundle. Values are checked; a torn or foreign file is ERR_INPUT. */
int result_load(struct result *r, const char *dir, struct err *e);
void result_release(struct result *r);
#define AUTO_RESULT __attribute__((cleanup(result_release)))
/* Write result.json (doc plus the fields above) and samples.csv, atomically each. */
int result_save(const struct result *r, const char *dir, struct err *e);
/* A metric of the profile by name ("vector_bits", "fma_share", "stack_bytes", ...); side is
 * "candidate" or "reference". Returns false when the profile has no such metric. */
bool result_metric(const struct result *r, const char *side, const char *metric, double *out);
const char *slot_name(enum slot s);
/* What earlier null trials found on the machine that measured, for a timed shape: a noise floor as
 * a fraction; 0: nothing. */
double result_noise_floor(const struct result *r, const char *shape);
/* How much slower the reference was beside the candidate than alone, as fractions, of at most `max`
 * replicates that could tell; returns how many. */
size_t result_slowdowns(const struct result *r, double *out, size_t max);

#endif
