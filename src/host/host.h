/*
 * Hosts: places that execute job bundles (docs/format/host.md). A bundle folder goes in,
 * result.json and samples.csv come back into the same folder. The engine calls host_run_job only; a
 * driver is one file with one `struct host_ops` and one row in host_find. Whether the candidate is
 * bad is in the result; an err here is always about the place.
 */
#ifndef FORGE_HOST_HOST_H
#define FORGE_HOST_HOST_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "host/trouble.h"

struct err;
struct str;

struct host_spec {
	const char *bundle_dir;
	struct digest bundle;    /* digest_tree of the bundle; hosts that copy check their copy */
	const char *worker_path; /* NULL: forge-worker beside the running program */
	const char *cache_dir;   /* for builds, on the host; NULL: the host's own, or none */
	uint64_t deadline_ns;    /* a backstop behind the job's own deadline; 0: none */
	/* Cut short once this is not 0; or NULL. Set it in a signal handler. */
	const volatile sig_atomic_t *stop;
	bool can_resume; /* the same bundle will be asked for again after a stop or a kill */
	bool is_probe;   /* bundle_dir is an empty folder that gets probe.json */
	/* Of a probe: the folder for which the same is asked again after a stop or a kill, a run's;
	 * NULL: nobody asks again. Two that ask at once are two askers. */
	const char *asker;
};

enum host_end {
	HOST_RUNNING,
	HOST_DONE,    /* ended by itself; exit_code says how */
	HOST_LOST,    /* the worker was killed or its machine went away: worth another try */
	HOST_FAILED,  /* a trouble that another try does not cure */
	HOST_EXPIRED, /* past spec.deadline_ns, stopped by us */
	HOST_STOPPED, /* spec.stop */
};

struct host_status {
	enum host_end end;
	int exit_code;
	enum trouble trouble; /* of HOST_LOST and HOST_FAILED */
	double work_s;        /* of a driver with is_remote: what the work itself took so far */
	char text[400];       /* how it ended, for people */
};

/* The worker that runs here or travels; yours. */
char *host_worker_path(const struct host_spec *spec);
/* It ended by a trouble: HOST_LOST where another try may help, else HOST_FAILED. */
void host_status_trouble(struct host_status *st, enum trouble t, const char *why);

/* One line of progress of the worker, parsed; borrowed for the call. */
typedef void (*host_progress_fn)(const json_t *progress, void *ctx);

struct host_watch {
	host_progress_fn progress; /* or NULL */
	void *ctx;
};

struct host_job;

struct host_ops {
	const char *name;
	bool is_remote;  /* another machine, as far as this one knows */
	bool keeps_jobs; /* jobs wait in a queue that outlives forge */
	/* Hand the bundle over and begin. -1: the place cannot take it. */
	int (*start)(struct host_job **out, const struct host_spec *spec, struct err *e);
	/* Wait up to wait_ns for news and tell them. -1: the place cannot be asked (it may come
	 * back: call again). */
	int (*poll)(struct host_job *job, uint64_t wait_ns, const struct host_watch *watch,
		    struct host_status *st, struct err *e);
	/* After HOST_DONE: bring result.json, samples.csv and log/ into the bundle folder. */
	int (*fetch)(struct host_job *job, struct err *e);
	/* End it, whatever state it is in, and free the job. */
	void (*stop)(struct host_job **job);
	/* What the machine is, as JSON (`forge-worker probe`); a new reference, NULL on error.
	 * Without this slot a job asks it. */
	json_t *(*probe)(const struct host_spec *spec, struct err *e);
	/* Can it be used? Settings and programs, and with `asks` the host itself. `what` gets a
	 * line about it; -1: why not, with the cure. */
	int (*check)(bool asks, struct str *what, struct err *e);
};

#define HOST(name) extern const struct host_ops host_##name;
#include "host/hosts.def"
#undef HOST

/* A driver by name ("local"), or NULL. */
const struct host_ops *host_find(const char *name);
/* The i-th driver, or NULL. */
const struct host_ops *host_at(size_t i);
/* The one that FK_DELIVERY names, checked without asking it. -1: it is none, or lacks something. */
int host_choose(const struct host_ops **out, struct err *e);

struct host_outcome {
	bool is_stopped;      /* spec.stop cut it short; then host_run_job returns -1 */
	unsigned attempts;    /* 1: it worked at once */
	enum trouble trouble; /* why it returned -1, where the place is at fault or the worker died
			       */
	double queue_s;       /* of an is_remote driver: waiting and travelling, not work */
};

enum { HOST_MAX_RETRIES = 3 };

/* Run a job to its result: 0 means that the bundle folder holds a result.json of this very job. An
 * old result in the folder is removed first. A worker that was killed or left no result is started
 * again, up to HOST_MAX_RETRIES times. `watch` and `outcome` may be NULL. */
int host_run_job(const struct host_ops *ops, const struct host_spec *spec,
		 const struct host_watch *watch, struct host_outcome *outcome, struct err *e);

/* What the host's machine is, by any driver; spec.bundle_dir is not used. A new reference, or NULL.
 */
json_t *host_probe(const struct host_ops *ops, const struct host_spec *spec,
		   const struct host_watch *watch, struct host_outcome *outcome, struct err *e);

#endif
