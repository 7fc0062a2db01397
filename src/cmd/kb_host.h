/*
 * Where `forge kb` has probes run: a host, as for every other job. Also what device it is.
 */
#ifndef FORGE_CMD_KB_HOST_H
#define FORGE_CMD_KB_HOST_H

#include <signal.h>

#include "base/str.h"
#include "know/certify.h"
#include "know/kb_device.h"

struct err;
struct host_ops;

struct kb_host {
	const struct host_ops *host;
	struct kb_device device;
	const volatile sig_atomic_t *stop; /* Ctrl-C: not 0 */
	struct probe_ops probes;           /* points to this struct: do not move it */
	struct strv told;                  /* notes of its worker that were shown */
};

/* `name` NULL: where jobs of runs go, too (FK_DELIVERY); this machine where nothing is set. */
int kb_host_open(struct kb_host *h, const char *name, struct err *e);
void kb_host_close(struct kb_host *h);
#define AUTO_KB_HOST __attribute__((cleanup(kb_host_close)))

#endif
