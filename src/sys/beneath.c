#include "sys/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

int beneath_open(int dir, const char *path, int flags, unsigned mode, struct err *e)
{
	struct open_how how = { .flags = (unsigned)(flags | O_CLOEXEC | O_NOFOLLOW),
				.mode = (flags & O_CREAT) ? mode : 0,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
					   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV };
	long fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd >= 0)
		return (int)fd;
	if (errno == EXDEV || errno == ELOOP)
		return err_set(e, ERR_INPUT, "%.200s: leads out of the folder, or is a link", path);
	return err_errno(e, errno == ENOSYS ? ERR_SYSTEM : ERR_INPUT, "%.200s", path);
}

static int make_one(int dir, const char *path, struct err *e)
{
	AUTO_FREE char *parent = xstrdup(path);
	char *slash = strrchr(parent, '/');
	const char *name = slash ? slash + 1 : parent;
	if (slash)
		*slash = 0;
	AUTO_CLOSE int at = beneath_open(dir, slash ? parent : ".", O_PATH | O_DIRECTORY, 0, e);
	if (at < 0)
		return -1;
	if (mkdirat(at, name, 0755) < 0 && errno != EEXIST)
		return err_errno(e, ERR_INPUT, "make folder %.200s", path);
	return 0;
}

int beneath_make_parents(int dir, const char *path, struct err *e)
{
	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
		AUTO_FREE char *part = xstrndup(path, (size_t)(at - path));
		if (at == path || at[-1] == '/')
			continue;
		if (make_one(dir, part, e) < 0)
			return -1;
	}
	return 0;
}
