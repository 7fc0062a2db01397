#include "agent/mailbox_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/mailbox.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

/* A pipe would be waited for, a link could lead anywhere. */
static int open_plain(int dir, const char *name, struct stat *st)
{
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, st) < 0 || !S_ISREG(st->st_mode))
		return -1;
	return take_fd(&fd);
}

/* It may grow while it is read. */
static int read_text(int fd, struct str *text, struct err *e)
{
	char chunk[16384];
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(e, ERR_INPUT, "read a message");
		if (n == 0)
			return 0;
		if (text->len + (size_t)n > MAILBOX_MAX_BYTES)
			return err_set(e, ERR_INPUT, "larger than %d MiB", MAILBOX_MAX_BYTES >> 20);
		str_add_len(text, chunk, (size_t)n);
	}
}

int mailbox_file_read(int dir, const char *name, json_t **out, struct err *e)
{
	struct stat st;
	AUTO_STR struct str text = STR_INIT;
	AUTO_CLOSE int fd = open_plain(dir, name, &st);
	*out = NULL;
	if (fd < 0)
		return 0;
	if (read_text(fd, &text, e) < 0)
		return -1;
	AUTO_JSON json_t *json = json_read_text(text.text, text.len, name, e);
	if (!json)
		return -1;
	if (!json_is_object(json))
		return err_set(e, ERR_INPUT, "%s: not a JSON object", name);
	*out = json_incref(json);
	return 1;
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
	return 0;
}

static int write_new(int dir, const char *name, const char *text, struct err *e)
{
	/* Only we use this name; what a stranger put there goes, and nothing is followed. */
	unlinkat(dir, name, 0);
	AUTO_CLOSE int fd =
		openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, ERR_SYSTEM, "create %s in a mailbox", name);
	if (write_all(fd, text, strlen(text)) < 0 || fsync(fd) < 0)
		return err_errno(e, ERR_SYSTEM, "write %s in a mailbox", name);
	return 0;
}

int mailbox_file_write(int dir, const char *name, const json_t *json, struct err *e)
{
	AUTO_FREE char *page = json_page(json);
	AUTO_FREE char *temp = xasprintf(".%s.%ld", name, (long)getpid());
	int rc = write_new(dir, temp, page, e);
	if (rc == 0 && renameat(dir, temp, dir, name) < 0)
		rc = err_errno(e, ERR_SYSTEM, "rename to %s in a mailbox", name);
	if (rc < 0)
		unlinkat(dir, temp, 0);
	return rc;
}
