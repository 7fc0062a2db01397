/*
 * forge-runner-cuda OBJECT: the recorder of docs/format/gpu-runner.md. Loads one host object that
 * nvcc compiled and calls its entry when the worker's doorbell rings, with device addresses that
 * the worker made up; what the entry launches is written down (runner/cuda_lent.c) and no device is
 * ever touched. Started by sys/sandbox.c only, in the jail and behind the filter of forge-runner.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runner/bell.h"
#include "runner/cuda_lent.h"
#include "runner/faults.h"
#include "runner/filter.h"
#include "runner/object.h"
#include "runner/pool.h"
#include "runner/room.h"

enum { OWN_MEMORY_BYTES = 32 << 20, STACK_BYTES = 8 << 20, MAX_FILES = 16 };

typedef void (*cuda_entry_fn)(void *const *args, void *stream);

/* The doorbell's entries know neither streams nor which arguments are addresses. */
static struct {
	const struct gpu_recorder_orders *orders;
	union {
		entry_fn plain;
		cuda_entry_fn cuda;
	} entry;
} lent;

/* The doorbell hands over where a scalar lies; an address of the device is itself the argument. */
static void call_recorded(void *const *args)
{
	void *given[GPU_RECORDER_MAX_ARGS];
	for (uint32_t i = 0; i < lent.orders->nr_args && i < GPU_RECORDER_MAX_ARGS; i++) {
		given[i] = args[i];
		if (lent.orders->is_pointer[i])
			memcpy(&given[i], args[i], sizeof(given[i]));
	}
	cuda_lent_begin();
	lent.entry.cuda(given, (void *)(uintptr_t)lent.orders->stream);
}

static void limit(int resource, uint64_t max)
{
	struct rlimit r = { .rlim_cur = max, .rlim_max = max };
	/* A limit that can not be lowered was lower already. */
	setrlimit((__rlimit_resource_t)resource, &r);
}

static void set_limits(const struct doorbell_orders *o)
{
	limit(RLIMIT_DATA, o->memory_bytes + OWN_MEMORY_BYTES + STACK_BYTES);
	limit(RLIMIT_NPROC, 1);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_MSGQUEUE, 0);
	limit(RLIMIT_NOFILE, MAX_FILES);
}

static void check_filter(const struct room *room, int error)
{
	if (!error)
		return;
	room->reply->seccomp_errno = error;
	if (!room->orders->accept_weak)
		faults_give_up(room->reply, END_SETUP, "seccomp is not available");
}

static void open_recorder(const struct room *room)
{
	const struct doorbell_region *regions = room->orders->regions;
	if (room->orders->nr_regions != GPU_RECORDER_REGIONS ||
	    regions[GPU_RECORDER_ORDERS].len < GPU_RECORDER_ORDERS_BYTES ||
	    regions[GPU_RECORDER_ANSWER].len < GPU_RECORDER_BYTES)
		faults_give_up(room->reply, END_SETUP, "not the regions of a recorder");
	lent.orders = (const void *)room->regions[GPU_RECORDER_ORDERS];
	if (lent.orders->version != GPU_RECORDER_VERSION)
		faults_give_up(room->reply, END_SETUP,
			       "worker and recorder are of different builds");
	cuda_lent_open(lent.orders, (void *)room->regions[GPU_RECORDER_ANSWER]);
}

static void serve(const struct room *room, const char *object_path)
{
	pool_make(room->orders, room->reply);
	struct bell *bell = bell_new(room);
	struct filter filter;
	filter_make(&filter, room->reply);
	set_limits(room->orders);
	bell_await_load(bell);
	open_recorder(room);
	check_filter(room, filter_enter_loading(&filter));
	atomic_store(&room->reply->stage, STAGE_LOADING);
	struct object object;
	object_load_registered(&object, object_path, room->reply);
	check_filter(room, filter_enter_running(&filter));
	lent.entry.plain = object.entries[0];
	object.entries[0] = call_recorded;
	object.nr = 1;
	atomic_store(&room->reply->stage, STAGE_READY);
	bell_serve(bell, &object);
}

int main(int argc, char **argv)
{
	struct room room;
	if (argc != 2 || strcmp(argv[1], "--help") == 0) {
		fputs("forge-runner-cuda is started by forge-worker and of no use by hand.\n",
		      stderr);
		return 64;
	}
	prctl(PR_SET_NAME, "forge-runner-cu", 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	room_open(&room);
	serve(&room, argv[1]);
}
