#include "sys/perf.h"

#include "base/clock.h"
#include "test.h"

/* alone: measures CPU time */

static void burn(uint64_t ns)
{
	uint64_t until = clock_mono_ns() + ns;
	while (clock_mono_ns() < until)
		;
}

TEST(the_cpu_time_of_a_busy_child_grows)
{
	if (!perf_event_is_available(PERF_task_clock_ns))
		SKIP("perf_event_open is not allowed here");
	pid_t pid = fork();
	if (pid == 0) {
		burn(2 * NS_PER_S);
		_exit(0);
	}
	struct perf p;
	struct perf_counts from;
	struct perf_counts to;
	perf_open(&p, pid);
	perf_read(&p, &from);
	clock_sleep_ns(200 * NS_PER_MS);
	perf_read(&p, &to);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	struct perf_counts d = perf_delta(&from, &to);
	perf_close(&p);
	if (!d.has[PERF_task_clock_ns])
		SKIP("perf_event_open of another process is not allowed here");
	CHECK(d.value[PERF_task_clock_ns] > 1e6 && d.value[PERF_task_clock_ns] < 2e9);
}

TEST(a_counter_that_does_not_exist_is_absent_and_not_zero)
{
	struct perf p;
	struct perf_counts c;
	perf_open(&p, 0);
	perf_read(&p, &c);
	for (int i = 0; i < PERF_NR_EVENTS; i++) {
		bool available = perf_event_is_available((enum perf_event)i);
		printf("# %-18s %s\n", perf_event_name((enum perf_event)i),
		       available ? "yes" : "no");
		CHECK(available || !c.has[i]);
	}
	perf_close(&p);
}

TEST(a_process_that_is_gone_has_no_counters)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	struct perf p;
	struct perf_counts c;
	perf_open(&p, pid);
	perf_read(&p, &c);
	CHECK(!c.has[PERF_task_clock_ns]);
	perf_close(&p);
}

TEST(every_event_has_a_name_and_a_text)
{
	for (int i = 0; i < PERF_NR_EVENTS; i++)
		CHECK(perf_event_name((enum perf_event)i)[0] &&
		      perf_event_text((enum perf_event)i)[0]);
}

TEST_MAIN()
