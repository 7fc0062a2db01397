/*
 * kernels/README.md: a table of the released kernels, made from the evidence that lies there and
 * from nothing else. Every claim is held first; one that does not hold makes no table.
 */
#ifndef FORGE_EXPORT_KERNELS_PAGE_H
#define FORGE_EXPORT_KERNELS_PAGE_H

#include "base/str.h"

struct err;

#define KERNELS_DIR "kernels"

/* Append the page of a folder of kernels. */
int kernels_page_print(const char *dir, struct str *out, struct err *e);
/* Write DIR/README.md; adds its path to `made`. */
int kernels_page_write(const char *dir, struct strv *made, struct err *e);
/* ERR_CONFLICT when DIR/README.md is not what would be written. */
int kernels_page_check(const char *dir, struct err *e);

#endif
