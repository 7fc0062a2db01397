#include "sys/spawn.h"

/* What goes wrong between fork and exec comes back over a close-on-exec pipe as (step, errno): end
 * of file means that exec worked. The child asks for SIGKILL when we die and then looks whether we
 * already did. Between fork and exec only async-signal-safe calls are made. */

#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "sys/box.h"
#include "sys/cgroup.h"
#include "sys/keeper.h"
#include "sys/proc.h"

enum { CLOEXEC_RANGE = 4 }; /* CLOSE_RANGE_CLOEXEC, absent from older headers */

enum step {
	STEP_GROUP,
	STEP_KEEPER,
	STEP_PARENT,
	STEP_CGROUP,
	STEP_STDIO,
	STEP_FOLDER,
	STEP_LIMIT,
	STEP_BOX,
	STEP_EXEC
};

static const char *const step_names[] = {
	[STEP_GROUP] = "make a process group",
	[STEP_KEEPER] = "put a keeper before it",
	[STEP_PARENT] = "bind to the parent",
	[STEP_CGROUP] = "enter its cgroup",
	[STEP_STDIO] = "set up its pipes",
	[STEP_FOLDER] = "change folder",
	[STEP_LIMIT] = "set limits",
	[STEP_BOX] = "enter its box",
	[STEP_EXEC] = "exec",
};

struct failure {
	int step;
	int error;
};

/* Everything the child needs, prepared before fork. */
struct plan {
	const struct proc_spec *spec;
	const char *path;
	const char *const *env;
	pid_t parent;
	int stdio[3];
	int report;    /* write end of the failure pipe */
	int groups[2]; /* cgroup.procs to enter; -1: none */
};

static int enter_group(const struct plan *p)
{
	(void)p;
	return setpgid(0, 0);
}

static int put_keeper(const struct plan *p)
{
	return p->spec->is_kept ? keeper_put(p->parent) : 0;
}

/* The keeper leads the group. */
static int bind_to_parent(const struct plan *p)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return -1;
	if (getppid() != (p->spec->is_kept ? getpgrp() : p->parent))
		_exit(127);
	return 0;
}

static int pass_descriptor(const struct plan *p)
{
	int high = fcntl(p->spec->pass_fd, F_DUPFD_CLOEXEC, PROC_PASSED_FD + 1);
	return high < 0 || dup2(high, PROC_PASSED_FD) < 0 ? -1 : 0;
}

/* What this machine does not allow is told by forge doctor. */
static int enter_cgroups(const struct plan *p)
{
	for (size_t i = 0; i < ARRAY_LEN(p->groups); i++)
		if (p->groups[i] >= 0 && write(p->groups[i], "0", 1) != 1)
			continue;
	return 0;
}

static int place_stdio(const struct plan *p)
{
	/* Sources are above 2 (see lift), so no dup2 overwrites a later source. */
	for (int i = 0; i < 3; i++)
		if (dup2(p->stdio[i], i) < 0)
			return -1;
	syscall(SYS_close_range, 3U, ~0U, CLOEXEC_RANGE);
	return p->spec->pass_fd ? pass_descriptor(p) : 0;
}

static int change_folder(const struct plan *p)
{
	return p->spec->cwd ? chdir(p->spec->cwd) : 0;
}

static int set_limits(const struct plan *p)
{
	if (p->spec->has_own_keyring)
		syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	for (size_t i = 0; i < p->spec->nr_limits; i++) {
		const struct proc_limit *l = &p->spec->limits[i];
		struct rlimit r = { .rlim_cur = l->max, .rlim_max = l->max };
		if (setrlimit((__rlimit_resource_t)l->resource, &r) < 0)
			return -1;
	}
	return 0;
}

/* To change namespaces is to forget whose death is one's own. */
static int enter_box(const struct plan *p)
{
	if (!p->spec->box)
		return 0;
	return box_enter(p->spec->box) < 0 ? -1 : bind_to_parent(p);
}

static int exec_program(const struct plan *p)
{
	sigset_t none;
	sigemptyset(&none);
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* execve takes non-const for historical reasons and does not write. */
	union {
		const char *const *in;
		char *const *out;
	} argv = { .in = p->spec->argv }, env = { .in = p->env };
	return execve(p->path, argv.out, env.out);
}

static _Noreturn void run_child(const struct plan *p)
{
	static int (*const steps[])(const struct plan *) = {
		[STEP_GROUP] = enter_group,     [STEP_KEEPER] = put_keeper,
		[STEP_PARENT] = bind_to_parent, [STEP_CGROUP] = enter_cgroups,
		[STEP_STDIO] = place_stdio,     [STEP_FOLDER] = change_folder,
		[STEP_LIMIT] = set_limits,      [STEP_BOX] = enter_box,
		[STEP_EXEC] = exec_program,
	};
	for (int i = 0; i <= STEP_EXEC; i++) {
		if (steps[i](p) == 0)
			continue;
		struct failure f = { .step = i, .error = errno };
		if (write(p->report, &f, sizeof(f)) < 0)
			_exit(126);
		break;
	}
	_exit(127);
}

/* Move a descriptor above 2, so that placing stdin, stdout and stderr can not hit it. */
static int lift(int *fd)
{
	if (*fd > 2)
		return 0;
	int high = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	if (high < 0)
		return -1;
	close(*fd);
	*fd = high;
	return 0;
}

static int make_pipe(int ends[2], struct err *e)
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(e, ERR_SYSTEM, "make a pipe");
	if (lift(&ends[0]) < 0 || lift(&ends[1]) < 0)
		return err_errno(e, ERR_SYSTEM, "make a pipe");
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(take_fd(fd));
}

/* Descriptors of one start; the child's ends are closed in the parent whatever happens. */
struct wiring {
	int child[3];
	int report[2];
};

static void wiring_release(struct wiring *w)
{
	for (int i = 0; i < 3; i++)
		close_fd(&w->child[i]);
	close_fd(&w->report[0]);
	close_fd(&w->report[1]);
}

/* One stream as a pipe: our end non-blocking in `ours`, the child's end in `theirs`. */
static int wire_pipe(int *ours, int *theirs, bool child_reads, struct err *e)
{
	int ends[2] = { -1, -1 };
	int status = make_pipe(ends, e);
	*ours = ends[child_reads ? 1 : 0];
	*theirs = ends[child_reads ? 0 : 1];
	if (status < 0)
		return -1;
	if (fcntl(*ours, F_SETFL, O_NONBLOCK) < 0)
		return err_errno(e, ERR_SYSTEM, "make a pipe");
	return 0;
}

static int wire_null(int *theirs, struct err *e)
{
	*theirs = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (*theirs < 0 || lift(theirs) < 0)
		return err_errno(e, ERR_SYSTEM, "open /dev/null");
	return 0;
}

static int wire_copy(int fd, int *theirs, struct err *e)
{
	*theirs = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	return *theirs < 0 ? err_errno(e, ERR_SYSTEM, "pass on stderr") : 0;
}

/* Off the number that a passed descriptor gets. */
static int keep_clear(int *fd)
{
	if (*fd != PROC_PASSED_FD)
		return 0;
	int high = fcntl(*fd, F_DUPFD_CLOEXEC, PROC_PASSED_FD + 1);
	if (high < 0)
		return -1;
	close(*fd);
	*fd = high;
	return 0;
}

static int wire(struct wiring *w, struct spawn *s, struct spawn_wish wish, struct err *e)
{
	int in = wish.stdin_pipe ? wire_pipe(&s->in, &w->child[0], true, e)
				 : wire_null(&w->child[0], e);
	if (in < 0 || wire_pipe(&s->out, &w->child[1], false, e) < 0)
		return -1;
	int error = wish.stderr_fd < 0 ? wire_pipe(&s->err, &w->child[2], false, e)
				       : wire_copy(wish.stderr_fd, &w->child[2], e);
	if (error < 0 || make_pipe(w->report, e) < 0)
		return -1;
	return keep_clear(&w->report[1]) < 0 ? err_errno(e, ERR_SYSTEM, "make a pipe") : 0;
}

static int fork_child(struct spawn *s, struct plan *p, struct err *e)
{
	sigset_t all;
	sigset_t old;
	/* No handler of ours may run in the child before exec resets them. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	p->parent = getpid();
	pid_t pid = fork();
	if (pid == 0)
		run_child(p);
	int error = errno;
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = error;
	if (pid < 0)
		return err_errno(e, ERR_SYSTEM, "fork");
	/* The child does the same; whoever comes first, the group exists from here on. */
	setpgid(pid, pid);
	s->pid = pid;
	s->is_kept = p->spec->is_kept;
	s->pidfd = (int)syscall(SYS_pidfd_open, pid, 0U);
	return 0;
}

static int read_failure(int fd, struct failure *f)
{
	for (;;) {
		ssize_t n = read(fd, f, sizeof(*f));
		if (n < 0 && errno == EINTR)
			continue;
		return n == (ssize_t)sizeof(*f);
	}
}

/* Groups that this machine does not let us make are a lack that forge doctor tells of. */
static void make_groups(struct spawn *s, struct plan *p)
{
	const struct proc_spec *spec = p->spec;
	if (spec->memory_bytes)
		s->memory_cgroup = cgroup_make("memory", spec->memory_bytes);
	bool has_both = s->memory_cgroup && spec->max_tasks &&
			cgroup_cap(s->memory_cgroup, "pids", spec->max_tasks) == 0;
	if (spec->max_tasks && !has_both)
		s->pids_cgroup = cgroup_make("pids", spec->max_tasks);
	p->groups[0] = cgroup_open(s->memory_cgroup);
	p->groups[1] = cgroup_open(s->pids_cgroup);
}

static int await_exec(struct spawn *s, struct wiring *w, const char *name, struct err *e)
{
	struct failure f = { 0 };
	close_fd(&w->report[1]);
	if (!read_failure(w->report[0], &f))
		return 0;
	struct proc_result r = { 0 };
	spawn_reap(s, &r);
	errno = f.error;
	return err_errno(e, ERR_CHILD, "start %s: %s", name, step_names[f.step]);
}

/* exec comes after chdir: a relative path must not change its meaning there. */
static char *find_absolute(const struct proc_spec *spec)
{
	AUTO_FREE char *path = proc_find(spec->argv[0]);
	if (!path || path[0] == '/' || !spec->cwd)
		return take_ptr(&path);
	return realpath(path, NULL);
}

extern char **environ;

static int launch(struct spawn *s, struct plan *p, struct spawn_wish wish, struct err *e)
{
	__attribute__((cleanup(wiring_release))) struct wiring w = { { -1, -1, -1 }, { -1, -1 } };
	if (wire(&w, s, wish, e) < 0)
		return -1;
	memcpy(p->stdio, w.child, sizeof(p->stdio));
	p->report = w.report[1];
	s->start_ns = clock_mono_ns();
	make_groups(s, p);
	int forked = fork_child(s, p, e);
	close_fd(&p->groups[0]);
	close_fd(&p->groups[1]);
	if (forked < 0)
		return -1;
	return await_exec(s, &w, p->spec->argv[0], e);
}

int spawn_start(struct spawn *s, const struct proc_spec *spec, struct spawn_wish wish,
		struct err *e)
{
	*s = (struct spawn)SPAWN_INIT;
	AUTO_FREE char *path = find_absolute(spec);
	if (!path)
		return err_set(e, ERR_CHILD, "start %s: no such program", spec->argv[0]);
	struct plan p = {
		.spec = spec,
		.path = path,
		.env = spec->env ? spec->env : (const char *const *)environ,
		.groups = { -1, -1 },
	};
	if (launch(s, &p, wish, e) == 0)
		return 0;
	spawn_close(s);
	return -1;
}

bool spawn_is_over(const struct spawn *s)
{
	siginfo_t info = { 0 };
	if (!s->pid)
		return true;
	/* WNOWAIT: the zombie keeps its process group's number from being given to others. */
	if (waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return errno == ECHILD;
	return info.si_pid == s->pid;
}

void spawn_signal(const struct spawn *s, int signal)
{
	if (s->pid)
		kill(-s->pid, signal);
}

/* It ends what is below it, and then itself; a zombie is left of it until it is reaped. */
static void end_keeper(const struct spawn *s)
{
	siginfo_t info = { 0 };
	kill(s->pid, KEEPER_END);
	while (waitid(P_PID, (id_t)s->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
}

void spawn_reap(struct spawn *s, struct proc_result *r)
{
	int status = 0;
	if (!s->pid)
		return;
	if (s->is_kept)
		end_keeper(s);
	spawn_signal(s, SIGKILL);
	while (waitpid(s->pid, &status, 0) < 0 && errno == EINTR)
		;
	s->pid = 0;
	r->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->seconds = (double)(clock_mono_ns() - s->start_ns) / (double)NS_PER_S;
}

void spawn_close(struct spawn *s)
{
	close_fd(&s->in);
	close_fd(&s->out);
	close_fd(&s->err);
	close_fd(&s->pidfd);
	cgroup_remove(&s->memory_cgroup);
	cgroup_remove(&s->pids_cgroup);
}

ssize_t spawn_write(int fd, const void *bytes, size_t len)
{
	sigset_t pipe_only;
	sigset_t old;
	sigset_t pending;
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &old);
	ssize_t n = write(fd, bytes, len);
	int error = errno;
	if (n < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
		sigtimedwait(&pipe_only, NULL, &(struct timespec){ 0 });
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = error;
	return n;
}
