/*
 * A run that is over and has no confirmed kernel, as a folder of kernels/: what was lost is told
 * beside what was won. outcome.json says why there is none, and how far the best correct kernel
 * came (docs/format/export.md).
 */
#ifndef FORGE_EXPORT_LOST_H
#define FORGE_EXPORT_LOST_H

#include <stdbool.h>

#include "base/str.h"

struct err;
struct export_spec;

/* Is there a run, over, without a confirmed kernel? 1, 0, or -1. */
int lost_check(const char *run, struct err *e);
/* Release it as such; adds the folder to `made`. One of a released kernel is not replaced. */
int lost_write(const struct export_spec *spec, struct strv *made, struct err *e);

#endif
