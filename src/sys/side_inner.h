/*
 * What side.c and side_call.c share. Internal to src/sys.
 */
#ifndef FORGE_SYS_SIDE_INNER_H
#define FORGE_SYS_SIDE_INNER_H

#include "base/clock.h"
#include "sys/doorbell.h"
#include "sys/sandbox.h"
#include "sys/side.h"
#include "sys/watch.h"

struct side {
	struct sandbox box;
	struct doorbell_orders *orders;
	struct doorbell_reply *reply;
	struct watch watch;
	uint32_t seq;
	unsigned threads;
	bool sleeps;
	bool is_ready;
	bool is_prepared;
	bool by_futex;
	bool is_beside;     /* the worker moves to the main thread's core for the window */
	unsigned nr_copies; /* as told before the object's code ran */
	uint64_t deadline_ns;
	uint64_t ready_ns;            /* how long the prepared call took to stand ready */
	struct side_glimpse *glimpse; /* of the prepared call, borrowed */
	size_t nr_regions;
	uint64_t region_at[SIDE_MAX_REGIONS]; /* as told before the object's code ran */
	uint64_t region_len[SIDE_MAX_REGIONS];
	bool region_writable[SIDE_MAX_REGIONS];
	uint64_t born_ns; /* one reading of both clocks, for the rate of the runner's ticks */
	uint64_t born_ticks;
};

/* WAITED_HALF: its main thread has ended, and others keep the process alive. */
enum waited { WAITED_ANSWER, WAITED_DEATH, WAITED_HALF, WAITED_DEADLINE };

/* Sleep until the current order is answered; `end_ns` is when. until_ns 0: no deadline. */
enum waited side_wait_sleeping(const struct side *s, uint64_t until_ns, uint64_t *end_ns);
/* The side is over: take its last words. -1 when it was the runner that failed. */
int side_conclude(struct side *s, enum waited how, struct side_state *st, struct err *e);

/* As region_make, but its pages come into being when they are touched. */
int region_make_sparse(struct region *r, size_t len, bool writable, struct err *e);

/* Longest time for anything but a kernel's own work. */
#define SIDE_PREPARE_NS (10 * NS_PER_S)

#endif
