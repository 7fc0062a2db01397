/*
 * From a TOML table into a struct, by a table of fields: key, type, place, required or not. A key
 * that no field lists, a wrong type and a missing required key are errors with line and column.
 * Texts are borrowed from the document, so it and the struct share one arena.
 */
#ifndef FORGE_BASE_TOML_FIELDS_H
#define FORGE_BASE_TOML_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct toml;
struct toml_member;

enum toml_field_type {
	TOML_FIELD_TEXT,   /* const char * */
	TOML_FIELD_TEXTS,  /* const char ** and, at nr_offset, a size_t */
	TOML_FIELD_INT,    /* int64_t */
	TOML_FIELD_REAL,   /* double, from an integer or a float */
	TOML_FIELD_BOOL,   /* bool */
	TOML_FIELD_VALUE,  /* const char *: a string, or a number or boolean written as text */
	TOML_FIELD_NESTED, /* listed only; the caller reads it */
};

struct toml_field {
	const char *key;
	enum toml_field_type type;
	size_t offset;
	size_t nr_offset;
	bool is_required;
};

/* Rows of a field table: TOML_NEEDED("name", TEXT, raw_task, name). */
#define TOML_NEEDED(key, type, owner, member)                                                      \
	{                                                                                          \
		key, TOML_FIELD_##type, offsetof(struct owner, member), 0, true                    \
	}
#define TOML_OPTION(key, type, owner, member)                                                      \
	{                                                                                          \
		key, TOML_FIELD_##type, offsetof(struct owner, member), 0, false                   \
	}
#define TOML_LIST(key, owner, member)                                                              \
	{                                                                                          \
		key, TOML_FIELD_TEXTS, offsetof(struct owner, member),                             \
			offsetof(struct owner, nr_##member), false                                 \
	}
#define TOML_NESTED(key)                                                                           \
	{                                                                                          \
		key, TOML_FIELD_NESTED, 0, 0, false                                                \
	}

struct toml_section {
	const char *name; /* as in messages: "[task]" */
	const struct toml_field *fields;
	size_t nr_fields;
};
#define TOML_SECTION(name, fields)                                                                 \
	{                                                                                          \
		name, fields, sizeof(fields) / sizeof((fields)[0])                                 \
	}

struct toml_loader {
	const char *path; /* for messages */
	struct arena *arena;
	struct err *e;
};

/* "path:LINE:COL: ..." for the place of a value. Returns -1. */
int toml_fail_at(struct toml_loader *l, const struct toml *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Fill the struct at `out`. A NULL table is one that is absent: nothing changes. */
int toml_read_fields(struct toml_loader *l, const struct toml_section *section,
		     const struct toml *table, void *out);

#endif
