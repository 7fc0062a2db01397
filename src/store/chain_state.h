/*
 * The state of a chain of generations: a pure fold over chain.jsonl, as store/fold.h is over a
 * run's log. Resume and report read this struct only. Text lives in its arena. Zero means "none
 * yet" for every field.
 */
#ifndef FORGE_STORE_CHAIN_STATE_H
#define FORGE_STORE_CHAIN_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "model/verdict.h"
#include "store/fold.h"
#include "store/state_estimate.h"

struct err;
struct event;

/* A run whose reference is the best of the one before; generation 0 has the task's own. */
struct chain_generation {
	unsigned number;
	const char *task; /* folder below the chain's directory */
	const char *task_digest;
	const char *run; /* run directory below the chain's directory */
	const char *wall;
	bool is_ended;
	bool is_confirmed;
	const char *reason;        /* what its run says about its end */
	const char *kernel;        /* digest of the confirmed best; NULL: there is none */
	struct state_estimate own; /* that best against this generation's reference, K=16 */
	double seconds;            /* working time of its run */
	bool has_direct;
	struct verdict verdict;       /* of the judge of generation 0 */
	struct state_estimate direct; /* against the reference of generation 0 */
	const char *direct_dir;       /* bundle of that job, below the chain's directory */
	bool is_decided;
	bool goes_on;
	double floor;         /* what the gain was held against: 0.015 is 1.5 % */
	const char *decision; /* in words */
};

struct chain_state {
	struct arena arena;
	const char *task_name;
	const char *forge_version;
	const char *created;
	const char *teacher;
	const char *student;
	double step;  /* goal of every generation after 0 */
	double ratio; /* goal of the task, over generation 0 */
	double hours; /* of all generations together; 0: no limit */
	uint64_t seed;
	struct chain_generation *generations;
	size_t nr_generations;
	size_t cap_generations;
	bool is_reported;
	struct state_text report_paths;
	bool is_ended;
	bool is_goal_met;
	const char *end_reason;
	bool is_interrupted;
	unsigned nr_sessions;
	unsigned nr_repairs;
	uint64_t nr_events;
	const char *last_wall;
};

void chain_state_init(struct chain_state *s);
void chain_state_release(struct chain_state *s);
#define AUTO_CHAIN_STATE __attribute__((cleanup(chain_state_release)))
/* Fold one more event in. A body that lacks what its type promises is ERR_INPUT. */
int chain_state_fold(struct chain_state *s, const struct event *event, struct err *e);
/* Read and fold the whole log of a chain's directory, changing nothing. */
int chain_state_load(struct chain_state *s, const char *chain_dir, struct err *e);

/* The newest generation whose best passed the first judge and is faster than the first reference
 * when timed directly; NULL: none. */
const struct chain_generation *chain_state_best(const struct chain_state *s);
/* The newest generation; NULL: none. */
const struct chain_generation *chain_state_last(const struct chain_state *s);
/* Working time of all ended generations. */
double chain_state_seconds(const struct chain_state *s);
/* The product of the generations' own ratios up to and with number `last`, and of their intervals'
 * ends: only for holding the direct ratio against it. False: one of them has no ratio. */
bool chain_state_product(const struct chain_state *s, unsigned last, double *ratio, double *low,
			 double *high);

#endif
