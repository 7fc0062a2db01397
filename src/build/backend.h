/*
 * What building means for a language: one file and one row each. build.c walks the steps; a backend
 * says which compiler, how to compile to the leaf object, and what that object must not hold.
 */
#ifndef FORGE_BUILD_BACKEND_H
#define FORGE_BUILD_BACKEND_H

#include <jansson.h>
#include <stdbool.h>

#include "build/build.h"
#include "build/directive.h"

struct arena;
struct err;
struct str;
struct toolbox;

/* One compiled object in the toolbox's output folder, and where the answers go. */
struct backend_object {
	const struct build_spec *spec;
	const struct toolbox *toolbox;
	const struct leaf *leaf;
	const char *arch; /* CUDA: the target; else NULL */
	const char *log;  /* what the compiler said */
	unsigned threads;
	struct verdict *verdict;
	json_t **facts; /* made when nothing objects */
};

struct backend_ops {
	const char *language;
	const char *source_name;   /* the source's name in the toolbox */
	const char *default_build; /* of a source without directive */
	/* Optional: the folder that the compiler lives in, yours; NULL with *e: it is not here. */
	char *(*toolkit)(struct err *e);
	/* Optional: the target, for a task or of this machine. */
	int (*arch)(const struct task *t, char out[16], struct err *e);
	/* Program of a compiler, as the toolbox sees it; yours. */
	char *(*program)(const struct toolbox *t, enum compiler c);
	/* The line of `--version` that tells one compiler from another. */
	const char *(*version_line)(const char *text);
	/* Not where `is_script`. */
	int (*compile)(const struct toolbox *t, const struct directive *d, const char *arch,
		       struct verdict *v, struct str *log, struct err *e);
	/* Screens and facts; of a script without o->leaf, the source lies in the toolbox. */
	int (*examine)(const struct backend_object *o, struct err *e);
	bool is_script;   /* nothing is compiled or linked: what is loaded is the source */
	bool has_layouts; /* one object may be linked at many places and hold copies */
	/* Optional: -1 when kernels can not be run on this machine, with what is missing and the
	 * cure. */
	int (*runs_here)(struct err *e);
};

extern const struct backend_ops backend_c;
extern const struct backend_ops backend_cuda;
extern const struct backend_ops backend_python;

/* The language of a side; `given` (or NULL) is what a build_spec says. */
const char *backend_language(const struct task *t, enum build_role role, const char *given);
/* Judges are C unless `given` says otherwise. */
const struct backend_ops *backend_of(const struct task *t, enum build_role role, const char *given);
/* Can kernels of this task be run on this machine? */
int backend_runs_here(const struct task *t, struct err *e);

#endif
