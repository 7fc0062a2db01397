#include "sys/proc.h"

/* One poll loop over stdin, stdout, stderr and the child's pidfd. The run ends with the leader, not
 * with the pipes: a grandchild that keeps a pipe open must not hold us up, so what is left of the
 * group is killed and only what already lies in the pipes is read. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/spawn.h"

/* How often a stop flag, or a child without pidfd, is looked at. */
enum { TICK_MS = 50, TICK_NO_PIDFD_MS = 5 };

void proc_result_release(struct proc_result *r)
{
	if (r->out.text)
		str_release(&r->out);
	if (r->err.text)
		str_release(&r->err);
}

bool proc_result_is_ok(const struct proc_result *r)
{
	return r->exit_code == 0 && !r->timed_out && !r->stopped;
}

void proc_result_describe(const struct proc_result *r, struct str *out)
{
	if (r->timed_out)
		str_add(out, "killed after its deadline");
	else if (r->stopped)
		str_add(out, "stopped");
	else if (r->signal)
		str_addf(out, "signal %d (%s)", r->signal, strsignal(r->signal));
	else
		str_addf(out, "exit %d", r->exit_code);
}

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

static char *find_on_path(const char *name)
{
	const char *path = getenv("PATH");
	AUTO_STRV struct strv dirs = { 0 };
	strv_split(&dirs, path ? path : "/usr/bin:/bin", ":");
	for (size_t i = 0; i < dirs.nr; i++) {
		AUTO_FREE char *full = xasprintf("%s/%s", dirs.items[i], name);
		if (is_program(full))
			return take_ptr(&full);
	}
	return NULL;
}

char *proc_find(const char *name)
{
	if (!strchr(name, '/'))
		return find_on_path(name);
	return is_program(name) ? xstrdup(name) : NULL;
}

struct run {
	const struct proc_spec *spec;
	struct proc_result *r;
	struct spawn s;
	size_t fed;
	size_t stdin_len;
	size_t max_output;
};

static void close_pipe(int *fd)
{
	if (*fd >= 0)
		close(take_fd(fd));
}

static void keep(struct run *run, struct str *s, const char *bytes, size_t n)
{
	size_t room = run->max_output - s->len;
	if (n > room)
		run->r->truncated = true;
	str_add_len(s, bytes, n < room ? n : room);
}

/* Read what is there; at the end of the stream close it. */
static void drain(struct run *run, int *fd, struct str *s)
{
	char chunk[16384];
	while (*fd >= 0) {
		ssize_t n = read(*fd, chunk, sizeof(chunk));
		if (n > 0)
			keep(run, s, chunk, (size_t)n);
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n < 0 && errno == EAGAIN)
			return;
		else
			close_pipe(fd);
	}
}

static void feed(struct run *run)
{
	const char *text = run->spec->stdin_text;
	ssize_t n = 0;
	while (run->s.in >= 0 && run->fed < run->stdin_len) {
		n = spawn_write(run->s.in, text + run->fed, run->stdin_len - run->fed);
		if (n > 0)
			run->fed += (size_t)n;
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			break;
	}
	close_pipe(&run->s.in);
}

static bool past_deadline(const struct run *run)
{
	uint64_t limit = run->spec->deadline_ns;
	return limit && clock_mono_ns() - run->s.start_ns >= limit;
}

static int wait_ms(const struct run *run)
{
	uint64_t limit = run->spec->deadline_ns;
	uint64_t spent = clock_mono_ns() - run->s.start_ns;
	int tick = run->s.pidfd < 0 ? TICK_NO_PIDFD_MS : run->spec->stop ? TICK_MS : -1;
	if (!limit)
		return tick;
	uint64_t left = limit > spent ? (limit - spent) / NS_PER_MS + 1 : 0;
	return tick >= 0 && left > (uint64_t)tick ? tick : left > 60000 ? 60000 : (int)left;
}

static void wait_and_move(struct run *run)
{
	struct pollfd fds[] = {
		{ .fd = run->s.in, .events = POLLOUT },
		{ .fd = run->s.out, .events = POLLIN },
		{ .fd = run->s.err, .events = POLLIN },
		{ .fd = run->s.pidfd, .events = POLLIN },
	};
	if (poll(fds, ARRAY_LEN(fds), wait_ms(run)) <= 0)
		return;
	if (fds[0].revents)
		feed(run);
	if (fds[1].revents)
		drain(run, &run->s.out, &run->r->out);
	if (fds[2].revents)
		drain(run, &run->s.err, &run->r->err);
}

static void finish(struct run *run)
{
	struct proc_result *r = run->r;
	spawn_reap(&run->s, r);
	drain(run, &run->s.out, &r->out);
	drain(run, &run->s.err, &r->err);
	spawn_close(&run->s);
}

static void run_to_end(struct run *run)
{
	while (!spawn_is_over(&run->s)) {
		if (past_deadline(run)) {
			run->r->timed_out = true;
			break;
		}
		if (run->spec->stop && *run->spec->stop) {
			run->r->stopped = true;
			break;
		}
		wait_and_move(run);
	}
	finish(run);
}

int proc_run(struct proc_result *r, const struct proc_spec *spec, struct err *e)
{
	*r = (struct proc_result){ .exit_code = -1, .out = STR_INIT, .err = STR_INIT };
	const char *text = spec->stdin_text;
	struct run run = {
		.spec = spec,
		.r = r,
		.stdin_len = !text             ? 0
			     : spec->stdin_len ? spec->stdin_len
					       : strlen(text),
		.max_output = spec->max_output ? spec->max_output : PROC_OUTPUT_BYTES,
	};
	struct spawn_wish wish = { .stdin_pipe = text != NULL, .stderr_fd = -1 };
	if (spawn_start(&run.s, spec, wish, e) < 0)
		return -1;
	run_to_end(&run);
	return 0;
}
