/*
 * Watching the threads of another process from outside: CPU time, run-queue delay, switches. What
 * can not be read counts as 0. Internal to src/sys.
 */
#ifndef FORGE_SYS_WATCH_H
#define FORGE_SYS_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct watch {
	pid_t pid;
	int own;   /* schedstat of the watching thread */
	size_t nr; /* threads */
	pid_t *tids;
	int *stats;  /* schedstat of each */
	int *states; /* status of each */
};

struct watch_counts {
	uint64_t cpu_ns;  /* whole process; exact while it sleeps */
	uint64_t wait_ns; /* sum over threads, and of the watcher */
	uint64_t slices;  /* times a thread was put on a CPU */
	uint64_t nivcsw;  /* involuntary switches; read only for several threads */
};

/* All threads that `pid` has now. */
void watch_open(struct watch *w, pid_t pid);
void watch_read(const struct watch *w, struct watch_counts *out);
uint64_t watch_cpu_ns(const struct watch *w);
/* Has the main thread ended while the process lives on? */
bool watch_lost_main(const struct watch *w);
/* Do all threads live that there were when it was opened? */
bool watch_has_all(const struct watch *w);
/* Is any thread running or waiting for a CPU? */
bool watch_is_busy(const struct watch *w);
/* Do it before the process is reaped: open descriptors in /proc make that slow. */
void watch_close(struct watch *w);

/* Parsers of /proc/PID/task/TID/schedstat and .../status. */
void watch_parse_schedstat(struct watch_counts *out, const char *text);
uint64_t watch_parse_nivcsw(const char *text);
char watch_parse_state(const char *text); /* 'R', 'S', ...; 0 if there is none */

#endif
