/*
 * Jobs of a run: bundle, host, result, each recorded. A job has a name that follows from what it
 * is for, so that a resumed run finds it: what was measured once is never measured again.
 */
#ifndef FORGE_ENGINE_JOBS_H
#define FORGE_ENGINE_JOBS_H

#include <jansson.h>
#include <stdbool.h>

#include "model/job.h"

struct engine;
struct err;
struct result;

struct job_spec {
	const char *id;      /* "r0007-screen" */
	const char *purpose; /* "screen" */
	unsigned round;      /* 0: below jobs/ */
	enum job_kind kind;
	const char *candidate; /* source path, or NULL */
	unsigned replicates;
	bool held_out;
	bool with_monitor;
	bool with_profile;
	bool with_origin;
	bool may_fail; /* the run goes on without it: failures are not tried again after a kill */
	bool judge_may_fail; /* a judge that does not build or run is an answer for its author */
	const json_t *ask;   /* of an inspect job, else NULL */
};

/* The engine's defaults; see notes in jobs.c. */
enum {
	JOB_ROUNDS = 31,
	SCREEN_REPLICATES = 2,
	REFERENCE_REPLICATES =
		4, /* against itself: decides nothing, and three slow slots a round */
	DECIDE_REPLICATES = 8,
	CONFIRM_REPLICATES = 16,
	JOB_TRIES = 2,
	MAX_FAILED_JOBS = 3, /* in a row: then the machine is broken, and the run stops */
};

/* Run it, or take its result from before. A job that failed (not its candidate) after the host's
 * retries is -1, and recorded. */
int job_run(struct engine *g, const struct job_spec *spec, struct result *result, struct err *e);
/* Is `e` what job_run said of this job's failure, and not trouble of forge's own? */
bool job_is_failure(const struct engine *g, const char *id, const struct err *e);
/* Jobs that failed one after the other, the newest first. */
unsigned jobs_failed_in_a_row(const struct engine *g);
/* Result of a job that is done, its digest verified. */
int job_result(const struct engine *g, const char *id, struct result *result, struct err *e);
/* Did a calibration end because judge and reference disagree, or because the self-test let a cheat
 * pass? Then result.error says it in words. */
bool job_is_misaligned(const struct result *result);
/* "build" or "run": what the judge could not be made to do in this job, which then has no answer;
 * NULL: it is not at fault. */
const char *job_judge_fault(const struct result *result);
/* Working time that a job of these replicates is expected to take, from those already done. */
double job_expected_s(const struct engine *g, unsigned replicates);

#endif
