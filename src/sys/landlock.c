#include "sys/landlock.h"

/* The constants are spelt out: Debian 12's headers know version 2, kernels are at 7. Each version
 * added rights; asking for one that the kernel does not know fails, hence the table. */

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CREATE_VERSION = 1, RULE_PATH_BENEATH = 1 };
enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE = 1 << 4 | 1 << 5,         /* folders and files */
	FS_MAKE = 1 << 7 | 1 << 8 | 1 << 12, /* folders, files, links; no devices, sockets, pipes */
	FS_REFER = 1 << 13,
	FS_TRUNCATE = 1 << 14,
	FS_IOCTL_DEV = 1 << 15,
};
enum {
	OF_READERS = FS_READ_FILE | FS_READ_DIR | FS_EXECUTE,
	OF_WRITERS = FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_REMOVE | FS_MAKE | FS_REFER |
		     FS_TRUNCATE,
	OF_DEVICES = FS_READ_FILE | FS_READ_DIR | FS_WRITE_FILE | FS_IOCTL_DEV,
	OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
};

struct attributes {
	uint64_t handled_fs;
	uint64_t handled_net;
	uint64_t scoped;
};

struct path_beneath {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

/* File rights by version: 1 the first thirteen, 2 + rename, 3 + truncate, 5 + device ioctl. Version
 * 4 added TCP bind and connect, 6 the scopes for abstract sockets and signals. */
static struct attributes attributes_of(long version, size_t *len)
{
	struct attributes a = { .handled_fs = 0x1fff };
	if (version >= 2)
		a.handled_fs |= 0x2000;
	if (version >= 3)
		a.handled_fs |= 0x4000;
	if (version >= 5)
		a.handled_fs |= 0x8000;
	if (version >= 4)
		a.handled_net = 3;
	if (version >= 6)
		a.scoped = 3;
	*len = version >= 6 ? 24 : version >= 4 ? 16 : 8;
	return a;
}

int landlock_new(void)
{
	size_t len = 0;
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0UL, CREATE_VERSION);
	if (version < 1)
		return -1;
	struct attributes a = attributes_of(version, &len);
	return (int)syscall(SYS_landlock_create_ruleset, &a, len, 0);
}

static int allow(int ruleset, int fd, uint64_t rights)
{
	struct path_beneath p = { .allowed = rights, .parent_fd = fd };
	return (int)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &p, 0);
}

int landlock_allow_file(int ruleset, int fd)
{
	return allow(ruleset, fd, FS_READ_FILE | FS_EXECUTE);
}

static int allow_at(int ruleset, const char *path, uint64_t rights)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int status = allow(ruleset, fd, rights);
	int error = errno;
	close(fd);
	errno = error;
	return status;
}

int landlock_allow_path(int ruleset, const char *path)
{
	return allow_at(ruleset, path, FS_READ_FILE | FS_EXECUTE);
}

int landlock_allow_tree(int ruleset, const char *path)
{
	return allow_at(ruleset, path, FS_READ_FILE | FS_READ_DIR | FS_EXECUTE);
}

/* What a file can not have, and what this kernel does not know, is left out. */
static int allow_there(int ruleset, const char *path, uint64_t rights)
{
	struct stat st;
	size_t len = 0;
	const long version = syscall(SYS_landlock_create_ruleset, NULL, 0UL, CREATE_VERSION);
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	int status = fstat(fd, &st);
	rights &= attributes_of(version, &len).handled_fs;
	if (status == 0)
		status = allow(ruleset, fd, S_ISDIR(st.st_mode) ? rights : rights & OF_FILES);
	int error = errno;
	close(fd);
	errno = error;
	return status;
}

int landlock_allow_reading(int ruleset, const char *path)
{
	return allow_there(ruleset, path, OF_READERS);
}

int landlock_allow_writing(int ruleset, const char *path)
{
	return allow_there(ruleset, path, OF_WRITERS);
}

int landlock_allow_device(int ruleset, const char *path)
{
	return allow_there(ruleset, path, OF_DEVICES);
}

int landlock_enter(int ruleset)
{
	int status = (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
	int error = errno;
	close(ruleset);
	errno = error;
	return status;
}
