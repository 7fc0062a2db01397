#include "sys/agent_filter.h"

/* Plain BPF, written out: one comparison a row of agent_denied.def, then the calls of which only
 * some arguments are denied. clone3 hides its flags behind a pointer that a filter can not follow,
 * so it does not exist here, and libc falls back to clone. The 32-bit half of a flag is enough:
 * those that matter are in it. */

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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
	MAX_STEPS = 160,
	X32_BIT = 0x40000000, /* calls of the x32 interface, which has other numbers for the same */
	ANY_NEW_NS = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
		     CLONE_NEWUTS | CLONE_NEWCGROUP,
	TIOC_LINUX = 0x541C,
	ASK_PERSONALITY = -1,
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

static void by_ioctl(struct filter_text *t)
{
	static const uint32_t requests[] = { TIOCSTI, TIOC_LINUX };
	add(t, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, (uint8_t)(2 + 2 * ARRAY_LEN(requests)));
	load(t, offsetof(struct seccomp_data, args) + 8);
	for (size_t i = 0; i < ARRAY_LEN(requests); i++)
		if_call(t, (int)requests[i], fails_with(EPERM));
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

static void write_filter(struct filter_text *t)
{
	/* Internet sockets may be made even in a box without network: they lead nowhere, and who
	 * tries hears that and not a puzzle. */
	static const uint32_t families[] = { AF_UNIX, AF_INET, AF_INET6 };
	static const uint32_t personalities[] = { 0, (uint32_t)ASK_PERSONALITY };
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
	by_ioctl(t);
	by_argument(t, SYS_socket, 0, families, ARRAY_LEN(families));
	by_argument(t, SYS_personality, 0, personalities, ARRAY_LEN(personalities));
	answer(t, SECCOMP_RET_ALLOW);
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
