/*
 * A paired measurement as it was evaluated and recorded in an event: the numbers that a status
 * line, a report and best/evidence.json show. Ratios are reference time / candidate time, so that
 * above 1 is faster. Text lives in the arena it was read into.
 */
#ifndef FORGE_STORE_STATE_ESTIMATE_H
#define FORGE_STORE_STATE_ESTIMATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct state_shape {
	const char *name;
	bool held_out;
	const char *call; /* "faster", "slower", "undecided" */
	double speedup;
	double low;
	double high;
	double reference_ns; /* median of one call */
	double candidate_ns;
};

struct state_estimate {
	const char *call;       /* NULL: there is no estimate */
	const char *purpose;    /* "screen", "decide", "confirm", "self", "hand" */
	const char *comparator; /* what the candidate was measured against, in words */
	const char *job;
	unsigned replicates;
	double speedup; /* geometric mean over shapes */
	double low;
	double high;
	double floor; /* noise floor, as a fraction: 0.01 is 1 % */
	double confidence;
	bool is_contended;
	double slowdown; /* how much slower the reference was beside the candidate than alone */
	bool is_reference_slowed; /* by more than the floor, in every replicate */
	double drift;             /* diagnostics of stats/paired.h */
	double carry_over;
	struct state_shape *shapes;
	size_t nr_shapes;
	uint64_t seq; /* the event; 0: not from a log */
};

json_t *state_estimate_to_json(const struct state_estimate *est);
/* Missing members stay zero; a document that is no object gives "no estimate". */
void state_estimate_from_json(const json_t *obj, struct arena *a, struct state_estimate *est);

#endif
