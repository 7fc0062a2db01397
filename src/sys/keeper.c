#include "sys/keeper.h"

/* Everything below is found by the parents that /proc tells, again and again until there is no
 * child left: a process whose parent was killed becomes ours only then. Memory of the process that
 * was forked is all there is here, so nothing is freed and nothing is open. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define FIRST_WAIT_NS NS_PER_MS
#define LONGEST_WAIT_NS (50 * NS_PER_MS)

enum { STAT_BYTES = 512 };

struct keeper {
	pid_t parent;
	pid_t first;
	int status; /* of `first` */
	bool has_ended;
};

/* "PID (name) S PPID ...": a name may hold what it likes, so it is the last ")" that ends it. */
static pid_t parent_of(const char *pid)
{
	char text[STAT_BYTES];
	AUTO_FREE char *path = xasprintf("/proc/%s/stat", pid);
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return 0;
	text[len] = 0;
	const char *end = strrchr(text, ')');
	return end && strlen(end) > 4 ? (pid_t)strtol(end + 4, NULL, 10) : 0;
}

static void kill_children(void)
{
	pid_t me = getpid();
	DIR *dir = opendir("/proc");
	for (struct dirent *d = dir ? readdir(dir) : NULL; d; d = readdir(dir))
		if (isdigit((unsigned char)d->d_name[0]) && parent_of(d->d_name) == me)
			kill((pid_t)strtol(d->d_name, NULL, 10), SIGKILL);
	if (dir)
		closedir(dir);
}

/* One that ended; 0: none yet, -1: there is no child any more. */
static pid_t reap_one(struct keeper *k)
{
	int status = 0;
	pid_t pid = waitpid(-1, &status, WNOHANG);
	if (pid == k->first) {
		k->status = status;
		k->has_ended = true;
	}
	return pid;
}

static void end_all(struct keeper *k)
{
	uint64_t wait_ns = FIRST_WAIT_NS;
	for (;;) {
		pid_t pid = reap_one(k);
		if (pid < 0 && errno == ECHILD)
			return;
		if (pid)
			continue;
		kill_children();
		clock_sleep_ns(wait_ns);
		wait_ns = wait_ns < LONGEST_WAIT_NS ? 2 * wait_ns : LONGEST_WAIT_NS;
	}
}

static _Noreturn void end_alike(int status)
{
	const struct rlimit no_core = { 0, 0 };
	sigset_t none;
	if (WIFSIGNALED(status)) {
		setrlimit(RLIMIT_CORE, &no_core);
		sigemptyset(&none);
		signal(WTERMSIG(status), SIG_DFL);
		sigprocmask(SIG_SETMASK, &none, NULL);
		raise(WTERMSIG(status));
	}
	_exit(WEXITSTATUS(status));
}

static _Noreturn void keep(struct keeper *k)
{
	sigset_t all;
	sigfillset(&all);
	prctl(PR_SET_NAME, "forge-keeper", 0, 0, 0);
	syscall(SYS_close_range, 0U, ~0U, 0U);
	while (!k->has_ended) {
		siginfo_t info = { 0 };
		sigwaitinfo(&all, &info);
		while (reap_one(k) > 0)
			;
		/* Signals for the group are the child's to answer. */
		if (info.si_signo == KEEPER_END || getppid() != k->parent)
			break;
	}
	end_all(k);
	end_alike(k->status);
}

int keeper_put(pid_t parent)
{
	struct keeper k = { .parent = parent };
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_PDEATHSIG, SIGHUP, 0, 0, 0) < 0)
		return -1;
	if (getppid() != parent)
		_exit(127);
	k.first = fork();
	if (k.first > 0)
		keep(&k);
	return k.first;
}
