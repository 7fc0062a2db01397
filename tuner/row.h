/*
 * A decision row's value: "kind key=value ...", one line (docs/format/decision-rows.md). The
 * teacher writes them, the student applies them; loops are named by position.
 */
#ifndef FORGE_TUNER_ROW_H
#define FORGE_TUNER_ROW_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct kernel;

enum { ROW_KEYS = 6 };

struct row_param {
	const char *key;
	const char *value;
};

struct row {
	const struct row_kind *kind;
	const char *text; /* as written */
	struct row_param params[ROW_KEYS];
	size_t nr_params;
};

struct row_kind {
	const char *name;
	const char *keys;
	const char *text;
	/* ERR_INPUT: does not apply, for a reason that people can read; the kernel is as before. */
	int (*apply)(struct kernel *k, const struct row *row, struct err *e);
};

int row_parse(struct row *row, const char *text, struct arena *a, struct err *e);
/* NULL when the row does not have the key. */
const char *row_get(const struct row *row, const char *key);
/* A whole number in [least, most]. */
int row_get_number(const struct row *row, const char *key, long least, long most, long *out,
		   struct err *e);
/* A later row of the same kind for the same loop takes the place of an earlier one; where a kind
 * says what it is done "as", only one that says the same. */
bool row_supersedes(const struct row *later, const struct row *earlier);
/* Whether "drop row=KIND ..." means this row. */
bool row_drops(const struct row *drop, const struct row *earlier);

#endif
