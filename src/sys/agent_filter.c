#include "sys/agent_filter.h"

/* Plain BPF, written out: one comparison a row of agent_denied.def, then the calls of which only
 * some arguments are denied. clone3 hides its flags behind a pointer that a filter can not follow,
 * so it does not exist here, and libc falls back to clone. The 32-bit half of a flag is enough:
 * those that matter are in it. */

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#else
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

enum {
	MAX_STEPS = 320,
	X32_BIT = 0x40000000, /* calls of the x32 interface, which has other numbers for the same */
	ANY_NEW_NS = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
		     CLONE_NEWUTS | CLONE_NEWCGROUP,
	TIOC_LINUX = 0x541C,
	ASK_PERSONALITY = -1,
	FILE_OWNER = 0x8901, /* FIOSETOWN, SIOCSPGRP: whom a descriptor signals */
	SOCKET_OWNER = 0x8902,
	CHMOD_BY_FLAGS = 452, /* fchmodat2, younger than some headers */
};

/* What an agent has in namespaces of its own, and a device process has not; and what Landlock does
 * not see: an owner may change the attributes of what may only be read, and before its version 3
 * cut it off by name. */
static const int denied_to_devices[] = {
#define DENIED(call) SYS_##call,
#include "sys/device_denied.def"
#undef DENIED
};
#if defined(__x86_64__)
/* Younger machines have only the forms that take a folder. */
static const int denied_old[] = { SYS_chmod, SYS_chown,  SYS_lchown,
				  SYS_utime, SYS_utimes, SYS_futimesat };
#endif
/* Calls that name a process, and by which argument. */
static const struct {
	int call;
	unsigned index;
} about_processes[] = {
	{ SYS_kill, 0 },
	{ SYS_tgkill, 0 },
	{ SYS_prlimit64, 0 },
	{ SYS_sched_setaffinity, 0 },
	{ SYS_sched_setscheduler, 0 },
	{ SYS_sched_setparam, 0 },
	{ SYS_sched_setattr, 0 },
	{ SYS_setpriority, 1 },
	{ SYS_ioprio_set, 1 },
};

struct filter_text {
	struct sock_filter steps[MAX_STEPS];
	size_t nr;
};

static const int denied[] = {
#define DENIED(call) SYS_##call,
#include "sys/agent_denied.def"
#undef DENIED
};

static void add(struct filter_text *t, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
	if (t->nr >= MAX_STEPS)
		BUG("the agents' filter is longer than its room");
	t->steps[t->nr++] = (struct sock_filter){ .code = code, .jt = yes, .jf = no, .k = k };
}

static void load(struct filter_text *t, size_t offset)
{
	add(t, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct filter_text *t, uint32_t action)
{
	add(t, BPF_RET | BPF_K, action, 0, 0);
}

static uint32_t fails_with(int error)
{
	return SECCOMP_RET_ERRNO | ((uint32_t)error & SECCOMP_RET_DATA);
}

/* With a call's number loaded: this call gives `action`. */
static void if_call(struct filter_text *t, int call, uint32_t action)
{
	add(t, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
	answer(t, action);
}

/* The call's argument must be one of these. */
static void by_argument(struct filter_text *t, int call, unsigned index, const uint32_t *values,
			size_t nr)
{
	/* Over the load, a comparison and an answer a value, and the last answer. */
	add(t, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, (uint8_t)(2 + 2 * nr));
	load(t, offsetof(struct seccomp_data, args) + 8 * index);
	for (size_t i = 0; i < nr; i++) {
		add(t, BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1);
		answer(t, SECCOMP_RET_ALLOW);
	}
	answer(t, fails_with(call == SYS_socket ? EAFNOSUPPORT : EPERM));
}

/* The call's argument must be none of these. */
static void not_by_argument(struct filter_text *t, int call, unsigned index, const uint32_t *values,
			    size_t nr)
{
	add(t, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, (uint8_t)(2 + 2 * nr));
	load(t, offsetof(struct seccomp_data, args) + 8 * index);
	for (size_t i = 0; i < nr; i++)
		if_call(t, (int)values[i], fails_with(EPERM));
	answer(t, SECCOMP_RET_ALLOW);
}

static void by_clone_flags(struct filter_text *t)
{
	add(t, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
	load(t, offsetof(struct seccomp_data, args));
	add(t, BPF_JMP | BPF_JSET | BPF_K, ANY_NEW_NS, 0, 1);
	answer(t, fails_with(EPERM));
	answer(t, SECCOMP_RET_ALLOW);
}

static void write_start(struct filter_text *t)
{
	load(t, offsetof(struct seccomp_data, arch));
	add(t, BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
	answer(t, SECCOMP_RET_KILL_PROCESS);
	load(t, offsetof(struct seccomp_data, nr));
	add(t, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
	answer(t, fails_with(ENOSYS));
	for (size_t i = 0; i < ARRAY_LEN(denied); i++)
		if_call(t, denied[i], fails_with(EPERM));
#if defined(__x86_64__)
	if_call(t, SYS_ioperm, fails_with(EPERM));
	if_call(t, SYS_iopl, fails_with(EPERM));
#endif
	if_call(t, SYS_clone3, fails_with(ENOSYS));
	by_clone_flags(t);
}

static void write_end(struct filter_text *t)
{
	static const uint32_t personalities[] = { 0, (uint32_t)ASK_PERSONALITY };
	by_argument(t, SYS_personality, 0, personalities, ARRAY_LEN(personalities));
	answer(t, SECCOMP_RET_ALLOW);
}

static void write_filter(struct filter_text *t)
{
	/* Internet sockets may be made even in a box without network: they lead nowhere, and who
	 * tries hears that and not a puzzle. */
	static const uint32_t families[] = { AF_UNIX, AF_INET, AF_INET6 };
	static const uint32_t requests[] = { TIOCSTI, TIOC_LINUX };
	write_start(t);
	not_by_argument(t, SYS_ioctl, 1, requests, ARRAY_LEN(requests));
	by_argument(t, SYS_socket, 0, families, ARRAY_LEN(families));
	write_end(t);
}

/* Children of the process keep its number in their filter: they may signal it, and nobody else. */
static void write_device_filter(struct filter_text *t, pid_t self)
{
	static const uint32_t requests[] = { TIOCSTI, TIOC_LINUX, FILE_OWNER, SOCKET_OWNER };
	static const uint32_t commands[] = { F_SETOWN, F_SETOWN_EX, F_SETSIG };
	static const uint32_t families[] = { AF_UNIX };
	const uint32_t oneself[] = { 0, (uint32_t)self };
	write_start(t);
#if defined(__x86_64__)
	for (size_t i = 0; i < ARRAY_LEN(denied_old); i++)
		if_call(t, denied_old[i], fails_with(EPERM));
#endif
	if_call(t, CHMOD_BY_FLAGS, fails_with(EPERM));
	for (size_t i = 0; i < ARRAY_LEN(denied_to_devices); i++)
		if_call(t, denied_to_devices[i], fails_with(EPERM));
	for (size_t i = 0; i < ARRAY_LEN(about_processes); i++)
		by_argument(t, about_processes[i].call, about_processes[i].index, oneself,
			    ARRAY_LEN(oneself));
	not_by_argument(t, SYS_ioctl, 1, requests, ARRAY_LEN(requests));
	not_by_argument(t, SYS_fcntl, 1, commands, ARRAY_LEN(commands));
	by_argument(t, SYS_socket, 0, families, ARRAY_LEN(families));
	write_end(t);
}

int agent_filter_enter_device(void)
{
	struct filter_text t = { .nr = 0 };
	write_device_filter(&t, getpid());
	const struct sock_fprog program = { .len = (unsigned short)t.nr, .filter = t.steps };
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0UL, 0UL);
}

int agent_filter_open(struct err *e)
{
	struct filter_text t = { .nr = 0 };
	AUTO_CLOSE int fd = memfd_create("agent-filter", MFD_CLOEXEC);
	write_filter(&t);
	size_t len = t.nr * sizeof(t.steps[0]);
	if (fd < 0 || write(fd, t.steps, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET) != 0)
		return err_errno(e, ERR_SYSTEM, "write the filter of agents");
	return take_fd(&fd);
}
