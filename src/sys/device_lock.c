#include "sys/device_lock.h"

/* A lock file belongs to the user who came first, and in a sticky folder the kernel lets nobody
 * else open it with O_CREAT. flock needs no right to write, so everybody opens it for reading. */

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	return fd >= 0 || errno != EEXIST ? fd : open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

static int take_one(struct device_lock *l, const char *device, struct err *e)
{
	AUTO_FREE char *path = xasprintf("/tmp/forge-device-%s.lock", device);
	AUTO_CLOSE int fd = open_file(path);
	if (fd < 0)
		return err_errno(e, ERR_SYSTEM, "open %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return err_set(e, ERR_CONFLICT, "%s is in use by another job", device);
	l->fds = xreallocarray(l->fds, l->nr + 1, sizeof(*l->fds));
	l->fds[l->nr++] = take_fd(&fd);
	return 0;
}

/* A name for a file of what may be an index or a UUID. */
static char *gpu_name(const char *gpu)
{
	char *name = xasprintf("gpu-%s", gpu);
	for (char *c = name; *c; c++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-", *c))
			*c = '_';
	return name;
}

static int take_gpus(struct device_lock *l, const char *gpus, struct err *e)
{
	AUTO_STRV struct strv names = { 0 };
	strv_split(&names, gpus ? gpus : "", ", ");
	for (size_t i = 0; i < names.nr; i++) {
		AUTO_FREE char *name = gpu_name(names.items[i]);
		if (take_one(l, name, e) < 0)
			return -1;
	}
	return 0;
}

static int take_cores(struct device_lock *l, const struct cpu_list *cpus, struct err *e)
{
	for (unsigned i = 0; i < cpus->nr; i++) {
		AUTO_FREE char *name = xasprintf("core-%u", (unsigned)cpus->ids[i]);
		if (take_one(l, name, e) < 0)
			return -1;
	}
	return 0;
}

int device_lock_take(struct device_lock *l, const struct cpu_list *cpus, const char *gpus,
		     struct err *e)
{
	*l = (struct device_lock){ 0 };
	if (take_cores(l, cpus, e) == 0 && take_gpus(l, gpus, e) == 0)
		return 0;
	device_lock_release(l);
	return -1;
}

void device_lock_release(struct device_lock *l)
{
	for (size_t i = 0; i < l->nr; i++)
		close(l->fds[i]);
	free(l->fds);
	*l = (struct device_lock){ 0 };
}
