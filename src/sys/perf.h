/*
 * Counters of another process, all its threads, by perf_event_open: software events everywhere,
 * hardware events where the machine has them (most VMs do not). A counter that can not be opened
 * is absent, never zero.
 */
#ifndef FORGE_SYS_PERF_H
#define FORGE_SYS_PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum perf_event {
#define PERF_EVENT(name, type, config, text) PERF_##name,
#include "sys/perf_events.def"
#undef PERF_EVENT
	PERF_NR_EVENTS
};

enum { PERF_MAX_THREADS = 64 };

struct perf {
	size_t nr_threads;
	int fds[PERF_MAX_THREADS][PERF_NR_EVENTS]; /* -1: not there */
};

struct perf_counts {
	bool has[PERF_NR_EVENTS];
	double value[PERF_NR_EVENTS]; /* scaled up when the kernel multiplexed */
};

/* Counters of all present threads of `pid` (0: the calling thread), running from now. Never fails:
 * without any counter all `has` are false. Close in any case. */
void perf_open(struct perf *p, pid_t pid);
/* Totals since perf_open. */
void perf_read(const struct perf *p, struct perf_counts *out);
void perf_close(struct perf *p);
#define AUTO_PERF __attribute__((cleanup(perf_close)))
/* Later minus earlier. */
struct perf_counts perf_delta(const struct perf_counts *from, const struct perf_counts *to);
const char *perf_event_name(enum perf_event event); /* "task_clock_ns", "cycles" */
const char *perf_event_text(enum perf_event event);
/* Can this machine count it at all? */
bool perf_event_is_available(enum perf_event event);

#endif
