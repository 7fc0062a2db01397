#include "runner/filter.h"

/* Notes for whoever edits a table. A stage can only take away what the earlier one left, so stage
 * one allows a superset of stage two and the call that installs stage two. All threads exist by
 * now, hence no clone at all, and TSYNC puts the filter on every one of them. Some calls pretend to
 * work, so that what follows gets the blame: pthread_create first sets up a signal of glibc's own
 * and, like abort, blocks all signals, but SIGSYS must reach its handler; and glibc prints to
 * stderr before it aborts, but a broken heap is a crash, not an attempt to write. */

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <linux/seccomp.h>

#include "runner/faults.h"
#include "sys/doorbell.h"

enum { PRCTL_SET_MDWE = 65, MAX_CONDITIONS = 3, SIGNAL_OF_GLIBC = 33 };

struct rule {
	int call;
	uint32_t action;
	unsigned nr;
	struct scmp_arg_cmp when[MAX_CONDITIONS];
};

#define ALLOW(name)                                                                                \
	{                                                                                          \
		.call = SCMP_SYS(name), .action = SCMP_ACT_ALLOW                                   \
	}
#define EQUAL(i, value)                                                                            \
	{                                                                                          \
		.arg = (i), .op = SCMP_CMP_EQ, .datum_a = (scmp_datum_t)(value)                    \
	}
/* None of these bits is set. */
#define LACKS(i, bits)                                                                             \
	{                                                                                          \
		.arg = (i), .op = SCMP_CMP_MASKED_EQ, .datum_a = (scmp_datum_t)(bits)              \
	}

static const struct rule common_rules[] = {
	ALLOW(futex),
	ALLOW(exit),
	ALLOW(exit_group),
	ALLOW(sched_yield),
	ALLOW(sched_getaffinity), /* omp_get_num_procs */
	ALLOW(brk),
	ALLOW(munmap),
	/* As realloc does it; never over what is there. */
	{ SCMP_SYS(mremap), SCMP_ACT_ALLOW, 1, { LACKS(3, MREMAP_FIXED | MREMAP_DONTUNMAP) } },
	/* As free does it, on the caller's own page table. Other advice reaches the file behind a
	 * shared mapping: removed or paged out, it costs the next side a fault a page. */
	{ SCMP_SYS(madvise), SCMP_ACT_ALLOW, 1, { EQUAL(2, MADV_DONTNEED) } },
	ALLOW(getpid),
	ALLOW(gettid),
	ALLOW(restart_syscall),
	{ SCMP_SYS(rt_sigprocmask), SCMP_ACT_ERRNO(0), 0, { { 0 } } },
	{ SCMP_SYS(rt_sigaction), SCMP_ACT_ERRNO(0), 1, { EQUAL(0, SIGNAL_OF_GLIBC) } },
	{ SCMP_SYS(tgkill), SCMP_ACT_ALLOW, 1, { EQUAL(2, SIGABRT) } },
	{ SCMP_SYS(write), SCMP_ACT_ERRNO(EBADF), 1, { EQUAL(0, 2) } },
	{ SCMP_SYS(writev), SCMP_ACT_ERRNO(EBADF), 1, { EQUAL(0, 2) } },
};

static const struct rule loading_rules[] = {
	{ SCMP_SYS(openat),
	  SCMP_ACT_ALLOW,
	  1,
	  { LACKS(2, O_ACCMODE | O_CREAT | O_TRUNC | O_DIRECTORY) } },
	ALLOW(read),
	ALLOW(pread64),
	ALLOW(close),
	ALLOW(fstat),
	ALLOW(newfstatat),
	ALLOW(mmap),
	ALLOW(mprotect),
	{ SCMP_SYS(seccomp), SCMP_ACT_ALLOW, 1, { EQUAL(0, SECCOMP_SET_MODE_FILTER) } },
	{ SCMP_SYS(prctl), SCMP_ACT_ALLOW, 1, { EQUAL(0, PRCTL_SET_MDWE) } },
};

/* Private, anonymous memory that is never executable; nothing mapped over what is there. The file
 * argument is -1, which some callers pass as 32 bits and some as 64. */
static const struct rule running_rules[] = {
	{ SCMP_SYS(mmap),
	  SCMP_ACT_ALLOW,
	  3,
	  { LACKS(2, PROT_EXEC), LACKS(3, MAP_FIXED | MAP_SHARED), EQUAL(4, 0xffffffff) } },
	{ SCMP_SYS(mmap),
	  SCMP_ACT_ALLOW,
	  3,
	  { LACKS(2, PROT_EXEC), LACKS(3, MAP_FIXED | MAP_SHARED), EQUAL(4, UINT64_MAX) } },
	{ SCMP_SYS(mprotect), SCMP_ACT_ALLOW, 1, { LACKS(2, PROT_EXEC) } },
};

static bool add_rules(scmp_filter_ctx c, const struct rule *rules, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct rule *r = &rules[i];
		if (seccomp_rule_add_array(c, r->action, r->call, r->nr, r->when) < 0)
			return false;
	}
	return true;
}

static scmp_filter_ctx new_stage(const struct rule *rules, size_t nr)
{
	scmp_filter_ctx c = seccomp_init(SCMP_ACT_TRAP);
	if (!c)
		return NULL;
	/* The launcher set no_new_privs; a second prctl would meet stage one. */
	bool ok = seccomp_attr_set(c, SCMP_FLTATR_CTL_NNP, 0) == 0 &&
		  seccomp_attr_set(c, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
		  seccomp_attr_set(c, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
		  add_rules(c, common_rules, sizeof(common_rules) / sizeof(common_rules[0])) &&
		  add_rules(c, rules, nr);
	if (ok)
		return c;
	seccomp_release(c);
	return NULL;
}

void filter_make(struct filter *f, struct doorbell_reply *reply)
{
	f->loading = new_stage(loading_rules, sizeof(loading_rules) / sizeof(loading_rules[0]));
	f->running = new_stage(running_rules, sizeof(running_rules) / sizeof(running_rules[0]));
	if (!f->loading || !f->running)
		faults_give_up(reply, END_SETUP, "the filter could not be built");
}

int filter_enter_loading(struct filter *f)
{
	return -seccomp_load(f->loading);
}

int filter_enter_running(struct filter *f)
{
	/* From Linux 6.3 on: no page turns executable any more. Older kernels refuse, and the
	 * filter says the same. */
	prctl(PRCTL_SET_MDWE, 1UL, 0UL, 0UL, 0UL);
	return -seccomp_load(f->running);
}
