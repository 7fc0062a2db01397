/*
 * The sandbox of an agent's process, whichever driver starts it: bwrap with a root of its own that
 * holds the system's programs to read and one folder to write, its workspace; no network unless the
 * driver's table says so; a filter of system calls, limits on memory, processes, files and folders
 * in memory. What an agent may see is decided by these mounts and not by its prompt.
 */
#ifndef FORGE_AGENT_AGENT_BOX_H
#define FORGE_AGENT_AGENT_BOX_H

#include <stdbool.h>
#include <stdint.h>

struct agent_spec;
struct child;
struct err;
struct strv;

struct agent_box {
	struct child *child;
	const char *workspace; /* as the agent sees it; borrowed from the spec or static */
};

/* Start `program` alone, as agent `name`. Where bwrap makes no sandbox it runs bare under the
 * limits that are left; the engine asks the user before it comes to that (forge run --accept). */
int agent_box_start(struct agent_box *b, const struct agent_spec *spec, const char *program,
		    struct err *e);
/* Has the agent written more to its workspace than it may? Looked at about once a second. */
struct agent_quota {
	uint64_t looked_ns;
	uint64_t max_bytes;
};
bool agent_quota_is_broken(struct agent_quota *q, const char *workspace);

#endif
