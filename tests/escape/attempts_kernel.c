/* Privilege, and doors of the kernel that few programs use. */
#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/fsuid.h>
#include <sys/klog.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum outcome no_new_privileges(const struct scene *s, struct report *r)
{
	(void)s;
	int on = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	return note(r, on == 1 ? HELD : ESCAPED, "no_new_privs is %d", on);
}

static bool is_setuid(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && (st.st_mode & S_ISUID);
}

/* While the program waits for its input, /proc tells as whom it runs. */
static bool runs_as_other(const char *path)
{
	char status[64];
	char text[2048] = "";
	int in[2];
	unsigned real = 0;
	unsigned effective = 0;
	if (pipe(in) < 0)
		return false;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(in[0], 0);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	usleep(20000);
	snprintf(status, sizeof(status), "/proc/%d/status", (int)pid);
	int fd = open(status, O_RDONLY);
	bool is_read = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0;
	char *line = is_read ? strstr(text, "\nUid:") : NULL;
	if (fd >= 0)
		close(fd);
	close(in[0]);
	close(in[1]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return line && sscanf(line, "\nUid: %u %u", &real, &effective) == 2 && real != effective;
}

enum outcome setuid_helper(const struct scene *s, struct report *r)
{
	static const char *const paths[] = {
		"/usr/bin/su",   "/usr/bin/passwd", "/usr/bin/newgrp",
		"/usr/bin/chsh", "/usr/bin/sudo",   "/usr/bin/gpasswd"
	};
	unsigned nr = 0;
	(void)s;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (!is_setuid(paths[i]))
			continue;
		nr++;
		if (runs_as_other(paths[i]))
			return note(r, ESCAPED, "%s runs as another", paths[i]);
	}
	return note(r, HELD, "%u programs tried", nr);
}

/* setfsuid tells the user before; only asking again shows whether it worked. */
static bool setfsuid_is(unsigned id)
{
	setfsuid(id);
	return (unsigned)setfsuid(id) == id;
}

enum outcome become_other(const struct scene *s, struct report *r)
{
	static const gid_t none[] = { 0, 4, 6 };
	unsigned self = (unsigned)getuid();
	(void)s;
	for (unsigned id = 0; id < 3; id++) {
		unsigned other = id == 0 ? 0 : id == 1 ? 1000 : 1;
		if (other == self)
			continue;
		if (setresuid(other, other, other) == 0 || seteuid(other) == 0)
			return note(r, ESCAPED, "user %u", other);
		if (setfsuid_is(other))
			return note(r, ESCAPED, "file user %u", other);
	}
	return judge(r, setgroups(3, none) == 0, "setgroups");
}

enum outcome capabilities(const struct scene *s, struct report *r)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	(void)s;
	if (syscall(SYS_capget, &head, data) < 0)
		return judge(r, false, "capget");
	if (data[0].effective | data[0].permitted | data[1].effective | data[1].permitted)
		return note(r, ESCAPED, "holds %x %x", data[1].permitted, data[0].permitted);
	memset(data, 0xff, sizeof(data));
	return judge(r, syscall(SYS_capset, &head, data) == 0, "capset");
}

enum outcome raise_limits(const struct scene *s, struct report *r)
{
	struct rlimit l;
	(void)s;
	if (getrlimit(RLIMIT_CORE, &l) == 0 && l.rlim_max != 0)
		return note(r, ESCAPED, "a core of %lu bytes may be written",
			    (unsigned long)l.rlim_max);
	for (int i = 0; i < 16; i++) {
		if (getrlimit((__rlimit_resource_t)i, &l) < 0 || l.rlim_max == RLIM_INFINITY)
			continue;
		l.rlim_max += 1;
		if (setrlimit((__rlimit_resource_t)i, &l) == 0)
			return note(r, ESCAPED, "limit %d rises", i);
	}
	return judge(r, false, "setrlimit");
}

/* What forge itself sets: for agents, and for the runner's pool. */
enum outcome environment(const struct scene *s, struct report *r)
{
	/* Those of a device process are named in tests/escape/device.c. */
	static const char *const known[] = { "PATH=",
					     "LC_ALL=",
					     "LC_CTYPE=C.UTF-8",
					     "PWD=",
					     "OMP_",
					     "GOMP_",
					     "HOME=/tmp/forge-escape-box-",
					     "PYTHONPATH=",
					     "FAKE_GPU_LOG=",
					     "FORGE_GPU_SHARED_BYTES=" };
	char text[8192];
	for (char **e = environ; e && *e; e++) {
		bool is_known = false;
		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			is_known |= strncmp(*e, known[i], strlen(known[i])) == 0;
		if (!is_known || has_token(s, *e, strlen(*e)))
			return note(r, ESCAPED, "%.40s", *e);
	}
	if (s->place == PLACE_KERNEL)
		return note(r, HELD, "empty");
	int fd = open("/proc/self/environ", O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	return note(r, n > 0 && has_token(s, text, (size_t)n) ? ESCAPED : HELD, "nothing else");
}

enum outcome io_uring(const struct scene *s, struct report *r)
{
	char params[120] = { 0 };
	(void)s;
	return judge(r, syscall(SYS_io_uring_setup, 1, params) >= 0, "io_uring_setup");
}

enum outcome userfault(const struct scene *s, struct report *r)
{
	(void)s;
	return judge(r, syscall(SYS_userfaultfd, 1 /* user mode only */) >= 0, "userfaultfd");
}

enum outcome bpf_map(const struct scene *s, struct report *r)
{
	union bpf_attr a;
	(void)s;
	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_ARRAY;
	a.key_size = 4;
	a.value_size = 4;
	a.max_entries = 1;
	return judge(r, syscall(SYS_bpf, BPF_MAP_CREATE, &a, sizeof(a)) >= 0, "bpf");
}

enum outcome perf_counters(const struct scene *s, struct report *r)
{
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
				     .size = sizeof(a),
				     .config = PERF_COUNT_SW_TASK_CLOCK,
				     .exclude_kernel = 1,
				     .exclude_hv = 1 };
	(void)s;
	return judge(r, syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) >= 0, "perf_event_open");
}

enum outcome memory_program(const struct scene *s, struct report *r)
{
	(void)s;
	return judge(r, syscall(SYS_memfd_create, "p", 0U) >= 0, "memfd_create");
}

enum outcome personality_change(const struct scene *s, struct report *r)
{
	(void)s;
	return judge(r, personality(READ_IMPLIES_EXEC) >= 0, "personality");
}

enum outcome push_input(const struct scene *s, struct report *r)
{
	static const char *const paths[] = { "/dev/tty", "/dev/ptmx", "/dev/console", "/dev/tty0",
					     "/dev/pts/0" };
	char c = '\n';
	(void)s;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]) + 3; i++) {
		int fd = i < 3 ? (int)i : open(paths[i - 3], O_RDWR | O_NOCTTY);
		if (fd >= 0 && ioctl(fd, TIOCSTI, &c) == 0)
			return note(r, ESCAPED, "terminal %zu", i);
		int error = errno;
		if (fd > 2)
			close(fd);
		errno = error;
	}
	return judge(r, false, "TIOCSTI");
}

/* Sets what it read a moment before. */
enum outcome set_clock(const struct scene *s, struct report *r)
{
	struct timespec now;
	struct timeval then;
	struct timex tune = { .modes = ADJ_TICK };
	(void)s;
	clock_gettime(CLOCK_REALTIME, &now);
	if (clock_settime(CLOCK_REALTIME, &now) == 0)
		return note(r, ESCAPED, "clock_settime");
	gettimeofday(&then, NULL);
	if (settimeofday(&then, NULL) == 0)
		return note(r, ESCAPED, "settimeofday");
	tune.tick = 10000;
	return judge(r, adjtimex(&tune) >= 0, "adjtimex");
}

enum outcome ports(const struct scene *s, struct report *r)
{
	(void)s;
#if defined(__x86_64__)
	if (iopl(3) == 0)
		return note(r, ESCAPED, "iopl");
	return judge(r, ioperm(0x80, 1, 1) == 0, "ioperm");
#else
	return note(r, CANNOT, "this processor has no ports");
#endif
}

enum outcome kernel_log(const struct scene *s, struct report *r)
{
	char text[256];
	(void)s;
	return judge(r, klogctl(3, text, sizeof(text)) >= 0, "syslog");
}

/* With rights these would fail by their arguments, without by EPERM or at the filter. */
enum outcome load_module(const struct scene *s, struct report *r)
{
	static const struct {
		const char *name;
		long nr;
		long a;
	} calls[] = { { "init_module", SYS_init_module, 0 },
		      { "finit_module", SYS_finit_module, -1 },
		      { "kexec_load", SYS_kexec_load, 0 },
		      { "swapon", SYS_swapon, 0 } };
	(void)s;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (syscall(calls[i].nr, calls[i].a, 0L, 0L, 0x40000000L) == 0 ||
		    (errno != EPERM && errno != ENOSYS))
			return note(r, ESCAPED, "%s: %s", calls[i].name, strerror(errno));
	return judge(r, false, "init_module");
}

enum outcome host_name(const struct scene *s, struct report *r)
{
	char name[65] = "x";
	(void)s;
	gethostname(name, sizeof(name) - 1);
	return judge(r, sethostname(name, strlen(name)) == 0, "sethostname");
}
