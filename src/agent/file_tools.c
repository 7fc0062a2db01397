#include "agent/file_tools.h"

/* What a model reads costs money each time it is sent again, so a long file is answered in part;
 * what it writes is bounded by the largest kernel that can be built. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/clip.h"
#include "agent/tool_table.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/untrusted.h"
#include "sys/beneath.h"

enum {
	MAX_FILE_BYTES = 1 << 20,
	MAX_SHOWN_BYTES = 24 << 10,
	MAX_LISTED = 500,
};

struct file_call {
	int dir; /* the workspace */
	const char *path;
	const json_t *args;
};

static json_t *outcome(const char *name, const char *text)
{
	AUTO_STR struct str shown = STR_INIT;
	untrusted_block(&shown, text, 0);
	return json_pack("{s:s, s:s}", "outcome", name, "text", shown.text);
}

static int read_all(int fd, const char *path, struct str *text, struct err *e)
{
	char chunk[16384];
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, ERR_INPUT, "read %.200s", path);
		if (n == 0)
			return 0;
		if (text->len + (size_t)n > MAX_FILE_BYTES)
			return err_set(e, ERR_INPUT, "%.200s: larger than %d KiB", path,
				       MAX_FILE_BYTES >> 10);
		str_add_len(text, chunk, (size_t)n);
	}
}

static int open_plain(int dir, const char *path, int flags, struct err *e)
{
	struct stat st;
	AUTO_CLOSE int fd = beneath_open(dir, path, flags | O_NONBLOCK, 0644, e);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(e, ERR_INPUT, "%.200s: not a plain file", path);
	return take_fd(&fd);
}

static int read_file(int dir, const char *path, struct str *text, struct err *e)
{
	AUTO_CLOSE int fd = open_plain(dir, path, O_RDONLY, e);
	return fd < 0 ? -1 : read_all(fd, path, text, e);
}

static int write_all(int fd, const char *path, const char *text, size_t len, struct err *e)
{
	while (len) {
		ssize_t n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, ERR_INPUT, "write %.200s", path);
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

static int write_file(int dir, const char *path, const struct str *text, struct err *e)
{
	if (text->len > MAX_FILE_BYTES)
		return err_set(e, ERR_INPUT, "%.200s: a file may have %d KiB", path,
			       MAX_FILE_BYTES >> 10);
	if (beneath_make_parents(dir, path, e) < 0)
		return -1;
	AUTO_CLOSE int fd = open_plain(dir, path, O_WRONLY | O_CREAT | O_TRUNC, e);
	return fd < 0 ? -1 : write_all(fd, path, text->text, text->len, e);
}

/* Lines `from` (from 1) and on, `nr` of them (0: all). */
static void pick_lines(const struct str *text, int64_t from, int64_t nr, struct str *out)
{
	const char *at = text->text;
	const char *end = text->text + text->len;
	for (int64_t line = 1; at < end; line++) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		next = next ? next + 1 : end;
		if (line >= from && (nr == 0 || line < from + nr))
			str_add_len(out, at, (size_t)(next - at));
		at = next;
	}
}

static json_int_t nr_lines(const struct str *text)
{
	json_int_t nr = 0;
	for (size_t i = 0; i < text->len; i++)
		nr += text->text[i] == '\n' || i + 1 == text->len;
	return nr;
}

static json_t *tool_read(const struct file_call *c, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str part = STR_INIT;
	AUTO_STR struct str shown = STR_INIT;
	if (read_file(c->dir, c->path, &text, e) < 0)
		return NULL;
	pick_lines(&text, json_int_or(c->args, "from", 1), json_int_or(c->args, "lines", 0), &part);
	clip_text(&shown, part.text, part.len, MAX_SHOWN_BYTES);
	json_t *said = outcome("done", shown.text);
	json_object_set_new(said, "bytes", json_integer((json_int_t)text.len));
	json_object_set_new(said, "lines", json_integer(nr_lines(&text)));
	return said;
}

static json_t *written(const struct file_call *c, const struct str *text, struct err *e)
{
	AUTO_FREE char *what = xasprintf("%s has %zu bytes now", c->path, text->len);
	return write_file(c->dir, c->path, text, e) < 0 ? NULL : outcome("done", what);
}

static json_t *tool_write(const struct file_call *c, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	const json_t *content = json_object_get(c->args, "content");
	str_add_len(&text, json_string_value(content), json_string_length(content));
	return written(c, &text, e);
}

/* Where the passage stands, or NULL unless it stands there exactly once. */
static const char *find_once(const struct str *text, const json_t *old, struct err *e)
{
	const char *passage = json_string_value(old);
	size_t len = json_string_length(old);
	const char *end = text->text + text->len;
	const char *found = memmem(text->text, text->len, passage, len);
	if (!found) {
		err_set(e, ERR_INPUT, "\"old\" is not in the file as it stands; read it again");
		return NULL;
	}
	if (memmem(found + 1, (size_t)(end - found - 1), passage, len)) {
		err_set(e, ERR_INPUT,
			"\"old\" is in the file more than once; give more of what is around it");
		return NULL;
	}
	return found;
}

static json_t *tool_edit(const struct file_call *c, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str next = STR_INIT;
	const json_t *old = json_object_get(c->args, "old");
	const json_t *fresh = json_object_get(c->args, "new");
	if (read_file(c->dir, c->path, &text, e) < 0)
		return NULL;
	const char *found = find_once(&text, old, e);
	if (!found)
		return NULL;
	size_t head = (size_t)(found - text.text);
	size_t tail = head + json_string_length(old);
	str_add_len(&next, text.text, head);
	str_add_len(&next, json_string_value(fresh), json_string_length(fresh));
	str_add_len(&next, text.text + tail, text.len - tail);
	return written(c, &next, e);
}

static void add_entry(json_t *list, int dir, const char *name)
{
	struct stat st;
	AUTO_STR struct str shown = STR_INIT;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	untrusted_line(&shown, name, 0);
	json_t *entry = json_pack("{s:s}", "name", shown.text);
	if (S_ISDIR(st.st_mode))
		json_object_set_new(entry, "folder", json_true());
	else
		json_object_set_new(entry, "bytes", json_integer((json_int_t)st.st_size));
	json_array_append_new(list, entry);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *d)
{
	return !str_equal(d->d_name, ".") && !str_equal(d->d_name, "..");
}

static json_t *tool_list(const struct file_call *c, struct err *e)
{
	struct dirent **names = NULL;
	AUTO_CLOSE int fd = beneath_open(c->dir, c->path, O_RDONLY | O_DIRECTORY, 0, e);
	if (fd < 0)
		return NULL;
	int nr = scandirat(fd, ".", &names, is_entry, by_name);
	json_t *list = json_array();
	for (int i = 0; i < nr; i++) {
		if (i < MAX_LISTED)
			add_entry(list, fd, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	json_t *said = outcome("done", "");
	json_object_set_new(said, "entries", list);
	if (nr > MAX_LISTED)
		json_object_set_new(said, "left_out", json_integer(nr - MAX_LISTED));
	return said;
}

static const struct {
	const char *name;
	json_t *(*answer)(const struct file_call *c, struct err *e);
} answers[] = {
	{ "read", tool_read },
	{ "write", tool_write },
	{ "edit", tool_edit },
	{ "list", tool_list },
};

static int open_workspace(const char *workspace, struct err *e)
{
	int fd = workspace ? open(workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	return fd < 0 ? err_set(e, ERR_INPUT, "there is no workspace") : fd;
}

static json_t *answer(const struct tool_spec *t, const char *workspace, const json_t *args,
		      struct err *e)
{
	AUTO_CLOSE int dir = open_workspace(workspace, e);
	const struct file_call c = { dir, json_text_or(args, "path", "."), args };
	for (size_t i = 0; dir >= 0 && i < ARRAY_LEN(answers); i++)
		if (str_equal(answers[i].name, t->name))
			return answers[i].answer(&c, e);
	return NULL;
}

json_t *file_tool(const struct tool_spec *t, const char *workspace, const json_t *args)
{
	struct err why = { 0 };
	json_t *said = answer(t, workspace, args, &why);
	return said ? said : outcome("failed", why.text);
}

int file_tool_text(const char *workspace, const char *path, struct str *text, struct err *e)
{
	AUTO_CLOSE int dir = open_workspace(workspace, e);
	return dir < 0 ? -1 : read_file(dir, path, text, e);
}
