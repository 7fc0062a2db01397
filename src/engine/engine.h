/*
 * The engine runs campaigns: it freezes a task into a run directory, plans without touching
 * anything, and drives a run through its seven stages (DESIGN.md 4). All decisions become events;
 * a run that was killed goes on where its log ends. The engine prints nothing: the caller watches
 * through hooks.
 */
#ifndef FORGE_ENGINE_ENGINE_H
#define FORGE_ENGINE_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/job.h"
#include "model/result.h"
#include "store/fold.h"

struct err;
struct event;
struct host_ops;
struct prices;

/* How the caller takes part. Every slot may be NULL. Calls borrow their arguments. */
struct engine_hooks {
	void *ctx;
	/* After each event became durable, with the state it led to. */
	void (*see_event)(void *ctx, const struct event *event, const struct run_state *state);
	/* A job or an agent tells what it does: for a live line, never for the record. */
	void (*see_progress)(void *ctx, const struct run_state *state, const char *text);
	/* A line that an agent tells people; NULL: it is shown as progress. */
	void (*see_agent)(void *ctx, const char *text);
	/* A job waits for something outside of it: worth a line even where progress is not. */
	void (*see_wait)(void *ctx, const struct run_state *state, const char *text);
	/* Stage 7: the report layer stands above the engine. Adds the paths it wrote, relative to
	 * the run directory, to `paths`. Without this slot the stage writes no report. */
	int (*write_report)(void *ctx, const char *run_dir, struct strv *paths, struct err *e);
	/* The price table (model/prices.h), for agents that tell no dollars. */
	const struct prices *prices;
	/* Set by the caller's signal handler (SIGINT, SIGTERM); 0 goes on. */
	const volatile sig_atomic_t *stop_signal;
};

/* Where jobs run; zero means the default of each. */
struct engine_host {
	const struct host_ops *ops; /* NULL: local */
	const char *cache_dir;   /* finished builds; NULL: $FORGE_CACHE, else a run's own cache/ */
	const char *worker_path; /* NULL: forge-worker beside this program */
	bool accept_weak_sandbox;
	const char *accepted; /* "no-seccomp,no-net-ns": grave lacks that the user takes; or NULL */
};

/* `forge new`: copy and hash the task, write run.json and the first event. All or nothing: the
 * folder appears at once. */
struct engine_new {
	const char *task_dir;
	const char *run_dir;  /* NULL: RUNS_DIR/NAME_DATE-xxxx */
	const char *runs_dir; /* NULL: ".artifacts" */
	uint64_t seed;        /* 0: drawn from the system */
	bool is_control;      /* `forge goal`: the control arm (engine/control.h) */
};
/* `made` gets the path of the run directory. */
int engine_new_run(const struct engine_new *spec, struct str *made, struct err *e);

/* `forge new --dry-run`: what a run of this task would do at worst. Touches nothing. */
struct plan_stage {
	const char *name;
	const char *text; /* what happens, in words */
	unsigned nr_jobs; /* worst case */
	double worst_s;
	double worst_usd;
	int64_t worst_tokens;
};
struct plan {
	struct arena arena;
	const char *task_name;
	const char *reference_mode; /* "source", "blackbox", "generate", "leaderboard" */
	const char *teacher;
	const char *student;
	unsigned nr_shapes;
	unsigned nr_held_out;
	unsigned nr_cases;
	struct plan_stage *stages;
	size_t nr_stages;
	unsigned nr_jobs;
	double worst_s;
	double worst_usd;
	int64_t worst_tokens;
	struct strv denied; /* what the student may not see or use */
	struct strv notes;  /* what the estimate rests on */
};
/* A task that engine_new_run would refuse has no plan. */
int engine_plan(const char *task_dir, struct plan *p, struct err *e);
/* The same for what is left of a run. */
int engine_plan_rest(const char *run_dir, struct plan *p, struct err *e);
void plan_release(struct plan *p);
#define AUTO_PLAN __attribute__((cleanup(plan_release)))

/* `forge run`. Goes on from where the log ends; a run that has ended returns its outcome at once.
 * Errors leave a log that a later call can go on from. */
enum engine_outcome {
	ENGINE_GOAL_MET,
	ENGINE_ENDED_OTHERWISE,
	ENGINE_INTERRUPTED, /* by hooks->stop_signal; children are gone, the event is written */
};
int engine_run(const char *run_dir, const struct engine_host *host,
	       const struct engine_hooks *hooks, enum engine_outcome *outcome, struct err *e);

/* `forge judge`, `forge time` and the noise floor of `forge doctor`: one job by hand. The judge is
 * calibrated first unless `task_dir` is a run directory or `work_dir` holds the calibration of the
 * same task. */
struct engine_hand {
	const char *task_dir;  /* a task, or a run directory (then its frozen task and judge) */
	bool is_claim;         /* task_dir is a best/ folder, which is laid out as a run is */
	const char *candidate; /* source path; NULL: the reference itself */
	const char *reference; /* source path; NULL: the task's */
	enum job_kind kind;    /* JOB_JUDGE, JOB_TIME, JOB_CALIBRATE */
	unsigned replicates;   /* 0: 8 */
	unsigned rounds;       /* 0: the engine's default */
	bool held_out;
	bool is_warm;         /* leave operands in cache */
	uint64_t seed;        /* 0: drawn */
	const char *work_dir; /* bundle and raw samples stay here; NULL: a temporary folder */
};
struct engine_answer {
	struct result result;           /* loaded from the bundle */
	struct state_estimate estimate; /* JOB_TIME: text in `arena`; else zero */
	struct arena arena;
};
int engine_by_hand(const struct engine_hand *hand, const struct engine_host *host,
		   const struct engine_hooks *hooks, struct engine_answer *answer, struct err *e);
void engine_answer_release(struct engine_answer *answer);
#define AUTO_ENGINE_ANSWER __attribute__((cleanup(engine_answer_release)))

#endif
