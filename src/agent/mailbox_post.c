#include "agent/mailbox_post.h"

/* As a client may have come to a folder that is none, everything is opened by path each time: a
 * mailbox that was removed and made again is found again. */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/mailbox_file.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"

static int open_part(const char *dir, const char *part, struct err *e)
{
	AUTO_FREE char *path = path_join(dir, part);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_errno(e, ERR_INPUT, "open mailbox %s", path) : fd;
}

int mailbox_post(const char *dir, const json_t *line, char id[MAILBOX_ID_LEN + 1], struct err *e)
{
	AUTO_CLOSE int in = open_part(dir, "in", e);
	uint64_t drawn = 0;
	if (in < 0 || rng_draw_seed(&drawn, e) < 0)
		return -1;
	snprintf(id, MAILBOX_ID_LEN + 1, "%016llx", (unsigned long long)drawn);
	AUTO_FREE char *name = xasprintf("%s.json", id);
	return mailbox_file_write(in, name, line, e);
}

int mailbox_fetch(const char *dir, const char *id, json_t **reply, struct err *e)
{
	*reply = NULL;
	AUTO_CLOSE int out = open_part(dir, "out", e);
	if (out < 0)
		return -1;
	AUTO_FREE char *name = xasprintf("%s.json", id);
	int got = mailbox_file_read(out, name, reply, e);
	if (got != 0)
		unlinkat(out, name, 0);
	return got;
}

void mailbox_withdraw(const char *dir, const char *id)
{
	AUTO_FREE char *name = xasprintf("%s.json", id);
	static const char *const parts[] = { "in", "out" };
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		struct err ignored = { 0 };
		AUTO_CLOSE int fd = open_part(dir, parts[i], &ignored);
		if (fd >= 0)
			unlinkat(fd, name, 0);
	}
}
