#include <sched.h>

#include "side_rig.h"

/* alone: two workers share one core and must get on */

/* What real-time priority may not do: outlive the window. Whoever reaps or dies at such a priority
 * can keep the core from a process that it waits for. */

#define KERNEL RIG_ENTRY "{ OUT[0] = IN[0] + 1; }"
#define ENDLESS RIG_ENTRY "{ for (;;) __asm__ volatile(\"\"); }"
#define CRASH RIG_ENTRY "{ *(volatile int *)0 = 1; }"

static void rig_raise(const struct rig *r)
{
	if (!priority_set_own(PRIORITY_WORKER))
		SKIP("no right to raise priorities");
	side_set_priority(r->side, PRIORITY_KERNEL);
}

/* The policy of the caller after `source` was called and ended while everybody was raised. */
static int policy_after(const char *source, enum side_end want)
{
	struct rig r;
	struct err e = { 0 };
	rig_open(&r, source, "-O1");
	/* A raised worker that waits on the kernel's core would wait for ever. */
	CHECK_OK(cpu_pin(r.cpus.ids[0], &e));
	rig_start(&r);
	rig_raise(&r);
	rig_call(&r, want == SIDE_TIMEOUT ? NS_PER_S / 10 : 5 * NS_PER_S);
	int policy = sched_getscheduler(0);
	CHECK_INT(r.st.end, want);
	if (want == SIDE_ALIVE) {
		CHECK_INT(sched_getscheduler(side_pid(r.side)), SCHED_FIFO);
		side_free(&r.side);
		policy = sched_getscheduler(0);
	}
	priority_set_own(PRIORITY_ORDINARY);
	rig_close(&r);
	return policy;
}

TEST(a_side_is_reaped_at_ordinary_priority_however_it_ends)
{
	CHECK_INT(policy_after(KERNEL, SIDE_ALIVE), SCHED_OTHER);
	CHECK_INT(policy_after(ENDLESS, SIDE_TIMEOUT), SCHED_OTHER);
	CHECK_INT(policy_after(CRASH, SIDE_CRASHED), SCHED_OTHER);
}

/* A worker's life in short: raise, call, stop. */
static void start_and_stop(const struct rig *rig, unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		struct rig r = *rig;
		rig_start(&r);
		rig_raise(&r);
		rig_call(&r, 5 * NS_PER_S);
		side_free(&r.side);
		CHECK(!priority_is_raised());
	}
}

TEST(two_workers_that_start_and_stop_sides_on_one_cpu_do_not_block_each_other)
{
	enum { WORKERS = 2, SIDES = 15 };
	struct rig r;
	struct err e = { 0 };
	rig_open(&r, KERNEL, "-O1");
	pid_t pids[WORKERS];
	CHECK_OK(cpu_pin(r.cpus.ids[0], &e));
	r.cpus.nr = 1;
	rig_start(&r); /* skips where nothing can be started or raised */
	rig_raise(&r);
	side_free(&r.side);
	for (int i = 0; i < WORKERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			start_and_stop(&r, SIDES);
			_exit(0);
		}
	}
	for (int i = 0; i < WORKERS; i++) {
		int status = -1;
		CHECK_INT(waitpid(pids[i], &status, 0), pids[i]);
		CHECK_INT(status, 0);
	}
	rig_close(&r);
}

TEST_MAIN()
