#include "mcp/mcp_serve.h"

/* One poll loop and no waiting anywhere else: while a call is under way lines are still read, so a
 * ping or a cancel is answered at once, and the end of the input is seen. Output that the client
 * does not take is kept up to a bound, and then nothing more is read from it. Descriptors stay in
 * their mode, since who started us shares them: a pipe that poll calls writable takes PIPE_BUF
 * bytes without waiting. */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "mcp/mcp.h"

enum {
	/* A message that carries the largest source, every byte of it escaped. */
	MAX_LINE_BYTES = 32 << 20,
	MAX_UNSENT_BYTES = 64 << 20,
	READ_BYTES = 64 << 10,
	COMPACT_BYTES = 4 << 20,
	LAST_WORDS_MS = 2000,
};

struct wire {
	struct mcp *m;
	int in;
	int out;
	size_t sent;      /* bytes of m->out */
	struct str line;  /* what came of the line under way */
	bool is_too_long; /* the rest of the line is passed over */
	bool is_over;
};

static size_t unsent(const struct wire *w)
{
	return w->m->out.len - w->sent;
}

static int wait_for(const struct wire *w, struct pollfd fds[2])
{
	bool has_room = unsent(w) < MAX_UNSENT_BYTES;
	int wait_ms = mcp_is_busy(w->m) ? (int)(MCP_TICK_NS / NS_PER_MS) : -1;
	fds[0] = (struct pollfd){ .fd = has_room ? w->in : -1, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = unsent(w) ? w->out : -1, .events = POLLOUT };
	return poll(fds, 2, wait_ms);
}

static void end_line(struct wire *w)
{
	if (w->is_too_long)
		mcp_take_too_long(w->m, MAX_LINE_BYTES);
	else
		mcp_take(w->m, w->line.text, w->line.len, clock_mono_ns());
	str_clear(&w->line);
	w->is_too_long = false;
}

static void add_piece(struct wire *w, const char *piece, size_t len)
{
	w->is_too_long = w->is_too_long || w->line.len + len > MAX_LINE_BYTES;
	if (w->is_too_long)
		str_clear(&w->line);
	else
		str_add_len(&w->line, piece, len);
}

static void take_bytes(struct wire *w, const char *bytes, size_t len)
{
	const char *end = bytes + len;
	while (bytes < end) {
		const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
		add_piece(w, bytes, (size_t)((feed ? feed : end) - bytes));
		if (feed)
			end_line(w);
		bytes = feed ? feed + 1 : end;
	}
}

/* The last line may lack its line feed. */
static void end_input(struct wire *w)
{
	if (w->line.len || w->is_too_long)
		end_line(w);
	w->is_over = true;
}

static int receive(struct wire *w, struct err *e)
{
	char bytes[READ_BYTES];
	ssize_t n = read(w->in, bytes, sizeof(bytes));
	if (n < 0 && errno != EINTR && errno != EAGAIN)
		return err_errno(e, ERR_SYSTEM, "read requests");
	if (n > 0)
		take_bytes(w, bytes, (size_t)n);
	if (n == 0)
		end_input(w);
	return 0;
}

static void forget_sent(struct wire *w)
{
	struct str *out = &w->m->out;
	memmove(out->text, out->text + w->sent, unsent(w));
	out->len -= w->sent;
	out->text[out->len] = 0;
	w->sent = 0;
}

/* 0, or -1 when nobody reads any more. */
static int send_some(struct wire *w)
{
	size_t len = unsent(w) < PIPE_BUF ? unsent(w) : PIPE_BUF;
	ssize_t n = write(w->out, w->m->out.text + w->sent, len);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	w->sent += (size_t)n;
	if (!unsent(w) || w->sent > COMPACT_BYTES)
		forget_sent(w);
	return 0;
}

/* What was answered before the input ended still goes out. */
static void send_rest(struct wire *w)
{
	struct pollfd fd = { .fd = w->out, .events = POLLOUT };
	while (unsent(w) && poll(&fd, 1, LAST_WORDS_MS) > 0)
		if (send_some(w) < 0)
			return;
}

/* 1: go on; 0: the client is gone. */
static int step(struct wire *w, struct err *e)
{
	struct pollfd fds[2];
	int nr = wait_for(w, fds);
	if (nr < 0 && errno != EINTR)
		return err_errno(e, ERR_SYSTEM, "wait for requests");
	if (nr > 0 && fds[1].revents && send_some(w) < 0)
		return 0;
	if (nr > 0 && fds[0].revents && receive(w, e) < 0)
		return -1;
	mcp_tick(w->m, clock_mono_ns());
	return !w->is_over;
}

int mcp_serve(struct mcp *m, int in_fd, int out_fd, struct err *e)
{
	struct wire w = { .m = m, .in = in_fd, .out = out_fd, .line = STR_INIT };
	int rc;
	do
		rc = step(&w, e);
	while (rc > 0);
	if (w.is_over)
		send_rest(&w);
	str_release(&w.line);
	return rc;
}
