/*
 * TOML 1.0 in, values out. The tree lives in the caller's arena; every value knows its line and
 * column (1-based, column in bytes), so that later checks can point at the file. Nothing is
 * accepted that the specification forbids. Depth is limited (128 levels).
 */
#ifndef FORGE_BASE_TOML_H
#define FORGE_BASE_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;

enum toml_type {
	TOML_STRING,
	TOML_INTEGER,
	TOML_FLOAT,
	TOML_BOOL,
	TOML_OFFSET_DATETIME,
	TOML_LOCAL_DATETIME,
	TOML_LOCAL_DATE,
	TOML_LOCAL_TIME,
	TOML_ARRAY,
	TOML_TABLE,
};

struct toml;

struct toml_member {
	const char *key; /* NUL-terminated; key_len counts embedded NULs too */
	size_t key_len;
	unsigned line; /* where the key stands */
	unsigned col;
	struct toml *value;
};

struct toml {
	enum toml_type type;
	unsigned line;
	unsigned col;
	/* TOML_STRING and the four date types: text (dates in RFC 3339 form). */
	const char *text;
	size_t len;
	int64_t integer;
	double real;
	bool boolean;
	/* TOML_ARRAY */
	struct toml **items;
	size_t nr_items;
	/* TOML_TABLE, in order of appearance */
	struct toml_member *members;
	size_t nr_members;
	/* used by the parser only */
	unsigned flags;
	size_t cap;
};

/* `name` stands in messages: "name:LINE:COL: what is wrong". NULL on error. */
struct toml *toml_parse(const char *text, size_t len, const char *name, struct arena *a,
			struct err *e);
struct toml *toml_read_file(const char *path, struct arena *a, struct err *e);
/* Member of a table, or NULL. */
const struct toml *toml_get(const struct toml *table, const char *key);
const char *toml_type_name(enum toml_type type);

#endif
