/*
 * Child processes. `proc_run` runs one to its end and captures what it says; `struct child` is a
 * long-lived one that speaks lines on stdin and stdout (agents, workers). Every child has its own
 * process group, which dies as a whole; it dies with us too, even by kill -9 (PDEATHSIG). No shell
 * is ever involved. That a program failed is an answer (exit_code, signal); only a child that
 * could not be started at all is an err. All durations are nanoseconds from now; 0 means none.
 */
#ifndef FORGE_SYS_PROC_H
#define FORGE_SYS_PROC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct box;
struct err;

/* A limit set in the child before exec: RLIMIT_* and its value (soft and hard). */
struct proc_limit {
	int resource;
	uint64_t max;
};

struct proc_spec {
	const char *const *argv;         /* NULL-terminated; argv[0] is looked up on PATH */
	const char *const *env;          /* NULL-terminated "K=V" list; NULL: inherit ours */
	const char *cwd;                 /* NULL: ours */
	const char *stdin_text;          /* proc_run: fed to the child; NULL: /dev/null */
	size_t stdin_len;                /* 0: strlen(stdin_text) */
	uint64_t deadline_ns;            /* proc_run: the group is killed after this time */
	size_t max_output;               /* bytes kept of each stream; 0: PROC_OUTPUT_BYTES */
	const struct proc_limit *limits; /* or NULL */
	size_t nr_limits;
	/* For the child and all its descendants, by cgroup where the machine has one for us
	 * (forge doctor); 0: none. */
	size_t memory_bytes;
	unsigned max_tasks;
	int pass_fd;          /* becomes descriptor PROC_PASSED_FD in the child; 0: none */
	bool has_own_keyring; /* a new session keyring: ours stays out of its reach */
	/* What its own children leave behind dies with it and with us, too (sys/keeper.h). */
	bool is_kept;
	const struct box *box; /* walls around it (sys/box.h); or NULL */
	/* The run is cut short (result.stopped) once this is not 0; or NULL. Set it in a handler.
	 */
	const volatile sig_atomic_t *stop;
	/* struct child: stderr is appended to this file; NULL: captured (child_stderr). */
	const char *stderr_path;
};

enum { PROC_OUTPUT_BYTES = 1 << 20, PROC_PASSED_FD = 3 };

struct proc_result {
	int exit_code;  /* -1 when it ended by a signal */
	int signal;     /* 0 when it exited */
	bool timed_out; /* killed by us at its deadline */
	bool stopped;   /* killed by us because of spec.stop */
	bool truncated; /* it said more than max_output; the rest was read and dropped */
	double seconds;
	struct str out;
	struct str err;
};

/* 0 with a filled result, or -1 when the child could not be started (the text names the step).
 * Release the result in both cases. */
int proc_run(struct proc_result *r, const struct proc_spec *spec, struct err *e);
void proc_result_release(struct proc_result *r);
#define AUTO_PROC_RESULT __attribute__((cleanup(proc_result_release)))
/* Did it run to its end and say exit 0? */
bool proc_result_is_ok(const struct proc_result *r);
/* "exit 3", "signal 11 (Segmentation fault)", "killed after its deadline": for messages. */
void proc_result_describe(const struct proc_result *r, struct str *out);

/* Full path of a program as exec would find it (PATH, or the name itself if it has a slash), or
 * NULL; yours. */
char *proc_find(const char *name);

struct child;

/* Start; spec's stdin_text, deadline and stop are not used. */
int child_start(struct child **out, const struct proc_spec *spec, struct err *e);
/* Send text and a newline. A child that does not read within the deadline is ERR_TIMEOUT, one that
 * is gone ERR_CHILD. */
int child_write_line(struct child *c, const char *text, uint64_t deadline_ns, struct err *e);
/* Next line without its newline. 1: a line; 0: end of output; -1: ERR_TIMEOUT after the deadline
 * (nothing is lost: call again), ERR_INPUT for a line above max_output. deadline 0 waits for ever.
 */
int child_read_line(struct child *c, struct str *line, uint64_t deadline_ns, struct err *e);
/* As child_read_line, but never waits: -1 is not possible for lack of a line. 2: nothing yet. */
int child_try_line(struct child *c, struct str *line, struct err *e);
/* In place of lines: append what it said on stdout since. 1: something; 2: nothing yet; 0: its
 * output ended. */
int child_take_output(struct child *c, struct str *out);
/* Readable when child_try_line may have something: for a caller's own poll loop. */
int child_fd(const struct child *c);
pid_t child_pid(const struct child *c);
/* Has it ended? Fills `r` (without out and err) if so. */
bool child_has_ended(struct child *c, struct proc_result *r);
/* Wait up to wait_ns for its end without ending it; as child_has_ended. */
bool child_wait(struct child *c, uint64_t wait_ns, struct proc_result *r);
/* No more input for the child: closes its stdin. */
void child_close_stdin(struct child *c);
/* Close its stdin, SIGTERM, wait up to the grace time, then SIGKILL the group. `r` may be NULL. */
void child_stop(struct child *c, uint64_t grace_ns, struct proc_result *r);
/* The first max_output bytes of its stderr so far; borrowed. */
const char *child_stderr(struct child *c);
/* Stops it at once if it still runs. */
void child_free(struct child **c);
#define AUTO_CHILD __attribute__((cleanup(child_free)))

#endif
