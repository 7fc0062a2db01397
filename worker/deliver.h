/*
 * Executes a delivery (docs/format/delivery.md) on a machine that forge does not run on: checks
 * what arrived, waits until the devices are free, runs the bundle by a worker of its own, and
 * answers. Who ordered may be far away or gone.
 */
#ifndef FORGE_WORKER_DELIVER_H
#define FORGE_WORKER_DELIVER_H

#include <signal.h>
#include <stdbool.h>

struct err;

struct deliver_spec {
	const char *dir;
	const char *worker; /* the program that runs bundles; NULL: this one */
	/* Standard input is held open by who ordered: once it ends, so does the job, and the folder
	 * is removed. */
	bool has_lifeline;
	const volatile sig_atomic_t *stop; /* or NULL */
};

/* Exit codes of `forge-worker deliver`. */
enum {
	DELIVER_ANSWERED = 0, /* answer.json is there */
	DELIVER_FAILED = 1,   /* there is no answer; stderr says why */
	DELIVER_NO_ROOM = 74, /* nor is there room for one */
	DELIVER_STOPPED = 75, /* by a signal, or the lifeline ended */
};

/* Does the bundle hold what the order says? -1 with an error when that can not be told. */
int deliver_is_whole(const char *dir, bool *is_whole, struct err *e);
/* An exit code; -1 never. */
int deliver_run(const struct deliver_spec *spec);

#endif
