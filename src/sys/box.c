#include "sys/box.h"

/*
 * Of /proc only its own folder and facts of the machine: whatever it starts can not read its own
 * there, which no compiler misses. Landlock keeps it from the memory, environment and descriptors
 * of processes outside by itself. The folder of a process is a rule by its inode, which the kernel
 * may forget when memory is short; then the process can not read its own folder any more.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/agent_filter.h"
#include "sys/landlock.h"
#include "sys/sandbox.h"

enum { LAST_CAPABILITY = 63, MAX_PROCESSES = 1024 };
#define MAX_FILE_BYTES ((rlim_t)16 << 30)

static const char *const system_paths[] = {
	"/usr",
	"/bin",
	"/sbin",
	"/lib",
	"/lib32",
	"/lib64",
	"/libx32",
	"/opt",
	"/nix/store",
	"/gnu/store",
	"/sys",
	/* of /etc what libraries and Python look at, and nothing that is a user's or a key */
	"/etc/alternatives",
	"/etc/debian_version",
	"/etc/group",
	"/etc/host.conf",
	"/etc/hosts",
	"/etc/ld.so.cache",
	"/etc/ld.so.conf",
	"/etc/ld.so.conf.d",
	"/etc/localtime",
	"/etc/lsb-release",
	"/etc/mime.types",
	"/etc/nsswitch.conf",
	"/etc/nvidia",
	"/etc/os-release",
	"/etc/passwd",
	"/etc/ssl/openssl.cnf",
	"/etc/timezone",
	/* of /proc itself and facts of the machine */
	"/proc/self",
	"/proc/bus",
	"/proc/cgroups",
	"/proc/cpuinfo",
	"/proc/devices",
	"/proc/driver",
	"/proc/filesystems",
	"/proc/interrupts",
	"/proc/loadavg",
	"/proc/meminfo",
	"/proc/misc",
	"/proc/modules",
	"/proc/stat",
	"/proc/sys",
	"/proc/uptime",
	"/proc/version",
	"/proc/vmstat",
	"/proc/zoneinfo",
};

static const char *const system_devices[] = {
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
};

/* The NVIDIA driver gives its threads their names there, and gives up where it can not. */
static const char own_threads[] = "/proc/self/task";

void box_add_system(struct box *b)
{
	for (size_t i = 0; i < ARRAY_LEN(system_paths); i++)
		strv_add(&b->read, system_paths[i]);
	for (size_t i = 0; i < ARRAY_LEN(system_devices); i++)
		strv_add(&b->devices, system_devices[i]);
}

void box_add_nvidia(struct box *b)
{
	DIR *dir = opendir("/dev");
	for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir))
		if (str_starts(d->d_name, "nvidia"))
			strv_addf(&b->devices, "/dev/%s", d->d_name);
	if (dir)
		closedir(dir);
}

void box_release(struct box *b)
{
	strv_release(&b->read);
	strv_release(&b->devices);
	free(b->scratch);
	*b = (struct box){ 0 };
}

void box_lacks(struct sandbox_lacks *out)
{
	uint32_t action = SECCOMP_RET_ERRNO;
	*out = (struct sandbox_lacks){ 0 };
	AUTO_CLOSE int ruleset = landlock_new();
	if (ruleset < 0)
		sandbox_lack_add(out, SANDBOX_landlock, errno);
	if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0UL, &action) < 0)
		sandbox_lack_add(out, SANDBOX_seccomp, errno);
}

/* The child's part: nothing here may allocate. */

static void write_line(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	/* A map that can not be written leaves nobody, who owns the same files as before. */
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		errno = 0;
	if (fd >= 0)
		close(fd);
}

static void map_oneself(uid_t uid, gid_t gid)
{
	char line[64];
	write_line("/proc/self/setgroups", "deny");
	snprintf(line, sizeof(line), "%u %u 1", uid, uid);
	write_line("/proc/self/uid_map", line);
	snprintf(line, sizeof(line), "%u %u 1", gid, gid);
	write_line("/proc/self/gid_map", line);
}

/* A second wall: the filter lets nobody make a socket or use a key. In a user namespace the number
 * of processes is its own. */
static void leave_network(void)
{
	const struct rlimit processes = { MAX_PROCESSES, MAX_PROCESSES };
	const uid_t uid = geteuid();
	const gid_t gid = getegid();
	if (unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0)
		return;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) < 0)
		return;
	map_oneself(uid, gid);
	setrlimit(RLIMIT_NPROC, &processes);
}

static int drop_privileges(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[2] = { { .effective = 0 } };
	const struct rlimit core = { 0 };
	const struct rlimit file = { MAX_FILE_BYTES, MAX_FILE_BYTES };
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	for (unsigned long c = 0; c <= LAST_CAPABILITY; c++)
		if (prctl(PR_CAPBSET_DROP, c, 0UL, 0UL, 0UL) < 0)
			break;
	prctl(PR_CAP_AMBIENT, (unsigned long)PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL);
	if (syscall(SYS_capset, &head, none) < 0 || setrlimit(RLIMIT_CORE, &core) < 0)
		return -1;
	setrlimit(RLIMIT_FSIZE, &file); /* unless it is lower already */
	return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

typedef int (*allow_fn)(int ruleset, const char *path);

static int allow_all(int ruleset, const struct strv *paths, allow_fn allow)
{
	for (size_t i = 0; i < paths->nr; i++)
		if (allow(ruleset, paths->items[i]) < 0 && errno != ENOENT && errno != ENOTDIR &&
		    errno != EACCES)
			return -1;
	return 0;
}

static int close_files(const struct box *b)
{
	if (b->is_open)
		return 0;
	int ruleset = landlock_new();
	if (ruleset < 0)
		return b->is_weak ? 0 : -1;
	if (allow_all(ruleset, &b->read, landlock_allow_reading) < 0 ||
	    allow_all(ruleset, &b->devices, landlock_allow_device) < 0)
		return -1;
	if (landlock_allow_writing(ruleset, own_threads) < 0)
		return -1;
	if (b->scratch && landlock_allow_writing(ruleset, b->scratch) < 0)
		return -1;
	return landlock_enter(ruleset);
}

int box_enter(const struct box *b)
{
	leave_network();
	if (drop_privileges() < 0 || close_files(b) < 0)
		return -1;
	return agent_filter_enter_device();
}
