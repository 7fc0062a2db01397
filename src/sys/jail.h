/*
 * What a sandboxed child does between clone and exec. Internal to src/sys: sandbox.c plans, this
 * carries out. Only async-signal-safe calls; everything with a length was prepared before.
 */
#ifndef FORGE_SYS_JAIL_H
#define FORGE_SYS_JAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/str.h"

struct sandbox_spec;

/* Steps in their order; a failure names its step. */
enum jail_step {
#define STEP(name, needs_namespaces, text) JAIL_##name,
#include "sys/jail_steps.def"
#undef STEP
	JAIL_NR_STEPS
};
const char *jail_step_text(enum jail_step step);
/* Would weaker isolation get past this step? */
bool jail_step_needs_namespaces(enum jail_step step);

/* A read-only file of the new root. */
struct jail_bind {
	const char *source;
	const char *target; /* relative to the new root */
};

struct jail {
	const struct sandbox_spec *spec;
	bool has_user_ns;
	bool has_root;   /* a root of its own */
	bool drops_user; /* started as root: becomes nobody */
	pid_t parent;    /* 0: in a process namespace, where it can not be asked */
	int go[2];       /* the parent writes one byte; hang-up: it died */
	int report[2];   /* struct jail_report, then end of file at exec */
	int null_fd;
	int program_fd;
	int object_fd;
	struct strv dirs; /* to make in the new root, parents first */
	struct jail_bind *binds;
	size_t nr_binds;
	const char *const *argv;
	const char *const *env;
};

struct jail_report {
	uint32_t is_fatal; /* `what` is a step; else a mechanism that lacks */
	uint32_t what;
	int32_t error;
};

enum { JAIL_NOBODY = 65534 }; /* nobody, inside and (when we are root) outside */
#define JAIL_OBJECT_NAME "k.so"

_Noreturn void jail_enter(struct jail *j);

#endif
