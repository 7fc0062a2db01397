/*
 * forge-runner OBJECT: loads one object and calls it when the worker's doorbell rings
 * (docs/format/doorbell.md). Started by sys/sandbox.c only: its memory arrives as descriptors, its
 * jail is already around it. The order below matters: threads, tables and the filter's rules are
 * made while that is still allowed, and the object is loaded last.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runner/bell.h"
#include "runner/faults.h"
#include "runner/filter.h"
#include "runner/object.h"
#include "runner/pool.h"
#include "runner/room.h"

enum { OWN_MEMORY_BYTES = 32 << 20, STACK_BYTES = 8 << 20, MAX_FILES = 16 };

static void limit(int resource, uint64_t max)
{
	struct rlimit r = { .rlim_cur = max, .rlim_max = max };
	/* A limit that can not be lowered was lower already. */
	setrlimit((__rlimit_resource_t)resource, &r);
}

static void set_limits(const struct doorbell_orders *o)
{
	limit(RLIMIT_DATA, o->memory_bytes + OWN_MEMORY_BYTES + (uint64_t)o->threads * STACK_BYTES);
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

static void serve(const struct room *room, const char *object_path)
{
	pool_make(room->orders, room->reply);
	struct bell *bell = bell_new(room);
	struct filter filter;
	filter_make(&filter, room->reply);
	set_limits(room->orders);
	bell_await_load(bell);
	check_filter(room, filter_enter_loading(&filter));
	atomic_store(&room->reply->stage, STAGE_LOADING);
	struct object object;
	object_load(&object, object_path, room->reply);
	check_filter(room, filter_enter_running(&filter));
	atomic_store(&room->reply->stage, STAGE_READY);
	bell_serve(bell, &object);
}

int main(int argc, char **argv)
{
	struct room room;
	if (argc != 2 || strcmp(argv[1], "--help") == 0) {
		fputs("forge-runner is started by forge-worker and of no use by hand.\n", stderr);
		return 64;
	}
	prctl(PR_SET_NAME, "forge-runner", 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	room_open(&room);
	serve(&room, argv[1]);
}
