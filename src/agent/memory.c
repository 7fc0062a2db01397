#include "agent/memory.h"

/* A line that a kill tore is left out: what it stood for was not acted on, and whoever goes on does
 * so without it. More than fits a line of the wire is no memory. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

enum { MAX_MEMORY_BYTES = 6 << 20 };

static void lose(struct memory *m, const char *why)
{
	if (why)
		log_warn("%s: %s; a turn that is interrupted begins anew", m->path, why);
	unlink(m->path);
	m->is_lost = true;
}

void memory_open(struct memory *m, const char *path, bool goes_on)
{
	*m = (struct memory){ .path = path, .fd = -1 };
	if (path && !goes_on)
		unlink(path);
}

static int open_file(struct memory *m)
{
	struct stat st;
	if (m->fd >= 0)
		return 0;
	m->fd = open(m->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (m->fd < 0 || fstat(m->fd, &st) < 0)
		return -1;
	m->bytes = (size_t)st.st_size;
	return 0;
}

static int write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		text += n;
		len -= (size_t)n;
	}
	return fdatasync(fd);
}

void memory_add(struct memory *m, const json_t *item)
{
	if (!m->path || m->is_lost || !json_is_object(item))
		return;
	AUTO_FREE char *text = json_line(item);
	/* What stands before it may be torn. */
	AUTO_FREE char *line = xasprintf("%s%s\n", m->fd < 0 ? "\n" : "", text);
	if (open_file(m) < 0 || write_all(m->fd, line, strlen(line)) < 0) {
		lose(m, strerror(errno));
		return;
	}
	m->bytes += strlen(line);
	if (m->bytes > MAX_MEMORY_BYTES)
		lose(m, NULL);
}

void memory_close(struct memory *m)
{
	if (m->fd >= 0)
		close(m->fd);
	m->fd = -1;
}

json_t *memory_load(const char *path)
{
	struct err ignored = { 0 };
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv lines = { 0 };
	AUTO_JSON json_t *items = json_array();
	if (!file_exists(path) || file_read(path, MAX_MEMORY_BYTES, &text, &ignored) < 0)
		return NULL;
	strv_split(&lines, text.text, "\n");
	for (size_t i = 0; i < lines.nr; i++) {
		const char *line = lines.items[i];
		json_t *item = json_read_text(line, strlen(line), path, &ignored);
		if (item)
			json_array_append_new(items, item);
	}
	return json_array_size(items) ? json_incref(items) : NULL;
}

const char *memory_text(const json_t *memory, const char *key)
{
	for (size_t i = json_array_size(memory); i > 0; i--) {
		const char *text = json_text_or(json_array_get(memory, i - 1), key, NULL);
		if (text)
			return text;
	}
	return NULL;
}
