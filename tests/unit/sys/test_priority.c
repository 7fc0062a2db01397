#include "sys/priority.h"

#include <sched.h>
#include <unistd.h>

#include "test.h"

TEST(a_raised_thread_is_in_real_time_and_comes_back)
{
	if (!priority_set_own(PRIORITY_WORKER))
		SKIP("no right to raise priorities");
	int raised = sched_getscheduler(0);
	CHECK(priority_set_own(PRIORITY_ORDINARY));
	CHECK_INT(raised, SCHED_FIFO);
	CHECK_INT(sched_getscheduler(0), SCHED_OTHER);
}

TEST(a_thread_is_raised_by_its_id_and_a_missing_one_is_not)
{
	CHECK(!priority_is_raised());
	if (!priority_set_thread(getpid(), PRIORITY_KERNEL))
		SKIP("no right to raise priorities");
	bool raised = priority_is_raised();
	CHECK(priority_set_thread(getpid(), PRIORITY_ORDINARY));
	CHECK(raised && !priority_is_raised());
	CHECK(!priority_set_thread(0x7ffffff0, PRIORITY_KERNEL));
}

TEST(older_kernels_throttle)
{
	CHECK(priority_release_is_throttled("5.10.0-9-amd64"));
	CHECK(priority_release_is_throttled("6.1.0-13-amd64"));
	CHECK(priority_release_is_throttled("6.11.9"));
	CHECK(!priority_release_is_throttled("6.12.0"));
	CHECK(!priority_release_is_throttled("6.18.44-fc-v782"));
	CHECK(!priority_release_is_throttled("7.0"));
}

TEST_MAIN()
