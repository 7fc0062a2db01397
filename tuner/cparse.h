/*
 * Reads the entry function of a kernel source into the tree. The text around it is kept as it is.
 * Within the function every statement that is not understood becomes STMT_OPAQUE by itself; only a
 * function that can not be found, that is cut by preprocessor lines or whose braces do not match is
 * refused as a whole.
 */
#ifndef FORGE_TUNER_CPARSE_H
#define FORGE_TUNER_CPARSE_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct stmt;

struct param {
	const char *type; /* "const float" */
	const char *stars;
	const char *name;
	const char *text; /* as written */
	bool is_pointer;
	bool is_plain; /* a scalar or one star: type, stars and name say it all */
};

struct function {
	const char *name;
	struct param *params;
	size_t nr_params;
	struct stmt *body;
};

struct unit {
	const char *source;
	const char *before; /* text in front of the entry function */
	const char *after;  /* and behind it */
	const char *text;   /* the entry function itself, as written */
	size_t name_at;     /* bytes from the start of its text to its name */
	struct function entry;
};

/* All text lives in the arena. ERR_INPUT says what could not be read. */
int unit_parse(struct unit *u, const char *source, const char *entry, struct arena *a,
	       struct err *e);

#endif
