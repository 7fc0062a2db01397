/*
 * A job: what a bundle asks a worker to do (docs/format/job.md). The bundle is a folder:
 *
 *   job.json  task/  reference/kernel.c  candidate/kernel.c  check/judge.c check/tolerances.json
 *
 * and comes back with result.json, samples.csv and log/. Stages are prefixes of one pipeline:
 * build < judge < time. `calibrate` builds the reference and the judge, aligns them on every case,
 * measures the reference's error, runs the self-test and writes check/tolerances.json. `inspect`
 * answers what ask.json asks of the reference: how it behaves or what its object code is. A
 * `lesson` job has no task: its bundle holds lesson/probe.c, which is built and run.
 */
#ifndef FORGE_MODEL_JOB_H
#define FORGE_MODEL_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

enum job_kind { JOB_BUILD, JOB_JUDGE, JOB_TIME, JOB_CALIBRATE, JOB_INSPECT, JOB_LESSON };

struct job {
	char id[64];
	enum job_kind kind;
	uint64_t seed;       /* below 2^62 */
	unsigned replicates; /* K */
	unsigned
		rounds; /* n of a replicate; the worker may lower it for slow kernels and says so */
	bool held_out;  /* include held-out shapes */
	bool is_cold;   /* flush operand lines before each call */
	bool with_monitor; /* correctness monitor, recorded only */
	bool with_profile;
	bool with_origin; /* of a leaderboard: both sides by the origin's timing rule, too */
	bool is_sealed;   /* the reference is: what its compiler says is not kept */
	bool accept_weak_sandbox; /* go on where the machine lacks a mechanism; recorded */
	double deadline_s;        /* for the whole job */
	double call_deadline_s;   /* for one kernel call; 0: 20 x the reference's time, at least 2 s
				   */
};

const char *job_kind_name(enum job_kind k);
json_t *job_to_json(const struct job *j);
int job_from_json(const json_t *obj, const char *doc, struct job *j, struct err *e);
int job_load(struct job *j, const char *bundle_dir, struct err *e);
int job_save(const struct job *j, const char *bundle_dir, struct err *e);

#endif
