/*
 * Hands a bundle to the host and waits for its result, showing progress. The only file that talks
 * to src/host.
 */
#ifndef FORGE_ENGINE_ON_HOST_H
#define FORGE_ENGINE_ON_HOST_H

#include <jansson.h>
#include <stdbool.h>

#include "host/trouble.h"

struct engine_hooks;
struct engine_host;
struct err;
struct run_state;
struct task;

struct on_host {
	const struct engine_host *host;
	const struct engine_hooks *hooks;
	const struct run_state *state; /* for the hooks; may be NULL */
	const char *job_id;
	bool can_resume;   /* the run asks for this very job again */
	const char *asker; /* of a probe: the folder of the run that asks it again, or NULL */
	/* Set by the call. */
	bool is_stopped;      /* the caller's signal cut it short; then -1 is returned */
	enum trouble trouble; /* of the host, if that is why -1 is returned */
	double queue_s;       /* spent waiting for the host and travelling, not working */
};

/* Execute DIR; 0: DIR holds a result.json. */
int on_host_run(struct on_host *h, const char *bundle_dir, struct err *e);
/* What the host says about its machine; yours. NULL on error. */
json_t *on_host_probe(struct on_host *h, struct err *e);

/* Can kernels of this task run where jobs go? Of another machine only its worker knows. `host` is
 * NULL where the settings were not asked yet. */
int on_host_check_task(const struct engine_host *host, const struct task *t, struct err *e);

#endif
