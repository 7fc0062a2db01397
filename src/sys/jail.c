#include "sys/jail.h"

/* Order is everything here. Identity comes before mounts: files on a tmpfs can not be made by a
 * user that the user namespace does not map. Descriptors of program and object were opened by the
 * parent with its own rights, so they need not be reachable by nobody; the object is copied (mounts
 * of another namespace can not be bound by descriptor). Death-with-parent comes last, because
 * changing the user clears it, and is followed by a look whether the parent is still there. */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/cpu.h"
#include "sys/landlock.h"
#include "sys/sandbox.h"

enum {
	HIGH_FD = 200, /* above any descriptor of the program */
	FIRST_FD = 3,
	STACK_BYTES = 8 << 20,
	LAST_CAPABILITY = 63,
	OLD_CLOSE_MAX = 1024,
	CLOEXEC_RANGE = 4, /* CLOSE_RANGE_CLOEXEC */
};

struct step_row {
	const char *text;
	bool needs_namespaces;
};
static const struct step_row step_rows[] = {
#define STEP(name, needs_namespaces, text) { text, needs_namespaces },
#include "sys/jail_steps.def"
#undef STEP
};

const char *jail_step_text(enum jail_step step)
{
	return step_rows[step].text;
}

bool jail_step_needs_namespaces(enum jail_step step)
{
	return step_rows[step].needs_namespaces;
}

static void report(const struct jail *j, bool is_fatal, uint32_t what, int error)
{
	struct jail_report r = { .is_fatal = is_fatal, .what = what, .error = error };
	if (write(j->report[1], &r, sizeof(r)) < 0)
		_exit(126);
}

static int step_wait(struct jail *j)
{
	char byte = 0;
	sigset_t none;
	close(j->go[1]);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid(); /* a terminal's signals are for the worker */
	umask(0);
	if (read(j->go[0], &byte, 1) != 1)
		_exit(126);
	return 0;
}

static int become_nobody(void)
{
	if (setresgid(JAIL_NOBODY, JAIL_NOBODY, JAIL_NOBODY) < 0)
		return -1;
	return setresuid(JAIL_NOBODY, JAIL_NOBODY, JAIL_NOBODY);
}

static int step_identity(struct jail *j)
{
	if (!j->has_user_ns)
		return 0;
	/* Ordinary users, and root in some containers, may not. Their other groups then remain,
	 * which matters little: no file outside the new root can be named. */
	if (setgroups(0, NULL) < 0 && errno != EPERM)
		return -1;
	return become_nobody();
}

static int step_private(struct jail *j)
{
	return j->has_root ? mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) : 0;
}

static int step_root(struct jail *j)
{
	static const char at[] = "/tmp"; /* any folder: in our namespace only */
	if (!j->has_root)
		return 0;
	if (mount("tmpfs", at, "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,mode=755") < 0)
		return -1;
	return chdir(at);
}

static int step_folders(struct jail *j)
{
	for (size_t i = 0; j->has_root && i < j->dirs.nr; i++)
		if (mkdir(j->dirs.items[i], 0755) < 0 && errno != EEXIST)
			return -1;
	return 0;
}

static int make_file(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
}

static int bind_file(const struct jail_bind *b)
{
	int fd = make_file(b->target);
	if (fd < 0)
		return -1;
	close(fd);
	if (mount(b->source, b->target, NULL, MS_BIND, NULL) < 0)
		return -1;
	return mount(NULL, b->target, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV,
		     NULL);
}

static int step_libraries(struct jail *j)
{
	for (size_t i = 0; j->has_root && i < j->nr_binds; i++)
		if (bind_file(&j->binds[i]) < 0)
			return -1;
	return 0;
}

static int step_object(struct jail *j)
{
	if (!j->has_root)
		return 0;
	int fd = make_file(JAIL_OBJECT_NAME);
	if (fd < 0)
		return -1;
	off_t from = 0;
	ssize_t n = 0;
	do
		n = sendfile(fd, j->object_fd, &from, 1 << 30);
	while (n > 0);
	close(fd);
	return n < 0 ? -1 : 0;
}

static int step_pivot(struct jail *j)
{
	if (!j->has_root)
		return 0;
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return -1;
	return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV,
		     NULL);
}

static int step_user(struct jail *j)
{
	if (j->has_user_ns || !j->drops_user)
		return 0;
	return setgroups(0, NULL) < 0 ? -1 : become_nobody();
}

/* Move all descriptors out of the way of the numbers that are about to be given. */
static int lift(int *fd)
{
	*fd = fcntl(*fd, F_DUPFD_CLOEXEC, HIGH_FD);
	return *fd < 0 ? -1 : 0;
}

static void close_at_exec(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0U, CLOEXEC_RANGE) == 0)
		return;
	for (int fd = (int)first; fd < OLD_CLOSE_MAX; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static int place(const struct jail *j)
{
	const struct sandbox_spec *s = j->spec;
	int first = FIRST_FD + (int)s->nr_fds;
	for (int i = 0; i < FIRST_FD; i++)
		if (dup2(j->null_fd, i) < 0)
			return -1;
	/* Without a root of its own the program opens the object as /proc/self/fd/N. */
	if (!j->has_root && dup2(j->object_fd, first++) < 0)
		return -1;
	close_at_exec((unsigned)first);
	return 0;
}

static int step_files(struct jail *j)
{
	const struct sandbox_spec *s = j->spec;
	int high[HIGH_FD - FIRST_FD];
	if (s->nr_fds >= ARRAY_LEN(high)) {
		errno = EMFILE;
		return -1;
	}
	if (lift(&j->go[0]) < 0 || lift(&j->report[1]) < 0 || lift(&j->null_fd) < 0 ||
	    lift(&j->program_fd) < 0 || lift(&j->object_fd) < 0)
		return -1;
	for (size_t i = 0; i < s->nr_fds; i++) {
		high[i] = s->fds[i];
		if (lift(&high[i]) < 0)
			return -1;
	}
	for (size_t i = 0; i < s->nr_fds; i++)
		if (dup2(high[i], FIRST_FD + (int)i) < 0)
			return -1;
	return place(j);
}

static int step_limits(struct jail *j)
{
	const struct rlimit core = { 0 };
	const struct rlimit stack = { .rlim_cur = STACK_BYTES, .rlim_max = STACK_BYTES };
	const struct cpu_list *cpus = j->spec->cpus;
	cpu_set_t set;
	CPU_ZERO(&set);
	for (unsigned i = 0; cpus && i < cpus->nr; i++)
		CPU_SET(cpus->ids[i], &set);
	if (cpus && sched_setaffinity(0, sizeof(set), &set) < 0)
		report(j, false, SANDBOX_affinity, errno);
	if (setrlimit(RLIMIT_STACK, &stack) < 0)
		return -1;
	return setrlimit(RLIMIT_CORE, &core);
}

static int step_privileges(struct jail *j)
{
	(void)j;
	/* Keys are in no namespace. Where this fails there are none. */
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	/* Fails at the first number that this kernel does not have, or where nothing may be
	 * dropped. */
	for (unsigned long c = 0; c <= LAST_CAPABILITY; c++)
		if (prctl(PR_CAPBSET_DROP, c, 0UL, 0UL, 0UL) < 0)
			break;
	return prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL);
}

static int allow_files(const struct jail *j, int ruleset)
{
	if (landlock_allow_file(ruleset, j->program_fd) < 0)
		return -1;
	if (j->has_root)
		return landlock_allow_tree(ruleset, "/");
	for (size_t i = 0; i < j->nr_binds; i++)
		if (landlock_allow_path(ruleset, j->binds[i].source) < 0)
			return -1;
	return landlock_allow_file(ruleset, j->object_fd);
}

static int step_landlock(struct jail *j)
{
	int ruleset = landlock_new();
	if (ruleset < 0 || allow_files(j, ruleset) < 0 || landlock_enter(ruleset) < 0)
		report(j, false, SANDBOX_landlock, errno);
	return 0;
}

static int step_parent(struct jail *j)
{
	struct pollfd go = { .fd = j->go[0] };
	if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL) < 0)
		return -1;
	poll(&go, 1, 0);
	if (go.revents & POLLHUP)
		_exit(126);
	return 0;
}

static int step_exec(struct jail *j)
{
	/* execveat takes non-const for historical reasons and does not write. */
	union {
		const char *const *in;
		char *const *out;
	} argv = { .in = j->argv }, env = { .in = j->env };
	return (int)syscall(SYS_execveat, j->program_fd, "", argv.out, env.out, AT_EMPTY_PATH);
}

_Noreturn void jail_enter(struct jail *j)
{
	static int (*const steps[JAIL_NR_STEPS])(struct jail *) = {
		[JAIL_WAIT] = step_wait,         [JAIL_IDENTITY] = step_identity,
		[JAIL_PRIVATE] = step_private,   [JAIL_ROOT] = step_root,
		[JAIL_FOLDERS] = step_folders,   [JAIL_LIBRARIES] = step_libraries,
		[JAIL_OBJECT] = step_object,     [JAIL_PIVOT] = step_pivot,
		[JAIL_USER] = step_user,         [JAIL_FILES] = step_files,
		[JAIL_LIMITS] = step_limits,     [JAIL_PRIVILEGES] = step_privileges,
		[JAIL_LANDLOCK] = step_landlock, [JAIL_PARENT] = step_parent,
		[JAIL_EXEC] = step_exec,
	};
	for (uint32_t i = 0; i < JAIL_NR_STEPS; i++) {
		if (steps[i](j) < 0) {
			report(j, true, i, errno);
			break;
		}
	}
	_exit(126);
}
