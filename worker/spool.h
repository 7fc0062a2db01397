/*
 * The worker's side of a spool (docs/format/delivery.md): executes the deliveries that appear in a
 * folder, one after the other, wherever that folder was copied to.
 */
#ifndef FORGE_WORKER_SPOOL_H
#define FORGE_WORKER_SPOOL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

struct spool_spec {
	const char *dir;
	const char *worker; /* as deliver_spec */
	bool is_once;       /* end when nothing is left to do */
	uint64_t settle_ns; /* how long a delivery that is not whole may still be arriving */
	const volatile sig_atomic_t *stop;
};

/* Until it is stopped, or with is_once until nothing is left. */
int spool_serve(const struct spool_spec *spec, struct err *e);

#endif
