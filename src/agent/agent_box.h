/*
 * The sandbox of an agent's process, whichever driver starts it: bwrap with a root of its own that
 * holds the system's programs to read and one folder to write, its workspace; no network unless the
 * driver's table says so, and then also what a name and a certificate are looked up in and the
 * user's proxies (network_env.h); a filter of system calls, limits on memory, processes, files and
 * folders in memory. What an agent may see is decided by these mounts and not by its prompt.
 */
#ifndef FORGE_AGENT_AGENT_BOX_H
#define FORGE_AGENT_AGENT_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agent_spec;
struct child;
struct err;
struct strv;

struct agent_box {
	struct child *child;
	const char *workspace; /* as the agent sees it; borrowed from the spec or static */
};

/* A file or folder that the agent sees beside the system and its workspace. */
struct agent_mount {
	const char *from;
	const char *to;
	bool is_writable;
};

/* What is started: a program of ours or of the user's. Lists end in NULL; NULL: none. */
struct agent_start {
	const char *program;
	const char *inside; /* where a mount shows it; NULL: it alone is mounted */
	const char *const *arguments;
	/* "NAME=value", all it has; PATH and LC_ALL have defaults. They travel in the environment
	 * of the processes and never in an argument, which everybody on the machine can read. */
	const char *const *env;
	const struct agent_mount *mounts;
	size_t nr_mounts;
};

/* Start the program alone. Where bwrap makes no sandbox it runs bare under the limits that are
 * left; the engine asks the user before it comes to that (forge run --accept). */
int agent_box_start(struct agent_box *b, const struct agent_spec *spec,
		    const struct agent_start *start, struct err *e);
/* Has the agent written more to its workspace than it may? Looked at about once a second. */
struct agent_quota {
	uint64_t looked_ns;
	uint64_t max_bytes;
};
bool agent_quota_is_broken(struct agent_quota *q, const char *workspace);

#endif
