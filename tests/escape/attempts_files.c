/* Files, mounts and roots. An attempt goes through all its ways and stops at the first that works.
 */
#include "attempts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

/* <sys/mount.h> does not go with <linux/mount.h> in older headers. */
int mount(const char *, const char *, const char *, unsigned long, const void *);
int umount2(const char *, int);
enum { REMOUNT_RW_BIND = 32 | 4096, BIND_REC = 4096 | 16384, DETACH = 2 };

enum outcome open_secret(const struct scene *s, struct report *r)
{
	return judge(r, path_has_token(s, s->secret), "open");
}

enum outcome openat_dotdot(const struct scene *s, struct report *r)
{
	char path[SCENE_PATH + 80];
	int here = open(".", O_RDONLY | O_DIRECTORY);
	snprintf(path, sizeof(path), "../../../../../../../../../../../..%s", s->secret);
	int fd = openat(here >= 0 ? here : AT_FDCWD, path, O_RDONLY);
	return judge(r, file_has_token(s, fd), "openat");
}

enum outcome read_system_files(const struct scene *s, struct report *r)
{
	static const char *const paths[] = { "/etc/passwd", "/etc/shadow", "/etc/hostname",
					     "/etc/machine-id" };
	(void)s;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char byte;
		int fd = open(paths[i], O_RDONLY);
		if (fd >= 0 && read(fd, &byte, 1) == 1)
			return note(r, ESCAPED, "%s is read", paths[i]);
	}
	return judge(r, false, "open /etc/passwd");
}

enum outcome write_secret(const struct scene *s, struct report *r)
{
	int fd = open(s->secret, O_WRONLY);
	if (fd < 0)
		fd = open(s->secret, O_RDWR | O_APPEND);
	return judge(r, fd >= 0, "open for writing");
}

/* What is made in a /tmp of its own does no harm: the check looks outside. */
enum outcome write_everywhere(const struct scene *s, struct report *r)
{
	static const char *const dirs[] = { "/tmp", "/dev/shm", "/usr", "/usr/lib",
					    "/",    "/var/tmp", "/run", "/home",
					    "/dev", "/etc",     "..",   "/workspace/.." };
	char path[2 * SCENE_PATH];
	unsigned nr = 0;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]) + 2; i++) {
		size_t known = sizeof(dirs) / sizeof(dirs[0]);
		snprintf(path, sizeof(path), "%s/%s",
			 i < known    ? dirs[i]
			 : i == known ? s->canary
				      : s->run,
			 s->mark);
		int fd = open(path, O_WRONLY | O_CREAT, 0666);
		nr += fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	return note(r, HELD, "%u files made, all inside if none shows outside", nr);
}

enum outcome write_system(const struct scene *s, struct report *r)
{
	static const char *const paths[] = { "/usr/bin/env",
					     "/usr/bin/bwrap",
					     "/bin/sh",
					     "/lib64/ld-linux-x86-64.so.2",
					     "/lib/x86_64-linux-gnu/libc.so.6",
					     "/agent/bin/agent" };
	(void)s;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (open(paths[i], O_WRONLY | O_APPEND) >= 0 || chmod(paths[i], 0755) == 0)
			return note(r, ESCAPED, "%s is writable", paths[i]);
	return judge(r, false, "open for writing");
}

/* As it is already, so that nothing changes where it works. */
enum outcome attributes(const struct scene *s, struct report *r)
{
	const struct timespec as_it_is[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_NOW } };
	if (chmod(s->secret, 0666) == 0)
		return note(r, ESCAPED, "chmod");
	if (truncate(s->secret, TOKEN_LEN) == 0)
		return note(r, ESCAPED, "truncate");
	if (utimensat(AT_FDCWD, s->secret, as_it_is, 0) == 0)
		return note(r, ESCAPED, "utimensat");
	if (chown(s->secret, getuid(), getgid()) == 0)
		return note(r, ESCAPED, "chown");
	if (setxattr(s->secret, "user.forge", "", 0, 0) == 0)
		return note(r, ESCAPED, "setxattr");
	int fd = open(s->secret, O_RDONLY);
	return judge(r, fd >= 0 && fchmod(fd, 0666) == 0, "fchmod");
}

enum outcome opath_reopen(const struct scene *s, struct report *r)
{
	static const char *const starts[] = { "/", ".", "..", "/proc/self", "/tmp" };
	char path[SCENE_PATH + 80];
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		int at = open(starts[i], O_PATH);
		snprintf(path, sizeof(path), "../../../../../../..%s", s->secret);
		if (at >= 0 && file_has_token(s, openat(at, path, O_RDONLY)))
			return note(r, ESCAPED, "by .. of %s", starts[i]);
		snprintf(path, sizeof(path), "/proc/self/fd/%d/../../../../..%s", at, s->secret);
		if (at >= 0 && path_has_token(s, path))
			return note(r, ESCAPED, "by %s", path);
		int secret = open(s->secret, O_PATH);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", secret);
		if (secret >= 0 && path_has_token(s, path))
			return note(r, ESCAPED, "by %s", path);
	}
	return judge(r, false, "open");
}

enum outcome proc_root_link(const struct scene *s, struct report *r)
{
	static const char *const links[] = { "root", "cwd", "root/proc/1/root", "fd/3/..",
					     "map_files/.." };
	char path[2 * SCENE_PATH];
	for (int pid = 0; pid < 300; pid++)
		for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
			snprintf(path, sizeof(path), "/proc/%d/%s/../../../../..%s",
				 pid ? pid : s->victim, links[i], s->secret);
			if (path_has_token(s, path))
				return note(r, ESCAPED, "by %s", path);
		}
	return judge(r, false, "open");
}

enum outcome symlink_out(const struct scene *s, struct report *r)
{
	unlink("link");
	unlink("folder");
	if (symlink(s->secret, "link") < 0 && errno != EEXIST)
		return judge(r, false, "symlink");
	if (symlink(s->canary, "folder") < 0 && errno != EEXIST)
		return judge(r, false, "symlink");
	if (path_has_token(s, "link") || open("link", O_WRONLY) >= 0)
		return note(r, ESCAPED, "the link is followed");
	return judge(r, path_has_token(s, "folder/secret"), "open through it");
}

struct swapper {
	const struct scene *s;
	volatile int is_over;
};

static void *swap(void *ctx)
{
	struct swapper *w = ctx;
	while (!w->is_over) {
		unlink("racy");
		if (symlink(w->s->secret, "racy") < 0)
			continue;
		int fd = open("racy.file", O_WRONLY | O_CREAT, 0600);
		if (fd >= 0)
			close(fd);
		rename("racy.file", "racy");
	}
	return NULL;
}

enum { RACES = 20000 };

enum outcome symlink_race(const struct scene *s, struct report *r)
{
	pthread_t thread;
	struct swapper w = { .s = s };
	bool is_read = false;
	if (pthread_create(&thread, NULL, swap, &w) != 0)
		return note(r, HELD, "no thread");
	for (int i = 0; i < RACES && !is_read; i++) {
		is_read = path_has_token(s, "racy");
		sched_yield();
	}
	w.is_over = 1;
	pthread_join(thread, NULL);
	unlink("racy");
	return note(r, is_read ? ESCAPED : HELD, "%d openings", RACES);
}

enum outcome hardlink_out(const struct scene *s, struct report *r)
{
	char path[64];
	unlink("hard");
	if (link(s->secret, "hard") == 0)
		return note(r, ESCAPED, "by path");
	int error = errno;
	for (int fd = 3; fd < 1024; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (linkat(fd, "", AT_FDCWD, "hard", AT_EMPTY_PATH) == 0 ||
		    linkat(AT_FDCWD, path, AT_FDCWD, "hard", AT_SYMLINK_FOLLOW) == 0)
			return note(r, ESCAPED, "by descriptor %d", fd);
	}
	errno = error;
	return judge(r, false, "link");
}

enum outcome hardlink_system(const struct scene *s, struct report *r)
{
	(void)s;
	unlink("env");
	return judge(r, link("/usr/bin/env", "env") == 0, "link");
}

enum outcome rename_exchange(const struct scene *s, struct report *r)
{
	int fd = open("mine", O_WRONLY | O_CREAT, 0600);
	if (fd >= 0)
		close(fd);
	bool is_done = syscall(SYS_renameat2, AT_FDCWD, "mine", AT_FDCWD, s->secret, 2U) == 0;
	if (is_done) /* and back, for who looks after us */
		syscall(SYS_renameat2, AT_FDCWD, "mine", AT_FDCWD, s->secret, 2U);
	int error = errno;
	unlink("mine");
	errno = error;
	return judge(r, is_done, "renameat2");
}

enum outcome handle_of_root(const struct scene *s, struct report *r)
{
	struct {
		struct file_handle head;
		unsigned char bytes[32];
	} h;
	static const char *const mounts[] = { "/", ".", "/usr", "/tmp", "/proc" };
	(void)s;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
		for (unsigned inode = 1; inode < 4; inode++) {
			int at = open(mounts[i], O_RDONLY);
			memset(&h, 0, sizeof(h));
			h.head.handle_bytes = 8;
			h.head.handle_type = 1;
			h.bytes[0] = (unsigned char)inode;
			if (at >= 0 && open_by_handle_at(at, &h.head, O_RDONLY) >= 0)
				return note(r, ESCAPED, "inode %u of %s", inode, mounts[i]);
		}
	return judge(r, false, "open_by_handle_at");
}

enum outcome device_node(const struct scene *s, struct report *r)
{
	static const char *const dirs[] = { ".", "/tmp", "/dev", "/dev/shm" };
	char path[SCENE_PATH];
	int error = 0;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s.disk", dirs[i], s->mark);
		if (mknod(path, S_IFBLK | 0600, (dev_t)s->device) < 0) {
			error = errno;
			continue;
		}
		bool is_open = open(path, O_RDONLY) >= 0;
		error = errno;
		unlink(path);
		if (is_open)
			return note(r, ESCAPED, "%s opens", path);
	}
	errno = error;
	return judge(r, false, "mknod");
}

enum outcome disk_devices(const struct scene *s, struct report *r)
{
	static const char *const paths[] = { "/dev/mem",     "/dev/kmsg",  "/dev/port",
					     "/dev/vda",     "/dev/sda",   "/dev/nvme0",
					     "/dev/fuse",    "/dev/kvm",   "/dev/loop-control",
					     "/dev/net/tun", "/dev/vsock", "/dev/vhost-vsock" };
	(void)s;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (open(paths[i], O_RDONLY | O_NONBLOCK) >= 0)
			return note(r, ESCAPED, "%s opens", paths[i]);
	return judge(r, false, "open");
}

enum outcome mount_new(const struct scene *s, struct report *r)
{
	static const char *const covers[] = { "/", "/usr", "/lib", "/proc", "/dev", "/tmp", "." };
	mkdir("m", 0700);
	if (mount("tmpfs", "m", "tmpfs", 0, NULL) == 0 ||
	    mount("proc", "m", "proc", 0, NULL) == 0 ||
	    mount(s->canary, "m", NULL, BIND_REC, NULL) == 0)
		return note(r, ESCAPED, "something is mounted");
	for (size_t i = 0; i < sizeof(covers) / sizeof(covers[0]); i++)
		if (mount(NULL, covers[i], NULL, REMOUNT_RW_BIND, NULL) == 0 ||
		    mount(NULL, covers[i], NULL, 32, NULL) == 0)
			return note(r, ESCAPED, "%s is remounted", covers[i]);
	return judge(r, false, "mount");
}

enum outcome mount_by_descriptor(const struct scene *s, struct report *r)
{
	(void)s;
	if (syscall(SYS_fsopen, "tmpfs", 0U) >= 0)
		return note(r, ESCAPED, "fsopen works");
	if (syscall(SYS_open_tree, AT_FDCWD, "/", 1U /* clone */ | 0x8000U) >= 0)
		return note(r, ESCAPED, "open_tree clones");
	return judge(r, syscall(SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "/proc", 0U) == 0,
		     "move_mount");
}

enum outcome unmount(const struct scene *s, struct report *r)
{
	static const char *const covers[] = { "/proc", "/usr", "/dev", "/tmp", "/lib", "/" };
	(void)s;
	for (size_t i = 0; i < sizeof(covers) / sizeof(covers[0]); i++)
		if (umount2(covers[i], DETACH) == 0)
			return note(r, ESCAPED, "%s is unmounted", covers[i]);
	return judge(r, false, "umount");
}

enum outcome chroot_out(const struct scene *s, struct report *r)
{
	int kept = open("/", O_RDONLY | O_DIRECTORY);
	mkdir("c", 0700);
	if (chroot("c") < 0 && chroot(".") < 0)
		return judge(r, false, "chroot");
	if (kept >= 0 && fchdir(kept) == 0)
		for (int i = 0; i < 64; i++)
			if (chdir("..") < 0)
				break;
	if (chroot(".") < 0)
		return judge(r, false, "second chroot");
	return judge(r, path_has_token(s, s->secret), "open after it");
}

enum outcome pivot_out(const struct scene *s, struct report *r)
{
	(void)s;
	return judge(r, syscall(SYS_pivot_root, ".", ".") == 0, "pivot_root");
}

/* In a child: what it makes ends with it. */
enum outcome user_namespace(const struct scene *s, struct report *r)
{
	(void)s;
	pid_t pid =
		(pid_t)syscall(SYS_clone, CLONE_NEWUSER | 17 /* SIGCHLD */, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(0);
	if (pid > 0) {
		waitpid(pid, NULL, 0);
		return note(r, ESCAPED, "clone makes one");
	}
	return judge(r, unshare(CLONE_NEWUSER) == 0, "unshare");
}

enum outcome user_namespace_mount(const struct scene *s, struct report *r)
{
	static const char *const covers[] = { "/proc", "/usr", "/dev", "/tmp", "/lib", "/" };
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return judge(r, false, "unshare");
	for (size_t i = 0; i < sizeof(covers) / sizeof(covers[0]); i++)
		umount2(covers[i], DETACH);
	if (path_has_token(s, s->secret))
		return note(r, ESCAPED, "what was covered shows");
	mount(NULL, "/usr", NULL, REMOUNT_RW_BIND, NULL);
	return judge(r, open("/usr/bin/env", O_WRONLY | O_APPEND) >= 0, "write to /usr");
}

enum outcome join_namespace(const struct scene *s, struct report *r)
{
	static const char *const kinds[] = { "user", "mnt", "net", "pid", "ipc", "uts" };
	char path[64];
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (int pid = 0; pid < 3; pid++) {
			snprintf(path, sizeof(path), "/proc/%d/ns/%s", pid ? pid : s->victim,
				 kinds[i]);
			int fd = open(path, O_RDONLY);
			if (fd >= 0 && setns(fd, 0) == 0)
				return note(r, ESCAPED, "%s is joined", path);
		}
	int fd = (int)syscall(SYS_pidfd_open, s->victim, 0U);
	return judge(r, fd >= 0 && setns(fd, CLONE_NEWNET | CLONE_NEWNS) == 0, "setns");
}

/* An agent and a program in the jail have descriptors 0 to 2, the jail's one more. */
enum outcome kept_descriptors(const struct scene *s, struct report *r)
{
	/* Beside the lines and the shared memory a device process has files of Python's. */
	int own = s->place == PLACE_JAIL ? 3 : s->place == PLACE_DEVICE ? 9 : 2;
	for (int fd = 0; fd < 4096; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			continue;
		if (fd > own)
			return note(r, ESCAPED, "descriptor %d is open", fd);
		if (fd != own && openat(fd, s->secret + 1, O_RDONLY) >= 0)
			return note(r, ESCAPED, "descriptor %d leads outside", fd);
	}
	return note(r, HELD, "none above %d", own);
}
