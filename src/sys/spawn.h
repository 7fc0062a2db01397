/*
 * Fork, prepare, exec: the part that proc_run and struct child share. Internal to src/sys.
 */
#ifndef FORGE_SYS_SPAWN_H
#define FORGE_SYS_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct proc_result;
struct proc_spec;

/* A running child; the ends of its pipes are ours, non-blocking, -1 when there is none. */
struct spawn {
	pid_t pid;    /* also its process group; 0: reaped */
	bool is_kept; /* `pid` is its keeper */
	int pidfd;    /* -1: this kernel has none, poll by time */
	int in;
	int out;
	int err;
	uint64_t start_ns;
	char *memory_cgroup; /* folder, NULL: none */
	char *pids_cgroup;
};

#define SPAWN_INIT                                                                                 \
	{                                                                                          \
		.pidfd = -1, .in = -1, .out = -1, .err = -1                                        \
	}

/* What the caller wants besides the spec. */
struct spawn_wish {
	bool stdin_pipe; /* else /dev/null */
	int stderr_fd;   /* -1: a pipe */
};

int spawn_start(struct spawn *s, const struct proc_spec *spec, struct spawn_wish wish,
		struct err *e);
/* Is the leader dead? Does not reap. */
bool spawn_is_over(const struct spawn *s);
/* SIGKILL (or another signal) to the whole group. */
void spawn_signal(const struct spawn *s, int signal);
/* Kill what is left of the group, reap the leader, fill exit_code, signal and seconds. */
void spawn_reap(struct spawn *s, struct proc_result *r);
/* Close pipes and pidfd. */
void spawn_close(struct spawn *s);
/* Write without being killed by SIGPIPE; as write(2). */
ssize_t spawn_write(int fd, const void *bytes, size_t len);

#endif
