/*
 * Nobody times on a device that somebody else times on: a lock a core and a lock a GPU, for all
 * users of the machine (flock on /tmp/forge-device-*.lock). All that a job needs are taken together
 * or none, so that two jobs never wait for each other.
 */
#ifndef FORGE_SYS_DEVICE_LOCK_H
#define FORGE_SYS_DEVICE_LOCK_H

#include <stddef.h>

#include "sys/cpu.h"

struct err;

struct device_lock {
	int *fds;
	size_t nr;
};

/* Take all of these cores and these GPUs ("0", "0,2"; NULL or "": none), without waiting. One in
 * use is ERR_CONFLICT that names it; nothing is held then. */
int device_lock_take(struct device_lock *l, const struct cpu_list *cpus, const char *gpus,
		     struct err *e);
void device_lock_release(struct device_lock *l);
#define AUTO_DEVICE_LOCK __attribute__((cleanup(device_lock_release)))

#endif
