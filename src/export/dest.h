/*
 * Where an export goes: a folder that appears whole or not at all, and that replaces another one
 * only when the user says so and it is an export.
 */
#ifndef FORGE_EXPORT_DEST_H
#define FORGE_EXPORT_DEST_H

#include <stdbool.h>

#include "base/file.h"

struct err;

/* `fill` as for dir_make_whole, in a folder that is there. */
int dest_write(const char *place, bool is_replaced, dir_fill_fn fill, const void *ctx,
	       struct err *e);
/* Copy a file below a folder, whose own folders are made. */
int dest_put(const char *from, const char *dir, const char *name, struct err *e);

#endif
