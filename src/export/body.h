/*
 * One body of an exported library: a source compiled again by the very steps of the measurement,
 * whose object has to be the one that the evidence names, byte for byte.
 */
#ifndef FORGE_EXPORT_BODY_H
#define FORGE_EXPORT_BODY_H

#include <stdbool.h>

#include "base/str.h"
#include "build/build.h"

struct err;
struct task;

struct body_spec {
	const struct task *task;
	enum build_role role;
	const char *name; /* "kernel", "reference": for messages */
	const char *source;
	const char *digest; /* of the object that was measured */
	const char *kit;
	const char *dir; /* where it is built */
	bool accept_weak;
};

struct body {
	char *object;      /* path */
	struct strv flags; /* the whole command line of the compiler, files left out */
	bool has_threads;  /* its code calls the thread runtime */
};

/* ERR_CONFLICT: it compiles to other code here. Release in both cases. */
int body_make(struct body *b, const struct body_spec *spec, struct err *e);
void body_release(struct body *b);
#define AUTO_BODY __attribute__((cleanup(body_release)))
/* Is all that the loader maps of two objects the same, whatever their symbols are called? */
int body_check_same_code(const char *one, const char *other, struct err *e);

#endif
