#include "sys/proc.h"

/* A long-lived child that speaks lines. Output is gathered whenever we wait for anything, so that
 * neither side blocks on a full pipe: a child that writes while we write to it is read meanwhile.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/spawn.h"

struct child {
	struct spawn s;
	struct proc_result end; /* filled once reaped */
	bool is_reaped;
	char *name;
	struct str out; /* read, not yet handed out from `taken` on */
	size_t taken;
	struct str err;
	size_t max_line;
};

static int open_stderr(const struct proc_spec *spec, int *fd, struct err *e)
{
	if (!spec->stderr_path)
		return 0;
	*fd = open(spec->stderr_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	return *fd < 0 ? err_errno(e, ERR_SYSTEM, "open %s", spec->stderr_path) : 0;
}

int child_start(struct child **out, const struct proc_spec *spec, struct err *e)
{
	AUTO_CLOSE int stderr_fd = -1;
	*out = NULL;
	if (open_stderr(spec, &stderr_fd, e) < 0)
		return -1;
	struct spawn_wish wish = { .stdin_pipe = true, .stderr_fd = stderr_fd };
	struct spawn s = SPAWN_INIT;
	if (spawn_start(&s, spec, wish, e) < 0)
		return -1;
	struct child *c = xcalloc(1, sizeof(*c));
	c->s = s;
	c->name = xstrdup(spec->argv[0]);
	c->max_line = spec->max_output ? spec->max_output : PROC_OUTPUT_BYTES;
	str_init(&c->out);
	str_init(&c->err);
	*out = c;
	return 0;
}

static void gather_stderr(struct child *c)
{
	char chunk[4096];
	while (c->s.err >= 0) {
		ssize_t n = read(c->s.err, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			close(take_fd(&c->s.err));
			return;
		}
		size_t room = c->max_line - c->err.len;
		str_add_len(&c->err, chunk, (size_t)n < room ? (size_t)n : room);
	}
}

/* Read stdout up to one line's bound, so that a flood can not fill our memory. */
static void gather_stdout(struct child *c)
{
	char chunk[16384];
	while (c->s.out >= 0 && c->out.len - c->taken <= c->max_line) {
		ssize_t n = read(c->s.out, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			close(take_fd(&c->s.out));
		else
			str_add_len(&c->out, chunk, (size_t)n);
	}
}

static void gather(struct child *c)
{
	gather_stdout(c);
	gather_stderr(c);
}

/* Wait for the child's output, for room in its stdin (if wanted), or for the time to pass. */
static int wait_for(struct child *c, bool wants_room, uint64_t until_ns)
{
	bool is_full = c->out.len - c->taken > c->max_line;
	struct pollfd fds[] = {
		{ .fd = is_full ? -1 : c->s.out, .events = POLLIN },
		{ .fd = c->s.err, .events = POLLIN },
		{ .fd = wants_room ? c->s.in : -1, .events = POLLOUT },
	};
	uint64_t now = clock_mono_ns();
	int ms = 1000;
	if (until_ns && until_ns <= now)
		return 0;
	if (until_ns && (until_ns - now) / NS_PER_MS < 1000)
		ms = (int)((until_ns - now) / NS_PER_MS) + 1;
	poll(fds, ARRAY_LEN(fds), ms);
	gather(c);
	return 1;
}

static uint64_t until(uint64_t deadline_ns)
{
	return deadline_ns ? clock_mono_ns() + deadline_ns : 0;
}

static int write_some(struct child *c, const char **text, size_t *len, struct err *e)
{
	ssize_t n = c->s.in < 0 ? -1 : spawn_write(c->s.in, *text, *len);
	if (n > 0) {
		*text += n;
		*len -= (size_t)n;
		return 0;
	}
	if (c->s.in >= 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return err_set(e, ERR_CHILD, "%s closed its input", c->name);
}

int child_write_line(struct child *c, const char *text, uint64_t deadline_ns, struct err *e)
{
	AUTO_FREE char *line = xasprintf("%s\n", text);
	const char *rest = line;
	size_t len = strlen(line);
	uint64_t until_ns = until(deadline_ns);
	while (len) {
		size_t before = len;
		if (write_some(c, &rest, &len, e) < 0)
			return -1;
		if (len == before && !wait_for(c, true, until_ns))
			return err_set(e, ERR_TIMEOUT, "%s does not read its input", c->name);
	}
	return 0;
}

/* Hand out bytes up to `end` and skip the newline there, if any. */
static int hand_out(struct child *c, struct str *line, size_t end)
{
	str_clear(line);
	str_add_len(line, c->out.text + c->taken, end - c->taken);
	c->taken = end < c->out.len ? end + 1 : end;
	if (c->taken == c->out.len) {
		str_clear(&c->out);
		c->taken = 0;
	}
	return 1;
}

/* Drop what was handed out before the buffer is searched again. */
static void compact(struct child *c)
{
	if (c->taken < 65536)
		return;
	size_t rest = c->out.len - c->taken;
	memmove(c->out.text, c->out.text + c->taken, rest);
	c->out.text[rest] = 0;
	c->out.len = rest;
	c->taken = 0;
}

int child_try_line(struct child *c, struct str *line, struct err *e)
{
	gather(c);
	compact(c);
	const char *start = c->out.text + c->taken;
	size_t len = c->out.len - c->taken;
	const char *newline = memchr(start, '\n', len);
	if (newline)
		return hand_out(c, line, c->taken + (size_t)(newline - start));
	if (len > c->max_line)
		return err_set(e, ERR_INPUT, "%s wrote a line of more than %zu bytes", c->name,
			       c->max_line);
	if (c->s.out >= 0)
		return 2;
	return len ? hand_out(c, line, c->out.len) : 0;
}

int child_read_line(struct child *c, struct str *line, uint64_t deadline_ns, struct err *e)
{
	uint64_t until_ns = until(deadline_ns);
	for (;;) {
		int got = child_try_line(c, line, e);
		if (got != 2)
			return got;
		if (!wait_for(c, false, until_ns))
			return err_set(e, ERR_TIMEOUT, "%s said nothing in time", c->name);
	}
}

int child_take_output(struct child *c, struct str *out)
{
	gather(c);
	size_t len = c->out.len - c->taken;
	str_add_len(out, c->out.text + c->taken, len);
	str_clear(&c->out);
	c->taken = 0;
	if (len)
		return 1;
	return c->s.out >= 0 ? 2 : 0;
}

int child_fd(const struct child *c)
{
	return c->s.out;
}

pid_t child_pid(const struct child *c)
{
	return c->s.pid;
}

static void reap(struct child *c)
{
	if (c->is_reaped)
		return;
	spawn_reap(&c->s, &c->end);
	c->is_reaped = true;
	gather(c);
}

bool child_has_ended(struct child *c, struct proc_result *r)
{
	if (!c->is_reaped && !spawn_is_over(&c->s))
		return false;
	reap(c);
	*r = c->end;
	return true;
}

bool child_wait(struct child *c, uint64_t wait_ns, struct proc_result *r)
{
	const uint64_t until_ns = clock_mono_ns() + wait_ns;
	while (!child_has_ended(c, r)) {
		struct pollfd fd = { .fd = c->s.pidfd, .events = POLLIN };
		if (clock_mono_ns() >= until_ns)
			return false;
		poll(&fd, 1, c->s.pidfd < 0 ? 2 : 50);
		gather_stderr(c);
	}
	return true;
}

void child_close_stdin(struct child *c)
{
	if (c->s.in >= 0)
		close(take_fd(&c->s.in));
}

void child_stop(struct child *c, uint64_t grace_ns, struct proc_result *r)
{
	uint64_t until_ns = clock_mono_ns() + grace_ns;
	child_close_stdin(c);
	if (grace_ns)
		spawn_signal(&c->s, SIGTERM);
	while (!spawn_is_over(&c->s) && clock_mono_ns() < until_ns) {
		struct pollfd fd = { .fd = c->s.pidfd, .events = POLLIN };
		poll(&fd, 1, 5);
		c->taken = c->out.len; /* nobody reads it any more, but it must not block */
		gather(c);
		compact(c);
	}
	reap(c);
	if (r)
		*r = c->end;
}

const char *child_stderr(struct child *c)
{
	gather_stderr(c);
	return c->err.text;
}

void child_free(struct child **slot)
{
	struct child *c = take_ptr(slot);
	if (!c)
		return;
	reap(c);
	spawn_close(&c->s);
	str_release(&c->out);
	str_release(&c->err);
	free(c->name);
	free(c);
}
