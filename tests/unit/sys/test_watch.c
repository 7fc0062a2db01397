#include "sys/watch.h"

#include "base/clock.h"
#include "sys/cgroup.h"
#include "base/mem.h"
#include "base/str.h"
#include "test.h"

/* alone: looks whether a process is busy */

TEST(recorded_schedstats_add_up)
{
	struct watch_counts c = { 0 };
	watch_parse_schedstat(&c, "1000 200 3\n");
	watch_parse_schedstat(&c, "5 7 11\n");
	watch_parse_schedstat(&c, "torn 7");
	CHECK_INT(c.wait_ns, 207);
	CHECK_INT(c.slices, 14);
}

TEST(switches_and_state_are_found_in_a_recorded_status)
{
	static const char status[] = "Name:\tx\nState:\tS (sleeping)\nThreads:\t1\n"
				     "voluntary_ctxt_switches:\t5\n"
				     "nonvoluntary_ctxt_switches:\t42\n";
	CHECK_INT(watch_parse_nivcsw(status), 42);
	CHECK_INT(watch_parse_state(status), 'S');
	CHECK_INT(watch_parse_nivcsw(""), 0);
	CHECK_INT(watch_parse_state(""), 0);
}

TEST(a_busy_process_is_seen_and_a_sleeping_one_is_not)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			;
	struct watch w;
	watch_open(&w, pid);
	uint64_t before = watch_cpu_ns(&w);
	clock_sleep_ns(50 * NS_PER_MS);
	CHECK(watch_is_busy(&w));
	CHECK(watch_cpu_ns(&w) > before);
	kill(pid, SIGSTOP);
	clock_sleep_ns(50 * NS_PER_MS);
	CHECK(!watch_is_busy(&w));
	before = watch_cpu_ns(&w);
	clock_sleep_ns(20 * NS_PER_MS);
	CHECK_INT(watch_cpu_ns(&w), before);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	watch_close(&w);
}

static void check_places(const char *controller, const char *self, const char *mounts,
			 const char *want)
{
	AUTO_STRV struct strv places = { 0 };
	cgroup_parse_places(&places, controller, self, mounts);
	AUTO_FREE char *joined = strv_join(&places, " ");
	CHECK_TEXT(joined, want);
}

TEST(cgroup_places_of_recorded_machines)
{
	static const char v1_self[] =
		"9:name=systemd:/\n8:pids:/\n4:memory:/a/b\n2:cpu,cpuacct:/\n0::/\n";
	static const char v1_mounts[] =
		"cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n"
		"cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0\n"
		"cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0\n";
	check_places("memory", v1_self, v1_mounts,
		     "/sys/fs/cgroup/memory/a/b /sys/fs/cgroup/memory /sys/fs/cgroup/unified");
	check_places("pids", v1_self, v1_mounts, "/sys/fs/cgroup/pids /sys/fs/cgroup/unified");
	check_places("memory", "0::/user.slice/u.scope\n",
		     "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n",
		     "/sys/fs/cgroup/user.slice/u.scope /sys/fs/cgroup");
	check_places("memory", "", "tmpfs /tmp tmpfs rw 0 0\nshort\n", "");
}

TEST_MAIN()
