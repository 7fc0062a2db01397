/*
 * The launcher that shuts a program in: namespaces with an empty root that holds only the program's
 * libraries and one object, Landlock, no privileges, a memory and process limit. The program
 * (forge-runner) adds its own seccomp filter. Each mechanism that the machine lacks is reported;
 * lacking an essential one is an error unless weak isolation was accepted. See SECURITY.md.
 */
#ifndef FORGE_SYS_SANDBOX_H
#define FORGE_SYS_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cpu_list;
struct err;

enum sandbox_mechanism {
#define MECHANISM(name, essential, what, cost) SANDBOX_##name,
#include "sys/mechanisms.def"
#undef MECHANISM
	SANDBOX_NR_MECHANISMS
};

const char *sandbox_mechanism_name(enum sandbox_mechanism m);
const char *sandbox_mechanism_what(enum sandbox_mechanism m);
/* What the lack of it costs, for people. */
const char *sandbox_mechanism_cost(enum sandbox_mechanism m);
/* Without it nothing runs unless weak isolation is accepted. */
bool sandbox_mechanism_is_essential(enum sandbox_mechanism m);
/* What the user says to accept its lack: "no-mount-ns" for mount_ns; yours. */
char *sandbox_lack_name(const char *mechanism);

/* What a machine lacks. {0}: nothing. */
struct sandbox_lack {
	enum sandbox_mechanism mechanism;
	int error; /* errno of the attempt, 0 if unknown */
};
struct sandbox_lacks {
	size_t nr;
	struct sandbox_lack items[SANDBOX_NR_MECHANISMS];
};
void sandbox_lack_add(struct sandbox_lacks *l, enum sandbox_mechanism m, int error);
bool sandbox_lacks_has(const struct sandbox_lacks *l, enum sandbox_mechanism m);
/* Is this lack, beside the others, one that a run is refused for (docs/decision/0011)? */
bool sandbox_lack_is_grave(const struct sandbox_lacks *l, enum sandbox_mechanism m);

/* Try everything once (about 20 ms, forks). What is not in `out` works. */
void sandbox_probe(struct sandbox_lacks *out);

struct sandbox_spec {
	const char *program_path; /* executable, dynamically linked to libc, libm, libmvec only */
	const char *object_path;  /* the one object it may read, as argv[1] */
	const int *fds;           /* become 3, 4, 5 ... in the program; others are closed */
	size_t nr_fds;
	const struct cpu_list *cpus; /* it may use these; NULL: ours */
	size_t memory_bytes;         /* cap by cgroup where there is one; 0: none */
	unsigned max_tasks;          /* processes and threads, by cgroup */
	const char *const *env;      /* its whole environment; or NULL */
	bool accept_weak;
};

/* A started program. Its pid is as we see it; inside it is process 1. */
struct sandbox {
	pid_t pid;
	int pidfd;
	char *memory_cgroup; /* folder, NULL: none */
	char *pids_cgroup;
	struct sandbox_lacks lacks;
};

/* 0: the program was exec'ed. -1: it could not be, the text names mechanism or step. */
int sandbox_start(struct sandbox *s, const struct sandbox_spec *spec, struct err *e);
/* Was anything in it killed for memory (cgroup count), or did it touch its cap? */
bool sandbox_hit_memory(const struct sandbox *s);
/* Kill all in it, wait, remove what was made. `status` (wait status) may be NULL. Safe on {0}
 * after a failed start. */
void sandbox_stop(struct sandbox *s, int *status);

#endif
