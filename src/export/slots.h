/*
 * Templates of what is exported: plain files in share/export with slots, @NAME@ in capitals. Every
 * slot of a template must have a value.
 */
#ifndef FORGE_EXPORT_SLOTS_H
#define FORGE_EXPORT_SLOTS_H

#include "base/str.h"

struct err;

struct slots {
	struct strv names;
	struct strv values;
};

void slots_release(struct slots *s);
#define AUTO_SLOTS __attribute__((cleanup(slots_release)))
/* Copies both; a later value of a name wins. */
void slots_set(struct slots *s, const char *name, const char *value);
void slots_setf(struct slots *s, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Append `text` with its slots filled; `doc` names it in errors. */
int slots_fill_text(const struct slots *s, const char *text, const char *doc, struct str *out,
		    struct err *e);
/* Append a template of share/export ("c/header.h"). */
int slots_fill(const struct slots *s, const char *name, struct str *out, struct err *e);
/* The same into a file. */
int slots_write(const struct slots *s, const char *name, const char *path, struct err *e);

#endif
