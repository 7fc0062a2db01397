/* Other processes: what can be seen of them, done to them, sent to them, left behind. No signal is
 * sent that would kill: should the sandbox fail, the machine must not suffer. */
#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOW_PIDS = 200, HARMLESS = SIGURG };

static pid_t candidate(const struct scene *s, int i)
{
	return i ? (pid_t)i : (pid_t)s->victim;
}

enum outcome proc_others(const struct scene *s, struct report *r)
{
	static const char *const files[] = { "environ", "cmdline", "maps", "auxv" };
	char path[64];
	char text[8192];
	for (int i = 0; i < LOW_PIDS; i++)
		for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
			snprintf(path, sizeof(path), "/proc/%d/%s", (int)candidate(s, i), files[f]);
			int fd = open(path, O_RDONLY);
			ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
			if (fd >= 0)
				close(fd);
			if (n > 0 && has_token(s, text, (size_t)n))
				return note(r, ESCAPED, "%s tells", path);
		}
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)s->victim);
	int fd = open(path, O_RDONLY);
	return judge(r,
		     fd >= 0 && pread(fd, text, TOKEN_LEN, (off_t)s->victim_address) > 0 &&
			     has_token(s, text, TOKEN_LEN),
		     "open /proc/PID");
}

enum outcome proc_settings(const struct scene *s, struct report *r)
{
	static const char *const paths[] = {
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe",
		"/proc/sysrq-trigger",           "/proc/sys/vm/overcommit_memory",
		"/proc/sys/net/ipv4/ip_forward", "/proc/irq/0/smp_affinity",
		"/sys/kernel/uevent_helper",     "/sys/fs/cgroup/cgroup.procs",
		"/sys/fs/cgroup/memory/tasks",   "/sys/fs/cgroup/pids/tasks",
		"/proc/1/oom_score_adj.x",       "/proc/acpi/wakeup"
	};
	(void)s;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (open(paths[i], O_WRONLY) >= 0)
			return note(r, ESCAPED, "%s opens", paths[i]);
	return judge(r, false, "open for writing");
}

enum outcome ptrace_others(const struct scene *s, struct report *r)
{
	if (ptrace(PTRACE_SEIZE, s->victim, 0, 0) == 0) {
		ptrace(PTRACE_DETACH, s->victim, 0, 0);
		return note(r, ESCAPED, "attached");
	}
	return judge(r, false, "ptrace");
}

enum outcome read_others(const struct scene *s, struct report *r)
{
	char text[TOKEN_LEN] = "";
	struct iovec here = { .iov_base = text, .iov_len = sizeof(text) };
	struct iovec there = { .iov_base = (void *)(uintptr_t)s->victim_address,
			       .iov_len = sizeof(text) };
	for (int i = 0; i < LOW_PIDS; i++)
		if (process_vm_readv(candidate(s, i), &here, 1, &there, 1, 0) > 0 &&
		    has_token(s, text, sizeof(text)) && candidate(s, i) != getpid())
			return note(r, ESCAPED, "read from %d", (int)candidate(s, i));
	return judge(r, false, "process_vm_readv");
}

enum outcome write_others(const struct scene *s, struct report *r)
{
	char text[TOKEN_LEN];
	memcpy(text, s->token, sizeof(text)); /* what is there already */
	struct iovec here = { .iov_base = text, .iov_len = sizeof(text) };
	struct iovec there = { .iov_base = (void *)(uintptr_t)s->victim_address,
			       .iov_len = sizeof(text) };
	return judge(r, process_vm_writev(s->victim, &here, 1, &there, 1, 0) > 0,
		     "process_vm_writev");
}

enum outcome steal_descriptor(const struct scene *s, struct report *r)
{
	int fd = (int)syscall(SYS_pidfd_open, s->victim, 0U);
	int stolen = fd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, fd, s->victim_fd, 0U);
	return judge(r, file_has_token(s, stolen), "pidfd_getfd");
}

enum outcome signal_others(const struct scene *s, struct report *r)
{
	siginfo_t info = { .si_signo = HARMLESS, .si_code = SI_QUEUE };
	bool is_sent = kill(s->victim, HARMLESS) == 0;
	kill(-s->victim, HARMLESS);
	kill(-1, HARMLESS);
	kill(0, 0);
	syscall(SYS_tkill, s->victim, HARMLESS);
	syscall(SYS_tgkill, s->victim, s->victim, HARMLESS);
	syscall(SYS_rt_sigqueueinfo, s->victim, HARMLESS, &info);
	int fd = (int)syscall(SYS_pidfd_open, s->victim, 0U);
	if (fd >= 0)
		syscall(SYS_pidfd_send_signal, fd, HARMLESS, NULL, 0U);
	return note(r, HELD, is_sent ? "some process of that number got one" : "kill: %s",
		    strerror(errno));
}

enum outcome signal_by_owner(const struct scene *s, struct report *r)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return judge(r, false, "socketpair");
	struct f_owner_ex owner = { .type = F_OWNER_PID, .pid = s->victim };
	int by_pid = fcntl(ends[0], F_SETOWN, s->victim);
	fcntl(ends[0], F_SETSIG, HARMLESS);
	fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK);
	if (write(ends[1], "x", 1) < 0)
		return judge(r, false, "write");
	fcntl(ends[0], F_SETOWN_EX, &owner);
	fcntl(ends[0], F_SETOWN, -s->victim);
	if (write(ends[1], "x", 1) < 0)
		return judge(r, false, "write");
	return note(r, HELD, "F_SETOWN: %s", by_pid < 0 ? strerror(errno) : "accepted");
}

/* The check looks for processes that bear our name. */
enum outcome outlive(const struct scene *s, struct report *r)
{
	(void)s;
	pid_t pid = fork();
	if (pid < 0)
		return judge(r, false, "fork");
	if (pid) {
		waitpid(pid, NULL, 0);
		return note(r, HELD, "left one behind");
	}
	setsid();
	prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	if (fork() == 0) {
		for (int fd = 0; fd < 64; fd++)
			close(fd);
		for (int i = 0; i < 600; i++)
			sleep(1);
	}
	_exit(0);
}

enum outcome limit_others(const struct scene *s, struct report *r)
{
	struct rlimit l = { 0 };
	return judge(r, prlimit(s->victim, RLIMIT_NOFILE, NULL, &l) == 0, "prlimit");
}

enum outcome priority(const struct scene *s, struct report *r)
{
	const struct sched_param p = { .sched_priority = 1 };
	(void)s;
	if (sched_setscheduler(0, SCHED_FIFO, &p) == 0)
		return note(r, ESCAPED, "SCHED_FIFO");
	return judge(r, setpriority(PRIO_PROCESS, 0, -20) == 0, "setpriority");
}

/* Without a sandbox all cores are allowed, so there the move works. */
enum outcome other_core(const struct scene *s, struct report *r)
{
	cpu_set_t set;
	for (int cpu = 0; cpu < 64; cpu++) {
		if (s->nr_cpus && (uint32_t)cpu == s->cpus[0])
			continue;
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) == 0)
			return note(r, ESCAPED, "runs on core %d", cpu);
	}
	return judge(r, false, "sched_setaffinity");
}
