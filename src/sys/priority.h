/*
 * Real-time priority for the moments that are timed: a window that a background job interrupts is
 * lost. Needs CAP_SYS_NICE; without it every call is false and nothing has changed. The kernel
 * keeps a share of every core for the others (5 % by default), so this can not hang a machine.
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
/* All present threads of a process. */
bool priority_set_all(pid_t pid, enum priority p);

#endif
