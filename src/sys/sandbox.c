#include "sys/sandbox.h"

/* The parent's half: plan the jail, clone, write the identity maps, join the cgroups, let the child
 * go and read its reports until exec closes them. Isolation is tried from strong to weak; what an
 * attempt had to do without is recorded. The probe of `forge doctor` is this same launcher. */

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/cgroup.h"
#include "sys/jail.h"
#include "sys/libraries.h"
#include "sys/priority.h"

/* Strong to weak. The masks say which mechanisms an attempt does without. */
struct attempt {
	uint64_t flags;
	bool needs_root;
	unsigned lacks;
};

#define CORE_NS (CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET)
#define OTHER_NS (CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP)
#define BIT(mechanism) (1U << SANDBOX_##mechanism)
#define ALL_NS_BITS (BIT(user_ns) | BIT(mount_ns) | BIT(pid_ns) | BIT(net_ns) | BIT(other_ns))

static const struct attempt attempts[] = {
	{ .flags = CLONE_NEWUSER | CORE_NS | OTHER_NS },
	{ .flags = CLONE_NEWUSER | CORE_NS, .lacks = BIT(other_ns) },
	{ .flags = CORE_NS | OTHER_NS, .needs_root = true, .lacks = BIT(user_ns) },
	{ .flags = CORE_NS, .needs_root = true, .lacks = BIT(user_ns) | BIT(other_ns) },
	{ .lacks = ALL_NS_BITS },
};

static bool attempt_is_weak(const struct attempt *a)
{
	for (unsigned m = 0; m < SANDBOX_NR_MECHANISMS; m++)
		if ((a->lacks >> m & 1) &&
		    sandbox_mechanism_is_essential((enum sandbox_mechanism)m))
			return true;
	return false;
}

/* Everything prepared for a start that the attempts share. */
struct plan {
	struct arena arena;
	const struct sandbox_spec *spec;
	struct jail_bind *binds;
	size_t nr_binds;
	struct strv dirs;
	int program_fd;
	int object_fd;
	int null_fd;
	const char *argv[3];
};

static void plan_release(struct plan *p)
{
	int fds[] = { p->program_fd, p->object_fd, p->null_fd };
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	strv_release(&p->dirs);
	arena_release(&p->arena);
}

/* A copy in memory that everybody may read and execute, for a file that nobody may not. */
static int copy_to_memory(int fd, struct err *e)
{
	AUTO_CLOSE int copy = memfd_create("program", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (copy < 0 || fchmod(copy, 0755) < 0)
		return err_errno(e, ERR_SYSTEM, "make a memory file");
	off_t from = 0;
	ssize_t n = 0;
	do
		n = sendfile(copy, fd, &from, 1 << 30);
	while (n > 0);
	if (n < 0 || fcntl(copy, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		return err_errno(e, ERR_SYSTEM, "copy a program to memory");
	return take_fd(&copy);
}

/* A descriptor through which nobody, too, has these rights (mode bits of "others"). */
static int open_public(const char *path, mode_t rights, struct err *e)
{
	struct stat st = { 0 };
	AUTO_CLOSE int fd = file_open(path, e);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0)
		return err_errno(e, ERR_SYSTEM, "stat %s", path);
	if ((st.st_mode & rights) == rights)
		return take_fd(&fd);
	AUTO_CLOSE int copy = copy_to_memory(fd, e);
	if (copy < 0)
		return -1;
	/* Executing needs a descriptor without write access behind it. */
	AUTO_FREE char *name = xasprintf("/proc/self/fd/%d", copy);
	int reopened = open(name, O_RDONLY | O_CLOEXEC);
	return reopened < 0 ? err_errno(e, ERR_SYSTEM, "reopen %s", name) : reopened;
}

static int open_files(struct plan *p, struct err *e)
{
	p->program_fd = open_public(p->spec->program_path, S_IROTH | S_IXOTH, e);
	if (p->program_fd < 0)
		return -1;
	p->object_fd = open_public(p->spec->object_path, S_IROTH, e);
	if (p->object_fd < 0)
		return -1;
	p->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return p->null_fd < 0 ? err_errno(e, ERR_SYSTEM, "open /dev/null") : 0;
}

/* "a/b/c" needs the folders "a" and "a/b". */
static void add_folders_of(struct plan *p, const char *target)
{
	for (const char *slash = strchr(target, '/'); slash; slash = strchr(slash + 1, '/')) {
		AUTO_FREE char *dir = xstrndup(target, (size_t)(slash - target));
		if (!strv_has(&p->dirs, dir))
			strv_add(&p->dirs, dir);
	}
}

static void plan_root(struct plan *p)
{
	AUTO_STRV struct strv files = { 0 };
	libraries_list(&files);
	p->binds = arena_array(&p->arena, files.nr, sizeof(*p->binds));
	for (size_t i = 0; i < files.nr; i++) {
		const char *path = arena_strdup(&p->arena, files.items[i]);
		p->binds[p->nr_binds++] = (struct jail_bind){ .source = path, .target = path + 1 };
		add_folders_of(p, path + 1);
	}
}

static int plan_make(struct plan *p, const struct sandbox_spec *spec, struct err *e)
{
	*p = (struct plan){ .spec = spec, .program_fd = -1, .object_fd = -1, .null_fd = -1 };
	if (open_files(p, e) < 0)
		return -1;
	plan_root(p);
	return 0;
}

/* clone3, or clone where a container's filter hides the newer call. */
static pid_t clone_child(uint64_t flags, int *pidfd)
{
	struct clone_args args = {
		.flags = flags | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)pidfd,
		.exit_signal = SIGCHLD,
	};
	long pid = syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0 && errno == ENOSYS)
		pid = syscall(SYS_clone, (unsigned long)(flags | CLONE_PIDFD | SIGCHLD), NULL,
			      pidfd, NULL, 0UL);
	return (pid_t)pid;
}

static int write_proc(pid_t pid, const char *name, const char *text)
{
	AUTO_FREE char *path = xasprintf("/proc/%ld/%s", (long)pid, name);
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	return write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

static int write_map(pid_t pid, const char *name, unsigned outside)
{
	AUTO_FREE char *line = xasprintf("%d %u 1", JAIL_NOBODY, outside);
	return write_proc(pid, name, line);
}

/* Root maps nobody; if it may not (a container without CAP_SETUID), and for ordinary users, the
 * only user that can be mapped is oneself. */
static int write_identity(pid_t pid)
{
	bool is_root = geteuid() == 0;
	if (!is_root)
		write_proc(pid, "setgroups", "deny");
	if (is_root && write_map(pid, "gid_map", JAIL_NOBODY) == 0 &&
	    write_map(pid, "uid_map", JAIL_NOBODY) == 0)
		return 0;
	if (is_root)
		write_proc(pid, "setgroups", "deny");
	if (write_map(pid, "gid_map", getegid()) < 0 && errno != EPERM)
		return -1;
	return write_map(pid, "uid_map", geteuid());
}

static void join_group(struct sandbox *s, char **group, enum sandbox_mechanism m)
{
	if (!*group || cgroup_join(*group, s->pid) == 0)
		return;
	sandbox_lack_add(&s->lacks, m, errno);
	cgroup_remove(group);
}

static int read_report(int fd, struct jail_report *r)
{
	for (;;) {
		ssize_t n = read(fd, r, sizeof(*r));
		if (n < 0 && errno == EINTR)
			continue;
		return n == (ssize_t)sizeof(*r);
	}
}

/* Read what the child says until exec ends it. The fatal report, if any, is in `fatal`. */
static bool await_exec(struct sandbox *s, int fd, struct jail_report *fatal)
{
	struct jail_report r = { 0 };
	while (read_report(fd, &r)) {
		if (r.is_fatal) {
			*fatal = r;
			return false;
		}
		if (r.what < SANDBOX_NR_MECHANISMS)
			sandbox_lack_add(&s->lacks, (enum sandbox_mechanism)r.what, r.error);
	}
	return true;
}

static void close_pair(int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(take_fd(&ends[i]));
}

static pid_t clone_into(struct jail *j, const struct attempt *a, int *pidfd)
{
	sigset_t all;
	sigset_t old;
	/* No handler of ours may run in the child; it unblocks signals itself. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	pid_t pid = clone_child(a->flags, pidfd);
	if (pid == 0)
		jail_enter(j);
	int error = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return pid;
}

/* Let the cloned child go and see it through to exec. */
static bool guide(struct sandbox *s, struct jail *j, struct jail_report *fatal)
{
	close(take_fd(&j->go[0]));
	close(take_fd(&j->report[1]));
	*fatal = (struct jail_report){ .is_fatal = 1, .what = JAIL_IDENTITY };
	if (j->has_user_ns && write_identity(s->pid) < 0) {
		fatal->error = errno;
		return false;
	}
	if (write(j->go[1], "g", 1) != 1)
		return false;
	/* Moving a process between cgroups may wait 10 ms for the kernel's own bookkeeping; the
	 * child goes on meanwhile. It is trusted until its caller lets it load something. */
	join_group(s, &s->memory_cgroup, SANDBOX_memory_cgroup);
	join_group(s, &s->pids_cgroup, SANDBOX_pids_cgroup);
	return await_exec(s, j->report[0], fatal);
}

static bool try_start(struct sandbox *s, struct jail *j, const struct attempt *a,
		      struct jail_report *fatal)
{
	*fatal = (struct jail_report){ .is_fatal = 1, .what = JAIL_WAIT };
	s->pid = clone_into(j, a, &s->pidfd);
	if (s->pid < 0) {
		fatal->error = errno;
		s->pid = 0;
		s->pidfd = -1;
		return false;
	}
	if (guide(s, j, fatal))
		return true;
	syscall(SYS_pidfd_send_signal, s->pidfd, SIGKILL, NULL, 0U);
	waitpid(s->pid, NULL, 0);
	close(take_fd(&s->pidfd));
	s->pid = 0;
	return false;
}

static const char *const no_env[] = { NULL };

/* One attempt, start to end. */
static bool attempt_run(struct sandbox *s, struct plan *p, const struct attempt *a,
			struct jail_report *fatal)
{
	bool has_root = (a->flags & CLONE_NEWNS) != 0;
	AUTO_FREE char *object = has_root ? xstrdup("/" JAIL_OBJECT_NAME)
					  : xasprintf("/proc/self/fd/%zu", 3 + p->spec->nr_fds);
	p->argv[0] = "forge-runner";
	p->argv[1] = object;
	struct jail j = {
		.spec = p->spec,
		.has_user_ns = (a->flags & CLONE_NEWUSER) != 0,
		.has_root = has_root,
		.drops_user = geteuid() == 0,
		.go = { -1, -1 },
		.report = { -1, -1 },
		.null_fd = p->null_fd,
		.program_fd = p->program_fd,
		.object_fd = p->object_fd,
		.dirs = p->dirs,
		.binds = p->binds,
		.nr_binds = p->nr_binds,
		.argv = p->argv,
		.env = p->spec->env ? p->spec->env : no_env,
	};
	*fatal = (struct jail_report){ .is_fatal = 1, .what = JAIL_FILES, .error = EMFILE };
	bool ok = pipe2(j.go, O_CLOEXEC) == 0 && pipe2(j.report, O_CLOEXEC) == 0 &&
		  try_start(s, &j, a, fatal);
	close_pair(j.go);
	close_pair(j.report);
	return ok;
}

static void note_lacks(struct sandbox_lacks *l, unsigned bits, int error)
{
	for (unsigned m = 0; m < SANDBOX_NR_MECHANISMS; m++)
		if (bits >> m & 1)
			sandbox_lack_add(l, (enum sandbox_mechanism)m, error);
}

static int say_failure(const struct jail_report *f, const struct sandbox_spec *spec, bool is_weak,
		       struct err *e)
{
	errno = f->error;
	if (is_weak)
		return err_errno(e, ERR_SYSTEM, "sandbox: this machine gives us no namespaces (%s)",
				 jail_step_text((enum jail_step)f->what));
	return err_errno(e, ERR_SYSTEM, "start %s in its sandbox: %s", spec->program_path,
			 jail_step_text((enum jail_step)f->what));
}

static int run_attempts(struct sandbox *s, struct plan *p, struct err *e)
{
	struct jail_report first = { 0 };
	struct jail_report fatal = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(attempts); i++) {
		const struct attempt *a = &attempts[i];
		if (a->needs_root && geteuid() != 0)
			continue;
		if (attempt_is_weak(a) && !p->spec->accept_weak)
			return say_failure(&first, p->spec, true, e);
		if (attempt_run(s, p, a, &fatal)) {
			note_lacks(&s->lacks, a->lacks, first.error);
			return 0;
		}
		if (!jail_step_needs_namespaces((enum jail_step)fatal.what))
			return say_failure(&fatal, p->spec, false, e);
		if (!first.is_fatal)
			first = fatal;
	}
	return say_failure(&fatal, p->spec, false, e);
}

static void make_groups(struct sandbox *s, const struct sandbox_spec *spec)
{
	if (spec->memory_bytes) {
		s->memory_cgroup = cgroup_make("memory", spec->memory_bytes);
		if (!s->memory_cgroup)
			sandbox_lack_add(&s->lacks, SANDBOX_memory_cgroup, errno);
	}
	if (s->memory_cgroup && spec->max_tasks &&
	    cgroup_cap(s->memory_cgroup, "pids", spec->max_tasks) == 0)
		return;
	if (spec->max_tasks) {
		s->pids_cgroup = cgroup_make("pids", spec->max_tasks);
		if (!s->pids_cgroup)
			sandbox_lack_add(&s->lacks, SANDBOX_pids_cgroup, errno);
	}
}

int sandbox_start(struct sandbox *s, const struct sandbox_spec *spec, struct err *e)
{
	__attribute__((cleanup(plan_release))) struct plan p;
	*s = (struct sandbox){ .pidfd = -1 };
	if (plan_make(&p, spec, e) < 0)
		return -1;
	make_groups(s, spec);
	if (run_attempts(s, &p, e) == 0)
		return 0;
	sandbox_stop(s, NULL);
	return -1;
}

bool sandbox_hit_memory(const struct sandbox *s)
{
	return s->memory_cgroup && cgroup_hit_memory(s->memory_cgroup);
}

void sandbox_stop(struct sandbox *s, int *status)
{
	if (s->pid > 0) {
		if (priority_is_raised())
			priority_set_own(PRIORITY_ORDINARY);
		/* The program is process 1 of its namespace: with it all others die. */
		syscall(SYS_pidfd_send_signal, s->pidfd, SIGKILL, NULL, 0U);
		while (waitpid(s->pid, status, 0) < 0 && errno == EINTR)
			;
		close(take_fd(&s->pidfd));
	}
	s->pid = 0;
	cgroup_remove(&s->memory_cgroup);
	cgroup_remove(&s->pids_cgroup);
}
