/*
 * `forge evolve`: a chain of generations (DESIGN.md 6). Generation 0 is a run of the task; as long
 * as a generation's confirmed best beats its own reference by more than the noise floor, that best
 * becomes the reference of the next one, for the same judge with the same tolerances. Ratios are
 * never multiplied: every best is timed against the reference of generation 0 itself. All decisions
 * are events of chain.jsonl; a chain that was killed goes on where its log ends.
 */
#ifndef FORGE_ENGINE_EVOLVE_H
#define FORGE_ENGINE_EVOLVE_H

#include <stdint.h>

#include "engine/engine.h"

struct chain_state;

/* Goal of each generation after the first. */
#define EVOLVE_STEP 1.05
/* The least gain that counts as one: what the same job repeated differs by on a quiet machine
 * (DESIGN.md 6). A noisier job raises it by its own measured floor. */
#define EVOLVE_MIN_FLOOR 0.015

struct evolve_new {
	const char *task_dir;
	const char *chain_dir;  /* NULL: CHAINS_DIR/NAME-chain_DATE-xxxx */
	const char *chains_dir; /* NULL: ".artifacts" */
	double step;            /* 0: EVOLVE_STEP */
	double hours;           /* working time of all generations; 0: no limit */
	uint64_t seed;          /* 0: drawn from the system */
};
/* The chain's directory with the run of generation 0 in it; all or nothing. */
int evolve_new(const struct evolve_new *spec, struct str *made, struct err *e);

struct evolve_hooks {
	struct engine_hooks run; /* for the runs of the generations; its stop_signal is ours too */
	void *ctx;
	/* After each event of the chain became durable. May be NULL. */
	void (*see_event)(void *ctx, const struct event *event, const struct chain_state *state);
	/* Adds the paths it wrote, relative to the chain's directory. May be NULL. */
	int (*write_report)(void *ctx, const char *chain_dir, struct strv *paths, struct err *e);
};

/* Goes on from where the log ends; a chain that has ended returns its outcome at once. The goal is
 * the task's own ratio, met by the direct measurement against generation 0. */
int evolve_run(const char *chain_dir, const struct engine_host *host,
	       const struct evolve_hooks *hooks, enum engine_outcome *outcome, struct err *e);

#endif
