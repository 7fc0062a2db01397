#include "sys/lock.h"

/* The file is never removed: removing it would let two holders lock two files of the same name. */

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

static int say_holder(int fd, const char *path, struct err *e)
{
	char text[32] = "";
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long pid = n > 0 ? strtol(text, NULL, 10) : 0;
	AUTO_FREE char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');
	if (slash)
		*slash = 0;
	if (pid <= 0)
		return err_set(e, ERR_CONFLICT, "%s is in use by another process", dir);
	return err_set(e, ERR_CONFLICT,
		       "%s is in use by process %ld; wait for it, or stop it (SIGTERM)", dir, pid);
}

/* The inode is the file's own, which tells it from its copies. */
static void write_holder(int fd)
{
	char text[64];
	struct stat st = { 0 };
	fstat(fd, &st);
	int len = snprintf(text, sizeof(text), "%ld %llu\n", (long)getpid(),
			   (unsigned long long)st.st_ino);
	/* A full disk must not keep anybody from working. */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)len, 0) < 0)
		return;
}

int lock_take(struct lock *l, const char *path, struct err *e)
{
	l->fd = -1;
	AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_errno(e, ERR_SYSTEM, "open %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return say_holder(fd, path, e);
		return err_errno(e, ERR_SYSTEM, "lock %s", path);
	}
	write_holder(fd);
	l->fd = take_fd(&fd);
	return 0;
}

bool lock_is_original(const char *path)
{
	char text[64] = "";
	unsigned long long inode = 0;
	struct stat st;
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && fstat(fd, &st) == 0 && pread(fd, text, sizeof(text) - 1, 0) > 0 &&
	       sscanf(text, "%*d %llu", &inode) == 1 && inode == (unsigned long long)st.st_ino;
}

void lock_release(struct lock *l)
{
	if (l->fd >= 0)
		close(take_fd(&l->fd));
}
