#include "store/eventlog.h"

/* One line per event, each holding the SHA-256 of the line before it. A line is written at once
 * and fsynced before eventlog_add returns, so after a crash at most the last line is torn:
 * it lacks its newline. That one is cut on open, since nobody can have acted on it. Anything else
 * that does not verify was changed by somebody and is refused. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/crash_point.h"

struct event_row {
	const char *name;
	int64_t version;
	const char *text;
};

static const struct event_row rows[EVENT_NR] = {
	[EVENT_UNKNOWN] = { "unknown", 0, "an event of a later forge" },
#define EVENT(name, version, text) [EVENT_##name] = { #name, version, text },
#include "store/chain_events.def"
#include "store/events.def"
#undef EVENT
};

struct eventlog {
	int fd;
	char *path;
	uint64_t nr;        /* events in the file */
	off_t len;          /* verified bytes; what follows them was never acted on */
	struct digest last; /* of the last line */
	struct crash_point crash;
	event_see_fn see;
	void *ctx;
};

const char *event_type_name(enum event_type t)
{
	return rows[t].name;
}

const char *event_type_text(enum event_type t)
{
	return rows[t].text;
}

enum event_type event_type_parse(const char *name)
{
	for (int t = EVENT_UNKNOWN + 1; t < EVENT_NR; t++)
		if (str_equal(rows[t].name, name))
			return (enum event_type)t;
	return EVENT_UNKNOWN;
}

static int refuse_version(const struct event *ev, const char *doc, struct err *e)
{
	return err_set(e, ERR_INPUT,
		       "%s: event %s has version %lld, this forge knows version %lld; "
		       "use the forge that wrote this run",
		       doc, ev->type_name, (long long)ev->version,
		       (long long)rows[ev->type].version);
}

static int event_parse(const json_t *obj, const char *doc, struct event *ev, struct err *e)
{
	int64_t seq, mono_ns;
	const char *prev;
	json_t *body;
	if (json_get_int(obj, "seq", doc, &seq, e) < 0 ||
	    json_get_text(obj, "wall", doc, &ev->wall, e) < 0 ||
	    json_get_int(obj, "mono_ns", doc, &mono_ns, e) < 0 ||
	    json_get_text(obj, "type", doc, &ev->type_name, e) < 0 ||
	    json_get_int(obj, "v", doc, &ev->version, e) < 0 ||
	    json_get_object(obj, "body", doc, &body, e) < 0 ||
	    json_get_text(obj, "where", doc, &ev->where, e) < 0 ||
	    json_get_text(obj, "prev", doc, &prev, e) < 0)
		return -1;
	ev->seq = (uint64_t)seq;
	ev->mono_ns = (uint64_t)mono_ns;
	ev->body = body;
	ev->type = event_type_parse(ev->type_name);
	snprintf(ev->prev.hex, sizeof(ev->prev.hex), "%s", prev);
	if (ev->type != EVENT_UNKNOWN && ev->version != rows[ev->type].version)
		return refuse_version(ev, doc, e);
	return 0;
}

/* What a walk over the file has verified so far. */
struct walk {
	const char *path;
	uint64_t nr;
	off_t len;
	size_t torn; /* bytes after the last newline */
	struct digest last;
	bool is_chain_only; /* bodies and versions are nobody's business yet */
	event_see_fn see;
	void *ctx;
};

static int refuse_line(const struct walk *w, uint64_t line, const char *what, struct err *e)
{
	if (line == 1)
		return err_set(e, ERR_CONFLICT,
			       "%s:1: %s: the log was changed after it was written; restore it "
			       "from a copy, or begin again",
			       w->path, what);
	return err_set(e, ERR_CONFLICT,
		       "%s:%llu: %s: the log was changed after it was written; restore it from a "
		       "copy, or keep its first %llu lines and run again from there",
		       w->path, (unsigned long long)line, what, (unsigned long long)line - 1);
}

/* Of two lines that do not fit, the first is named: keeping it might keep the change. */
static int check_chain(const struct walk *w, const json_t *obj, struct err *e)
{
	if (json_int_or(obj, "seq", 0) != (int64_t)w->nr + 1)
		return refuse_line(w, w->nr + 1, "is out of sequence", e);
	if (str_equal(json_text_or(obj, "prev", ""), w->last.hex))
		return 0;
	if (!w->nr)
		return refuse_line(w, 1, "is not the first line of a log", e);
	return refuse_line(w, w->nr, "does not have the hash that the next line gives", e);
}

static int show_line(const struct walk *w, const json_t *obj, const char *doc,
		     const struct digest *digest, struct err *e)
{
	struct event ev = { 0 };
	if (event_parse(obj, doc, &ev, e) < 0)
		return -1;
	ev.digest = *digest;
	return w->see ? w->see(w->ctx, &ev, e) : 0;
}

static int walk_line(struct walk *w, const char *line, size_t len, struct err *e)
{
	struct err why = { 0 };
	AUTO_FREE char *doc = xasprintf("%s:%llu", w->path, (unsigned long long)w->nr + 1);
	AUTO_JSON json_t *obj = json_read_text(line, len, doc, &why);
	if (!obj)
		return refuse_line(w, w->nr + 1, "not a JSON line", e);
	if (check_chain(w, obj, e) < 0)
		return -1;
	w->last = digest_bytes(line, len);
	w->nr++;
	w->len += (off_t)len + 1;
	return w->is_chain_only ? 0 : show_line(w, obj, doc, &w->last, e);
}

static int walk_file(struct walk *w, FILE *file, struct err *e)
{
	AUTO_FREE char *line = NULL;
	size_t cap = 0;
	for (;;) {
		ssize_t n = getline(&line, &cap, file);
		if (n < 0)
			return ferror(file) ? err_errno(e, ERR_SYSTEM, "read %s", w->path) : 0;
		if (line[n - 1] != '\n') {
			w->torn = (size_t)n;
			return 0;
		}
		if (walk_line(w, line, (size_t)n - 1, e) < 0)
			return -1;
	}
}

static int walk_path(struct walk *w, struct err *e)
{
	AUTO_CLOSE int fd = file_open(w->path, e);
	if (fd < 0)
		return -1;
	AUTO_FCLOSE FILE *file = fdopen(fd, "re");
	if (!file)
		return err_errno(e, ERR_INPUT, "open %s", w->path);
	take_fd(&fd);
	return walk_file(w, file, e);
}

/* The whole chain before the first event is shown: a changed line is called changed, not what the
 * change happens to look like. */
static int walk_verified(struct walk *w, struct err *e)
{
	struct walk chain = { .path = w->path, .is_chain_only = true };
	return walk_path(&chain, e) < 0 ? -1 : walk_path(w, e);
}

int eventlog_read(const char *path, event_see_fn see, void *ctx, struct err *e)
{
	struct walk w = { .path = path, .see = see, .ctx = ctx };
	return walk_verified(&w, e);
}

static int open_file(struct eventlog *log, struct err *e)
{
	bool is_new = !file_exists(log->path);
	log->fd = open(log->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
	if (log->fd < 0)
		return err_errno(e, ERR_SYSTEM, "open %s", log->path);
	if (!is_new)
		return 0;
	AUTO_FREE char *dir = path_dir(log->path);
	return dir_sync(dir, e);
}

static int cut_tail(struct eventlog *log, size_t torn, struct err *e)
{
	if (!torn)
		return 0;
	if (ftruncate(log->fd, log->len) < 0)
		return err_errno(e, ERR_SYSTEM, "cut the torn last line of %s", log->path);
	json_t *body = json_pack("{s:I, s:I}", "cut_bytes", (json_int_t)torn, "after_seq",
				 (json_int_t)log->nr);
	return eventlog_add(log, EVENT_log_repaired, body, e);
}

static int verify_and_repair(struct eventlog *log, struct err *e)
{
	struct walk w = { .path = log->path, .see = log->see, .ctx = log->ctx };
	if (open_file(log, e) < 0 || walk_verified(&w, e) < 0)
		return -1;
	log->nr = w.nr;
	log->len = w.len;
	log->last = w.last;
	return cut_tail(log, w.torn, e);
}

struct eventlog *eventlog_open(const char *path, event_see_fn see, void *ctx, struct err *e)
{
	struct eventlog *log = xcalloc(1, sizeof(*log));
	*log = (struct eventlog){ .fd = -1, .path = xstrdup(path), .see = see, .ctx = ctx };
	if (crash_point_read(&log->crash, path, e) < 0 || verify_and_repair(log, e) < 0)
		eventlog_close(&log);
	return log;
}

void eventlog_close(struct eventlog **log)
{
	if (!*log)
		return;
	if ((*log)->fd >= 0)
		close((*log)->fd);
	free((*log)->path);
	free(*log);
	*log = NULL;
}

static void tear_line(const struct eventlog *log, const char *line, size_t len)
{
	if (!crash_point_is(&log->crash, log->nr + 1, CRASH_TORN))
		return;
	if (write(log->fd, line, len / 2) > 0)
		fsync(log->fd);
	crash_point_die();
}

/* How much of the line was written; less than all of it: errno says why. */
static size_t write_some(int fd, const char *line, size_t len)
{
	size_t done = 0;
	while (done < len) {
		ssize_t n = write(fd, line + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return done;
		done += (size_t)n;
	}
	return done;
}

/* A line that could not be written whole is taken back, so that a full disk leaves a log that
 * still verifies; when even that fails the next open cuts it. */
static int write_line(struct eventlog *log, const char *line, size_t len, struct err *e)
{
	size_t done = write_some(log->fd, line, len);
	if (done == len && fsync(log->fd) == 0)
		return 0;
	err_errno(e, ERR_SYSTEM, "write %s", log->path);
	if (done > 0 && ftruncate(log->fd, log->len) < 0)
		return err_wrap(e, "torn line left behind");
	return -1;
}

static json_t *event_to_json(const struct event *ev, json_t *body)
{
	return json_pack("{s:I, s:s, s:I, s:s, s:I, s:o, s:s, s:s}", "seq", (json_int_t)ev->seq,
			 "wall", ev->wall, "mono_ns", (json_int_t)ev->mono_ns, "type",
			 ev->type_name, "v", (json_int_t)ev->version, "body", body, "where",
			 ev->where, "prev", ev->prev.hex);
}

static int add_json(struct eventlog *log, struct event *ev, const json_t *obj, struct err *e)
{
	AUTO_FREE char *text = json_line(obj);
	size_t len = strlen(text);
	AUTO_FREE char *line = xasprintf("%s\n", text);
	ev->digest = digest_bytes(text, len);
	crash_point_pass(&log->crash, ev->seq, CRASH_BEFORE);
	tear_line(log, line, len);
	if (write_line(log, line, len + 1, e) < 0)
		return -1;
	crash_point_pass(&log->crash, ev->seq, CRASH_AFTER);
	log->nr++;
	log->len += (off_t)len + 1;
	log->last = ev->digest;
	return log->see ? log->see(log->ctx, ev, e) : 0;
}

int eventlog_add_at(struct eventlog *log, enum event_type type, json_t *body, const char *where,
		    struct err *e)
{
	if (!json_is_object(body))
		BUG("event %s at %s has no body", rows[type].name, where);
	char wall[32];
	clock_format_wall(clock_wall_ns(), wall);
	struct event ev = { .seq = log->nr + 1,
			    .wall = wall,
			    .mono_ns = clock_mono_ns(),
			    .type = type,
			    .type_name = rows[type].name,
			    .version = rows[type].version,
			    .body = body,
			    .where = where,
			    .prev = log->last };
	AUTO_JSON json_t *obj = event_to_json(&ev, body);
	if (!obj)
		BUG("event %s at %s can not be encoded", rows[type].name, where);
	return add_json(log, &ev, obj, e);
}
