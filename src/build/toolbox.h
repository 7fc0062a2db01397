/*
 * Where compilers, linkers and objdump run: a bubblewrap jail that sees /usr read-only, the kit,
 * one source folder read-only and one output folder; no network, no environment, limits on CPU,
 * memory and file size. A compiler reads files too (.incbin, #embed, #include): it can read only
 * what is mounted. On machines without user namespaces the tool runs under the limits alone, if
 * the caller accepts that; `is_jailed` and `lack` say so.
 */
#ifndef FORGE_BUILD_TOOLBOX_H
#define FORGE_BUILD_TOOLBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

struct err;
struct proc_result;
struct strv;

struct toolbox_spec {
	const char *src_dir;
	const char *out_dir;
	const char *kit_dir;
	const char
		*toolkit; /* a further folder that tools live in, seen at its own path; or NULL */
	bool accept_weak;
};

struct toolbox {
	struct arena arena;
	bool is_jailed;
	const char *lack; /* why there is no jail, "" if there is */
	/* The folders as the tools see them. */
	const char *src;
	const char *out;
	const char *kit;
	const char *toolkit; /* or NULL */
	/* and as we do */
	const char *src_dir;
	const char *out_dir;
	const char *kit_dir;
};

/* Absolute paths are made of the folders, which must exist. No jail and no accept_weak is
 * ERR_SYSTEM. */
int toolbox_init(struct toolbox *t, const struct toolbox_spec *spec, struct err *e);
void toolbox_release(struct toolbox *t);
#define AUTO_TOOLBOX __attribute__((cleanup(toolbox_release)))
/* Put a file into the source folder. Not durable: what is there is used at once or never. */
int toolbox_put(const struct toolbox *t, const char *name, const void *bytes, size_t len,
		struct err *e);
/* Run a tool with the source folder as its working directory; as proc_run. */
int toolbox_run(const struct toolbox *t, const struct strv *argv, size_t max_output,
		struct proc_result *r, struct err *e);
/* Run what was built, for what it measures: limits of its own, and folders of the system that it
 * may read beside those of the jail. */
struct toolbox_limits {
	uint64_t wall_ns;
	size_t memory_bytes; /* by cgroup, where there is one */
	unsigned max_tasks;
	const char *const *shown; /* NULL-terminated; those that are not there are left out */
	const char *const *nodes; /* NULL-terminated: device files that it may open; or NULL */
	const char *const *env;   /* NULL-terminated "NAME=value", beside the tools' own; or NULL */
	bool has_proc;            /* /proc of the jail's own processes */
};
int toolbox_run_built(const struct toolbox *t, const struct strv *argv,
		      const struct toolbox_limits *how, struct proc_result *r, struct err *e);
/* Can this machine jail a compiler? For doctor; `why` (or NULL) is yours and says what is missing.
 */
bool toolbox_is_possible(char **why);

#endif
