/*
 * Who else wanted the processor while we measured: the covariates by which whole rounds are left
 * out, and the gate that marks a trial as contended. Values of samples are never looked at.
 */
#ifndef FORGE_WORKER_CONTENTION_H
#define FORGE_WORKER_CONTENTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/result.h"
#include "sys/cpu.h"

struct contention {
	struct cpu_load first; /* when the trial began */
	uint64_t first_ns;
	double psi_share; /* of the trial in which some task waited for a CPU */
	double steal_share;
	size_t nr_seen; /* rounds of the trial */
	size_t nr_disturbed;
	bool *was_stolen; /* per round of the current shape */
	size_t nr_rounds;
	struct cpu_load last;
	uint64_t last_ns;
	size_t last_round; /* rounds before it are accounted for */
};

void contention_init(struct contention *c, size_t max_rounds);
void contention_release(struct contention *c);
/* The whole trial; close says whether it was contended. In real time other people's waiting does
 * not tell. */
void contention_open(struct contention *c);
bool contention_close(struct contention *c, bool is_realtime);
/* What close says, from the shares that it found. */
bool contention_is_high(const struct contention *c, bool is_realtime);
/* The rounds of one shape: begin, one call after each round, drop. */
void contention_begin(struct contention *c);
void contention_round(struct contention *c, size_t round);
/* Mark the samples of disturbed rounds, unless too few rounds would be left. */
void contention_drop(struct contention *c, struct sample *samples, size_t nr, size_t nr_rounds);
void contention_record(const struct contention *c, json_t *timing);

#endif
