/*
 * Real-time priority for the moments that are timed: a window that a background job interrupts is
 * lost. Needs CAP_SYS_NICE; without it every call is false and nothing has changed. Newer kernels
 * keep no core free of it, so hold it for moments only, and never while a process is reaped: the
 * kernel then spins until others have let go of its /proc entries, and these may never get a core.
 */
#ifndef FORGE_SYS_PRIORITY_H
#define FORGE_SYS_PRIORITY_H

#include <stdbool.h>
#include <sys/types.h>

/* Above ordinary work; a higher level goes before a lower one. */
enum priority { PRIORITY_ORDINARY, PRIORITY_KERNEL, PRIORITY_WORKER };

/* The calling thread. */
bool priority_set_own(enum priority p);
/* Before Linux 6.12 a core stops its real-time threads for the rest of a second in which they used
 * 95 % of it, even if nobody else wants to run: then long windows must not be raised. */
bool priority_is_throttled(void);
bool priority_release_is_throttled(const char *kernel_release);
/* Another thread, by its id. */
bool priority_set_thread(pid_t tid, enum priority p);
/* Is the calling thread above ordinary work? */
bool priority_is_raised(void);

#endif
