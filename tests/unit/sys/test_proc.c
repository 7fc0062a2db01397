#include "sys/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/sandbox.h"
#include "test.h"

#define ARGV(...) ((const char *const[]){ __VA_ARGS__, NULL })
/* A test about processes needs a program that does odd things: a shell script as argument. */
#define SHELL(script) ARGV("sh", "-c", script)

TEST(what_a_program_says_and_how_it_ends_comes_back)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = SHELL("cat; echo bad >&2; exit 3"),
				  .stdin_text = "hello" };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_TEXT(r.out.text, "hello");
	CHECK_TEXT(r.err.text, "bad\n");
	CHECK_INT(r.exit_code, 3);
	CHECK(!proc_result_is_ok(&r));
	CHECK(r.seconds > 0 && r.seconds < 30);
}

TEST(a_missing_program_is_named)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = ARGV("no-such-program-here") };
	CHECK(proc_run(&r, &spec, &e) < 0);
	CHECK_INT(e.kind, ERR_CHILD);
	CHECK_TEXT(e.text, "start no-such-program-here: no such program");
}

TEST(the_step_that_failed_before_exec_is_named)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = ARGV("true"), .cwd = "/no/such/folder" };
	CHECK(proc_run(&r, &spec, &e) < 0);
	CHECK_TEXT(e.text, "start true: change folder: No such file or directory");
}

TEST(a_file_that_is_no_program_is_an_exec_failure)
{
	struct err e = { 0 };
	char path[] = "/tmp/forge-proc-XXXXXX";
	int fd = mkstemp(path);
	CHECK(fd >= 0 && write(fd, "\1\2\3", 3) == 3 && fchmod(fd, 0755) == 0);
	close(fd);
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = ARGV(path) };
	int status = proc_run(&r, &spec, &e);
	unlink(path);
	CHECK(status < 0);
	CHECK(str_ends(e.text, "exec: Exec format error"));
}

/* Dead counts, also if its reaper is slow. */
static bool dies_soon(pid_t pid)
{
	AUTO_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, pid, 0U);
	struct pollfd fd = { .fd = pidfd, .events = POLLIN };
	return pidfd < 0 ? errno == ESRCH : poll(&fd, 1, 5000) == 1;
}

TEST(the_whole_group_dies_at_the_deadline)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	uint64_t start = clock_mono_ns();
	struct proc_spec spec = {
		.argv = SHELL("sleep 50 & echo $!; sleep 50"),
		.deadline_ns = 100 * NS_PER_MS,
	};
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK(r.timed_out);
	CHECK(clock_mono_ns() - start < 5 * NS_PER_S);
	long grandchild = strtol(r.out.text, NULL, 10);
	CHECK(grandchild > 0);
	CHECK(dies_soon((pid_t)grandchild));
}

TEST(a_grandchild_that_keeps_the_pipe_does_not_hold_us_up)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	uint64_t start = clock_mono_ns();
	struct proc_spec spec = { .argv = SHELL("sleep 40 & echo done") };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_TEXT(r.out.text, "done\n");
	CHECK(clock_mono_ns() - start < 10 * NS_PER_S);
}

TEST(a_flood_of_output_is_bounded_and_said_so)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = {
		.argv = SHELL("head -c 3000000 /dev/zero; exit 0"),
		.max_output = 1000,
	};
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_INT(r.out.len, 1000);
	CHECK(r.truncated);
	CHECK(proc_result_is_ok(&r));
}

TEST(a_large_input_goes_in_while_output_comes_out)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	size_t len = 700000;
	AUTO_FREE char *text = xmalloc(len + 1);
	memset(text, 'x', len);
	text[len] = 0;
	struct proc_spec spec = { .argv = ARGV("cat"), .stdin_text = text };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_INT(r.out.len, len);
}

TEST(a_child_that_does_not_read_its_input_does_not_kill_us)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	AUTO_FREE char *text = xmalloc(500001);
	memset(text, 'x', 500000);
	text[500000] = 0;
	struct proc_spec spec = { .argv = ARGV("true"), .stdin_text = text };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK(proc_result_is_ok(&r));
}

TEST(limits_hold_in_the_child)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_limit limit = { RLIMIT_FSIZE, 0 };
	struct proc_spec spec = {
		.argv = SHELL("ulimit -f"),
		.limits = &limit,
		.nr_limits = 1,
	};
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_TEXT(r.out.text, "0\n");
}

TEST(only_the_given_environment_arrives)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = ARGV("env"), .env = ARGV("A=1", "B=2") };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_TEXT(r.out.text, "A=1\nB=2\n");
}

TEST(no_descriptor_leaks_into_a_child)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	CHECK(open("/dev/null", O_RDONLY) >= 0); /* without O_CLOEXEC on purpose */
	struct proc_spec spec = { .argv = SHELL("ls /proc/self/fd | wc -l") };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_INT(strtol(r.out.text, NULL, 10), 4); /* 0, 1, 2 and the listed folder itself */
}

static volatile sig_atomic_t stop_flag;

static void on_alarm(int signal)
{
	(void)signal;
	stop_flag = 1;
}

TEST(a_stop_flag_cuts_a_run_short)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct sigaction sa = { .sa_handler = on_alarm };
	sigaction(SIGALRM, &sa, NULL);
	alarm(1);
	struct proc_spec spec = { .argv = ARGV("sleep", "50"), .stop = &stop_flag };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK(r.stopped && r.seconds < 10);
}

TEST(a_child_dies_with_a_parent_that_was_killed)
{
	int ends[2];
	CHECK(pipe(ends) == 0);
	pid_t parent = fork();
	if (parent == 0) {
		struct err e = { 0 };
		struct child *c = NULL;
		struct proc_spec spec = { .argv = ARGV("sleep", "50") };
		if (child_start(&c, &spec, &e) < 0)
			_exit(1);
		pid_t pid = child_pid(c);
		if (write(ends[1], &pid, sizeof(pid)) < 0)
			_exit(1);
		pause();
	}
	pid_t grandchild = 0;
	CHECK(read(ends[0], &grandchild, sizeof(grandchild)) == (ssize_t)sizeof(grandchild));
	CHECK(kill(grandchild, 0) == 0);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	CHECK(dies_soon(grandchild));
}

/* A program that is killed between two steps: what it started is bound to nothing yet. */
static const char half_born[] = "setsid sleep 300 > /dev/null 2>&1 & echo $!; wait";

static pid_t read_pid(struct child *c)
{
	struct err e = { 0 };
	AUTO_STR struct str line = STR_INIT;
	if (child_read_line(c, &line, 10 * NS_PER_S, &e) != 1)
		return 0;
	return (pid_t)strtol(line.text, NULL, 10);
}

TEST(what_a_kept_child_left_behind_dies_with_a_parent_that_was_killed)
{
	int ends[2];
	CHECK(pipe(ends) == 0);
	pid_t parent = fork();
	if (parent == 0) {
		struct err e = { 0 };
		struct child *c = NULL;
		struct proc_spec spec = { .argv = ARGV("sh", "-c", half_born), .is_kept = true };
		if (child_start(&c, &spec, &e) < 0)
			_exit(1);
		pid_t pids[] = { child_pid(c), read_pid(c) };
		if (write(ends[1], pids, sizeof(pids)) < 0)
			_exit(1);
		pause();
	}
	pid_t pids[2] = { 0 };
	CHECK(read(ends[0], pids, sizeof(pids)) == (ssize_t)sizeof(pids));
	CHECK(pids[1] > 0 && kill(pids[1], 0) == 0);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	bool is_gone = dies_soon(pids[1]);
	kill(pids[1], SIGKILL);
	CHECK(is_gone);
	CHECK(dies_soon(pids[0]));
}

TEST(what_a_kept_child_left_behind_dies_when_it_is_stopped_and_when_it_ends)
{
	static const char *const ways[] = { half_born,
					    "setsid sleep 300 > /dev/null 2>&1 & echo $!" };
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		struct err e = { 0 };
		struct proc_result r = { 0 };
		AUTO_CHILD struct child *c = NULL;
		struct proc_spec spec = { .argv = ARGV("sh", "-c", ways[i]), .is_kept = true };
		CHECK_OK(child_start(&c, &spec, &e));
		pid_t pid = read_pid(c);
		CHECK(pid > 0);
		child_stop(c, i ? 10 * NS_PER_S : 0, &r);
		CHECK(kill(pid, 0) < 0);
	}
}

TEST(a_kept_child_ends_as_it_would_alone)
{
	static const struct {
		const char *script;
		int exit_code;
		int signal;
	} rows[] = { { "exit 3", 3, 0 },
		     { "kill -9 $$", -1, SIGKILL },
		     { "kill -6 $$", -1, SIGABRT },
		     { "cat; echo err >&2", 0, 0 } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = { 0 };
		AUTO_PROC_RESULT struct proc_result r = { 0 };
		struct proc_spec spec = { .argv = ARGV("sh", "-c", rows[i].script),
					  .stdin_text = "text",
					  .is_kept = true };
		CHECK_OK(proc_run(&r, &spec, &e));
		CHECK_INT(r.exit_code, rows[i].exit_code);
		CHECK_INT(r.signal, rows[i].signal);
		CHECK_TEXT(r.out.text, i == 3 ? "text" : "");
		CHECK_TEXT(r.err.text, i == 3 ? "err\n" : "");
	}
}

TEST(a_kept_child_has_its_deadline_and_its_grace)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = ARGV("sleep", "50"),
				  .deadline_ns = NS_PER_S / 10,
				  .is_kept = true };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK(r.timed_out && r.signal == SIGKILL);
	struct proc_result end = { 0 };
	AUTO_CHILD struct child *c = NULL;
	struct proc_spec polite = {
		.argv = ARGV("sh", "-c",
			     "trap 'exit 7' TERM; echo 1; while :; do sleep 0.05; done"),
		.is_kept = true
	};
	CHECK_OK(child_start(&c, &polite, &e));
	CHECK_INT(read_pid(c), 1);
	child_stop(c, 20 * NS_PER_S, &end);
	CHECK_INT(end.exit_code, 7);
}

TEST(a_kept_child_that_can_not_be_started_is_named)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = ARGV("sh"), .cwd = "/nowhere/at/all", .is_kept = true };
	CHECK(proc_run(&r, &spec, &e) < 0);
	CHECK(strstr(e.text, "change folder"));
}

TEST(lines_go_to_and_fro_with_a_child)
{
	struct err e = { 0 };
	AUTO_CHILD struct child *c = NULL;
	AUTO_STR struct str line = STR_INIT;
	struct proc_spec spec = {
		.argv = SHELL("while read x; do echo \"got $x\"; done; echo bye; printf tail"),
	};
	CHECK_OK(child_start(&c, &spec, &e));
	CHECK_OK(child_write_line(c, "one", NS_PER_S, &e));
	CHECK_INT(child_read_line(c, &line, 10 * NS_PER_S, &e), 1);
	CHECK_TEXT(line.text, "got one");
	CHECK_INT(child_try_line(c, &line, &e), 2);
	child_close_stdin(c);
	CHECK_INT(child_read_line(c, &line, 10 * NS_PER_S, &e), 1);
	CHECK_TEXT(line.text, "bye");
	CHECK_INT(child_read_line(c, &line, 10 * NS_PER_S, &e), 1);
	CHECK_TEXT(line.text, "tail");
	CHECK_INT(child_read_line(c, &line, 10 * NS_PER_S, &e), 0);
}

TEST(bytes_of_a_child_come_as_they_are_and_end)
{
	const char *const argv[] = { "/bin/sh", "-c", "printf 'a\\nb\\0c'; read x; printf d",
				     NULL };
	const struct proc_spec spec = { .argv = argv };
	struct err e = { 0 };
	AUTO_CHILD struct child *c = NULL;
	AUTO_STR struct str out = STR_INIT;
	CHECK_OK(child_start(&c, &spec, &e));
	while (out.len < 5)
		CHECK(child_take_output(c, &out) != 0);
	CHECK(memcmp(out.text, "a\nb\0c", 5) == 0);
	CHECK_INT(child_take_output(c, &out), 2);
	CHECK_OK(child_write_line(c, "go", NS_PER_S, &e));
	int got = 2;
	for (; got != 0; clock_sleep_ns(NS_PER_MS))
		got = child_take_output(c, &out);
	CHECK_INT(out.len, 6);
	CHECK_INT(out.text[5], 'd');
}

TEST(a_silent_child_is_a_timeout_and_loses_nothing)
{
	struct err e = { 0 };
	AUTO_CHILD struct child *c = NULL;
	AUTO_STR struct str line = STR_INIT;
	struct proc_spec spec = { .argv = SHELL("printf par; sleep 0.3; echo tial; sleep 50") };
	CHECK_OK(child_start(&c, &spec, &e));
	CHECK_INT(child_read_line(c, &line, 100 * NS_PER_MS, &e), -1);
	CHECK_INT(e.kind, ERR_TIMEOUT);
	CHECK_INT(child_read_line(c, &line, 10 * NS_PER_S, &e), 1);
	CHECK_TEXT(line.text, "partial");
}

TEST(a_line_without_end_is_an_error_not_our_memory)
{
	struct err e = { 0 };
	AUTO_CHILD struct child *c = NULL;
	AUTO_STR struct str line = STR_INIT;
	struct proc_spec spec = { .argv = ARGV("cat", "/dev/zero"), .max_output = 5000 };
	CHECK_OK(child_start(&c, &spec, &e));
	CHECK_INT(child_read_line(c, &line, 10 * NS_PER_S, &e), -1);
	CHECK_INT(e.kind, ERR_INPUT);
}

TEST(stopping_waits_for_grace_and_then_kills)
{
	struct err e = { 0 };
	AUTO_CHILD struct child *polite = NULL;
	AUTO_CHILD struct child *rude = NULL;
	struct proc_result r = { 0 };
	AUTO_STR struct str line = STR_INIT;
	struct proc_spec spec = {
		.argv = SHELL("trap 'exit 7' TERM; echo up; while :; do sleep 0.05; done"),
	};
	CHECK_OK(child_start(&polite, &spec, &e));
	CHECK_INT(child_read_line(polite, &line, 10 * NS_PER_S, &e), 1);
	child_stop(polite, 10 * NS_PER_S, &r);
	CHECK_INT(r.exit_code, 7);
	spec.argv = SHELL("trap '' TERM; echo up; while :; do sleep 0.05; done");
	CHECK_OK(child_start(&rude, &spec, &e));
	CHECK_INT(child_read_line(rude, &line, 10 * NS_PER_S, &e), 1);
	child_stop(rude, 200 * NS_PER_MS, &r);
	CHECK_INT(r.signal, SIGKILL);
}

TEST(writing_to_a_dead_child_is_an_error)
{
	struct err e = { 0 };
	AUTO_CHILD struct child *c = NULL;
	struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = SHELL("echo oops >&2; exit 4") };
	CHECK_OK(child_start(&c, &spec, &e));
	for (int i = 0; i < 500 && !child_has_ended(c, &r); i++)
		clock_sleep_ns(10 * NS_PER_MS);
	CHECK_INT(r.exit_code, 4);
	CHECK(child_write_line(c, "hello", NS_PER_S, &e) < 0);
	CHECK_INT(e.kind, ERR_CHILD);
	CHECK_TEXT(child_stderr(c), "oops\n");
}

TEST(a_passed_descriptor_is_there_and_no_other)
{
	struct err e = { 0 };
	int ends[2];
	CHECK(pipe(ends) == 0 && write(ends[1], "hi", 2) == 2);
	close(ends[1]);
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct proc_spec spec = { .argv = SHELL("cat <&3; for fd in 4 5 6 7 8 9; do"
						" (: <&$fd) 2>/dev/null && echo $fd; done; exit 0"),
				  .pass_fd = ends[0] };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK_TEXT(r.out.text, "hi");
	close(ends[0]);
}

/* By the pids cgroup; a machine without one that we may use says so in forge doctor. */
TEST(a_limit_of_tasks_holds_for_all_descendants)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	struct sandbox_lacks lacks;
	sandbox_probe(&lacks);
	if (sandbox_lacks_has(&lacks, SANDBOX_pids_cgroup))
		SKIP("no pids cgroup for this user");
	struct proc_spec spec = { .argv = SHELL("for i in 1 2 3 4 5 6 7 8 9; do sleep 5 & done"),
				  .max_tasks = 4 };
	CHECK_OK(proc_run(&r, &spec, &e));
	CHECK(strstr(r.err.text, "fork"));
}

TEST_MAIN()
