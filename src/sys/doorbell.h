/*
 * The memory that a worker and a runner share to ring each other: docs/format/doorbell.md. Orders
 * go one way (a runner maps them read-only), replies the other. Nothing in a reply is trusted: a
 * kernel can write there.
 */
#ifndef FORGE_SYS_DOORBELL_H
#define FORGE_SYS_DOORBELL_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

enum { DOORBELL_VERSION = 3, DOORBELL_LINE_BYTES = 128, DOORBELL_TEXT_BYTES = 128 };
enum { DOORBELL_MAX_COPIES = 8 };
enum { DOORBELL_MAX_REGIONS = 64, DOORBELL_MAX_SLOTS = 1 << 16, DOORBELL_MAX_CPUS = 1024 };

/* Inaccessible memory before and after each region. */
enum { DOORBELL_GUARD_BYTES = 1 << 20 };

/* Descriptors a runner is born with; regions follow in order. */
enum { DOORBELL_FD_ORDERS = 3, DOORBELL_FD_REPLY = 4, DOORBELL_FD_REGIONS = 5 };

enum doorbell_order { ORDER_NONE, ORDER_PREPARE, ORDER_FIRE, ORDER_PARK, ORDER_QUIT, ORDER_MODES };

enum doorbell_flag {
	ORDER_STAY_AWAKE = 1, /* after this order spin for the next one */
	ORDER_WAKE_ME = 2,    /* the worker sleeps on the answer */
	ORDER_EMPTY_CALL = 4, /* call nothing for empty_ticks: measures the round trip */
};

/* Value of `ack` when the runner gives up; sequence numbers stay below. */
#define DOORBELL_ACK_DEAD UINT32_MAX

/* One argument: a place in a region, or 8 bytes of a scalar. */
struct doorbell_slot {
	uint64_t value;
	uint32_t region; /* DOORBELL_SCALAR: value holds the bytes */
	uint32_t nr_warm_pages;
};
#define DOORBELL_SCALAR UINT32_MAX

struct doorbell_region {
	uint64_t len;
	uint32_t writable;
	uint32_t unused;
};

struct doorbell_orders {
	/* One line: what changes with every order. */
	alignas(DOORBELL_LINE_BYTES) _Atomic uint32_t bell; /* sequence number, a futex; 1: load */
	uint32_t order;
	uint32_t flags;
	uint32_t nr_calls;
	uint32_t nr_args;
	uint32_t copy;        /* which of the object's entries a fire calls */
	uint64_t empty_ticks; /* how long an empty call lasts */
	/* Fixed before the runner starts. */
	alignas(DOORBELL_LINE_BYTES) uint32_t version;
	uint32_t threads;
	uint32_t nr_regions;
	uint32_t nr_cpus;     /* 0: do not bind */
	uint32_t accept_weak; /* run even without a filter */
	uint64_t memory_bytes;
	uint32_t cpus[DOORBELL_MAX_CPUS]; /* [0] is the main thread's */
	struct doorbell_region regions[DOORBELL_MAX_REGIONS];
	struct doorbell_slot slots[DOORBELL_MAX_SLOTS]; /* nr_calls x nr_args */
};

enum doorbell_stage {
	STAGE_BORN,    /* nothing yet: an end here is ours */
	STAGE_LOADING, /* stage one of the filter is on, the object is being loaded */
	STAGE_READY,
};

enum doorbell_end {
	END_NONE,
	END_SETUP,    /* the runner itself failed: text */
	END_REFUSED,  /* the object may not be loaded: text */
	END_UNLOADED, /* the object can not be loaded: text */
	END_FAULT,    /* signal at address */
	END_SYSCALL,  /* number */
};

struct doorbell_reply {
	alignas(DOORBELL_LINE_BYTES) _Atomic uint32_t ack; /* sequence number, a futex */
	uint32_t mxcsr_changed;
	uint64_t begin_ticks;
	uint64_t end_ticks;
	alignas(DOORBELL_LINE_BYTES) _Atomic uint32_t asleep;
	alignas(DOORBELL_LINE_BYTES) _Atomic uint32_t stage;
	_Atomic uint32_t end;
	int32_t signal;
	int32_t syscall_nr;
	uint32_t is_write;
	uint32_t is_out_of_memory; /* at its fault no more could be had */
	int32_t affinity_errno;    /* not 0: could not bind */
	int32_t seccomp_errno;     /* not 0: no filter */
	uint32_t nr_copies;        /* entries found, told with STAGE_READY */
	uint64_t address;
	char text[DOORBELL_TEXT_BYTES];
	uint64_t region_at[DOORBELL_MAX_REGIONS]; /* where each region lies in the runner */
};

#endif
