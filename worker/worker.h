/*
 * What all stages of one job share: the bundle, the task, the builds, where runners run, how much
 * time is left, and the result as it grows. One job, one worker, one thread.
 */
#ifndef FORGE_WORKER_WORKER_H
#define FORGE_WORKER_WORKER_H

#include <stdint.h>

#include "build/build.h"
#include "judge/tolerance.h"
#include "model/job.h"
#include "model/result.h"
#include "model/task.h"
#include "sys/cpu.h"
#include "worker/roofline.h"

struct err;
struct gpu_bench;

enum party { PARTY_REFERENCE, PARTY_CANDIDATE, PARTY_ORACLE, PARTY_NR };

/* Where the time of a job goes; all are nanoseconds of the worker's clock. Every moment counts for
 * one of them at most: spending is nested, and the innermost wins. */
struct spent {
	uint64_t build_ns;
	uint64_t start_ns;
	uint64_t kernel_ns;
	uint64_t judge_ns;
	uint64_t prepare_ns; /* operands placed, poisoned and flushed for timed samples */
	uint64_t wait_ns;    /* for other jobs that time on this machine */
	uint64_t *current;   /* which of them runs now, NULL: none */
	uint64_t since_ns;
};

struct worker {
	const char *bundle;
	char *runner_path;
	char *kit_dir;
	char *cache_dir; /* or NULL */
	struct job job;
	struct task task;
	struct build builds[PARTY_NR]; /* empty where the job needs none */
	struct tolerances tolerances;
	struct cpu_list cpus; /* what this process may use */
	bool is_realtime;     /* windows may run at real-time priority ... */
	bool has_machine;     /* ... while no other job is timed: worker/exclusive.c */
	uint64_t begin_ns;
	uint64_t deadline_ns; /* clock_mono_ns() after which the job has failed */
	struct spent spent;
	struct roofline roofline; /* measured once kernels were timed */
	struct gpu_bench *gpu;    /* of tasks for a GPU, once it was used */
	struct result result;
};

int worker_open(struct worker *w, const char *bundle, struct err *e);
void worker_release(struct worker *w);
#define AUTO_WORKER __attribute__((cleanup(worker_release)))

/* ERR_TIMEOUT when the job's own time is over. */
int worker_check_time(const struct worker *w, struct err *e);
uint64_t worker_left_ns(const struct worker *w);
/* A line for result.json "notes": what a reader of the numbers should know. */
void worker_note(struct worker *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Put a value into the result's document; takes the reference. */
void worker_record(struct worker *w, const char *key, json_t *value);
/* Move the times into result.cost. */
void worker_close_cost(struct worker *w);
/* The last core is for single-threaded kernels; -1: they use any. Of a GPU's task nothing is timed
 * on a core, and what its device processes start (PyTorch, Triton's compilers, ncu) wants all. */
int worker_kernel_cpu(const struct worker *w);
/* Then stay on the first one: a worker that spins at real-time priority where its kernel should run
 * would wait for ever. */
int worker_pin(const struct worker *w, struct err *e);
const char *party_name(enum party p);
/* What a round gets (DESIGN.md 8). */
enum { SCREEN_REPLICATES = 2 };
/* A trial that does not confirm: what it lets pass is looked at again, by a job with another seed,
 * before it is called confirmed. */
bool worker_is_sampling(const struct worker *w);

/* Count the time until the end of the scope: AUTO_SPEND(w, judge_ns). */
struct spend {
	struct spent *spent;
	uint64_t *outer;
};
struct spend spend_begin(struct spent *s, uint64_t *counter);
void spend_end(const struct spend *s);
#define AUTO_SPEND(w, counter)                                                                     \
	__attribute__((cleanup(spend_end))) const struct spend spend_ =                            \
		spend_begin(&(w)->spent, &(w)->spent.counter);                                     \
	(void)spend_
/* Of the time that runs now, `ns` belong to another counter. */
void spent_move(struct spent *s, uint64_t *counter, uint64_t ns);

#endif
