/*
 * One side of a trial as the worker sees it: a sandboxed forge-runner that has loaded one object
 * and calls its forge_entry when the doorbell rings (docs/format/doorbell.md). The worker's clock
 * is the authority; what the runner says about itself is advisory. How a side ends (crash, fault,
 * forbidden call, timeout) is an answer in `struct side_state`, not an err.
 *
 *   side_start -> { side_prepare -> side_fire }* -> side_free
 *
 * A side sleeps except between prepare and the end of fire, so several may stand by on one core.
 */
#ifndef FORGE_SYS_SIDE_H
#define FORGE_SYS_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sys/priority.h"

struct cpu_list;
struct err;
struct sandbox_lacks;

enum { SIDE_MAX_REGIONS = 64, SIDE_MAX_SLOTS = 1 << 16 };

/* Memory shared with runners. The worker always may write (`addr`); a runner only if `writable`.
 * In the runner it lies between guard pages. `len` is rounded up to whole pages. Forked children do
 * not inherit the mapping. */
struct region {
	int fd;
	size_t len;
	bool writable;
	unsigned char *addr;
};
int region_make(struct region *r, size_t len, bool writable, struct err *e);
void region_release(struct region *r);
#define AUTO_REGION __attribute__((cleanup(region_release)))

/* One argument of one call: a place in a region, or the 8 bytes of a scalar. */
struct side_arg {
	bool is_scalar;
	unsigned region;
	uint64_t offset;
	/* Pages from there on whose addresses the runner translates while it prepares, without
	 * reading them: else a window pays for page walks when others used its core before. */
	uint32_t nr_warm_pages;
	unsigned char scalar[8];
};

struct side_spec {
	const char *runner_path;
	const char *so_path;
	unsigned threads;            /* >= 1; above 1 a libgomp pool of this size is made */
	int cpu;                     /* where the (main) thread runs; -1: any */
	const struct cpu_list *cpus; /* all cores it may use; NULL: those of this process */
	const struct region *regions;
	size_t nr_regions;
	size_t memory_bytes; /* private memory it may use; 0: SIDE_DEFAULT_MEMORY_BYTES */
	bool accept_weak;
};

enum { SIDE_DEFAULT_MEMORY_BYTES = 256 << 20 };

enum side_end {
	SIDE_ALIVE,
	SIDE_EXITED,      /* it called exit */
	SIDE_CRASHED,     /* a signal of its own making */
	SIDE_FAULT_INPUT, /* it wrote to a read-only region */
	SIDE_FAULT_GUARD, /* it touched memory beside a region */
	SIDE_FORBIDDEN, /* a system call that the filter forbids, or code that runs at load time */
	SIDE_TIMEOUT,   /* did not come back in time, killed by us */
	SIDE_MEMORY,    /* used more memory than allowed */
	SIDE_KILLED,    /* SIGKILL not by us: infrastructure, retry */
	SIDE_START_FAILED, /* the object could not be loaded; text says why */
};

struct side_state {
	enum side_end end;
	int signal;      /* CRASHED, FAULT_*: 0 if none */
	long syscall_nr; /* FORBIDDEN: -1 if unknown */
	unsigned region; /* FAULT_* */
	uint64_t offset; /* FAULT_INPUT: in the region. FAULT_GUARD: bytes past its end, or ... */
	bool is_before;  /* ... before its start */
	char text[160];  /* one line for people */
};
const char *side_end_name(enum side_end end);

struct side;

/* 0 and SIDE_ALIVE: *out is loaded, filtered and asleep. 0 and another end: the object is at
 * fault, *out is NULL. -1: we could not start it (no runner, no isolation). */
int side_start(struct side **out, const struct side_spec *spec, struct side_state *st,
	       struct err *e);

/* How the worker waits for the answer. A docked thread of a pool still spins on its core when the
 * kernel's main thread answers, so at ordinary priority a worker that wakes there is late by up to
 * the length of that spin (0.1 ms). On the core of the main thread, which falls asleep as it
 * answers, it is not; to be there it moves before it rings. */
enum side_wait {
	SIDE_SPIN,
	SIDE_SLEEP,        /* the kernel may use every core; on the one of its second thread */
	SIDE_SLEEP_BESIDE, /* the same, on the core of its main thread, if it has one of its own */
};

/* Places that are copied at the instant the answer arrives, before anything else is done. A kernel
 * can write the answer itself; who does so before its work is done is still writing. */
enum { SIDE_GLIMPSES = 16, SIDE_GLIMPSE_BYTES = 64 };
struct side_glimpse {
	unsigned nr;
	const unsigned char *at[SIDE_GLIMPSES];
	size_t len[SIDE_GLIMPSES]; /* at most SIDE_GLIMPSE_BYTES */
	unsigned char seen[SIDE_GLIMPSES][SIDE_GLIMPSE_BYTES];
};

/* One sample: nr_calls calls, each with its own nr_args arguments. The arrays are copied. */
struct side_call {
	const struct side_arg *args; /* nr_calls x nr_args */
	size_t nr_args;
	unsigned nr_calls;
	uint64_t deadline_ns; /* time allowed for the whole sample; 0: none */
	enum side_wait wait;
	unsigned copy; /* which of the object's copies of the kernel: < side_copies() */
	struct side_glimpse *glimpse; /* or NULL; `seen` is filled by side_fire */
};

struct side_time {
	uint64_t ns;        /* the worker's clock, round trip included */
	uint64_t inner_ns;  /* the runner's stamps, advisory */
	uint64_t wait_ns;   /* run-queue delay of all its threads inside the window */
	uint64_t cpu_ns;    /* of the whole process; its wait for the bell (20 us) is in it */
	uint64_t nivcsw;    /* involuntary context switches inside the window */
	uint64_t end_ns;    /* clock_mono_ns at the end of the window */
	uint64_t ready_ns;  /* what it took to stand ready, before the window */
	bool mxcsr_changed; /* a call came back with other rounding or denormal modes */
	bool is_stamped;    /* the runner's stamps lie within the window */
	/* They do not, and those of an empty call do: not the runner has answered. */
	bool is_forged;
};

/* The window without what its threads and the worker waited for a core. Waits at one time are
 * counted twice, so at least half of the window stays. */
static inline uint64_t side_time_worked_ns(const struct side_time *t)
{
	return t->ns - (t->wait_ns < t->ns / 2 ? t->wait_ns : t->ns / 2);
}

/* Wake it, hand over the calls, wait until it stands ready. 0 with st->end; -1 is our failure
 * (bad arguments). After any end but SIDE_ALIVE only side_free makes sense. */
int side_prepare(struct side *s, const struct side_call *c, struct side_state *st, struct err *e);
/* The timed window: ring, wait for the answer. On SIDE_ALIVE `t` is filled and the side sleeps. */
int side_fire(struct side *s, struct side_time *t, struct side_state *st, struct err *e);
/* Send a prepared side back to sleep without firing. */
int side_park(struct side *s, struct side_state *st, struct err *e);
/* Median window of n empty calls, by the same path: what a sample costs beyond its kernel. The
 * calls are the runner's own, but in the object's process: believe it on a side whose object is
 * trusted (the reference), or before the first call. UINT64_MAX if the side died. */
uint64_t side_null_rtt_ns(struct side *s, enum side_wait wait, unsigned n);
/* True if no thread of it used a CPU during the window, which is slept through. With threads > 1
 * the pool is first given time to fall asleep. */
bool side_is_quiet(struct side *s, uint64_t window_ns);
/* The same, with up to six looks of doubling length: on a busy machine a thread may wait long for
 * the core it needs to fall asleep, so one look is no proof that it works on, and a look at which
 * it waits and uses none counts only after seconds. */
bool side_comes_to_rest(struct side *s, uint64_t window_ns);
/* Must waits sleep here whatever the caller asks (one core, or affinity refused)? */
bool side_sleeps(const struct side *s);
/* Wait until no thread of it runs or wants to; false: one still did after `limit_ns`. Who answered
 * with a thread still at work would work on the cores of whoever is called next. */
bool side_falls_asleep(const struct side *s, uint64_t limit_ns);
/* CPU time of the whole process; exact while it sleeps. */
uint64_t side_cpu_ns(const struct side *s);
/* Did a thread of its pool come back with other rounding, precision or denormal modes? They are as
 * they were afterwards. An order of its own, between samples: the main thread's are looked at after
 * every call. Not where a kernel that uses fewer threads has let some end. */
int side_pool_modes(struct side *s, bool *changed, struct side_state *st, struct err *e);
/* How many copies of the kernel its object holds, at least one. */
unsigned side_copies(const struct side *s);
/* As the worker sees it: for perf_open. */
pid_t side_pid(const struct side *s);
/* All its threads. Whatever was set, a side is stopped with everybody at ordinary priority. */
void side_set_priority(const struct side *s, enum priority p);
/* What its isolation lacks; borrowed. */
const struct sandbox_lacks *side_lacks(const struct side *s);
void side_free(struct side **s);
#define AUTO_SIDE __attribute__((cleanup(side_free)))

#endif
