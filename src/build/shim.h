/*
 * The trusted call shim: forge_entry(void *const *args) unpacks one pointer per argument, in the
 * task's order, and calls the entry. args[i] points to a tensor's data, or to the 8 bytes of a
 * scalar. The oracle's entry takes double for every float type. Of a CUDA task it is
 * forge_entry(void *const *args, void *stream), and the pointers are the device's.
 */
#ifndef FORGE_BUILD_SHIM_H
#define FORGE_BUILD_SHIM_H

#include "build/build.h"
#include "model/dtype.h"

struct err;
struct str;
struct task;

#define SHIM_ENTRY "forge_entry"

/* C source of the shim. An entry name that is no C name, or the shim's own, is ERR_INPUT. */
int shim_source(const struct task *t, enum build_role role, struct str *out, struct err *e);
/* C type of an argument's element as the entry of this role sees it. */
const char *shim_ctype(enum dtype t, enum build_role role);

#endif
