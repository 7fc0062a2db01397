/*
 * One CUDA source to one leaf object by nvcc, in the jail: src/kernel.cu -> out/leaf.o with the
 * machine code of exactly one target in it, and the steps in between (PTX, preprocessed text) kept
 * beside it for the screens.
 */
#ifndef FORGE_BUILD_COMPILE_CUDA_H
#define FORGE_BUILD_COMPILE_CUDA_H

#include "base/str.h"
#include "model/verdict.h"

struct directive;
struct err;
struct toolbox;

#define COMPILE_CUDA_SOURCE_NAME "kernel.cu"

/* As compile_run; `arch` is "sm_90a". */
int compile_cuda_run(const struct toolbox *t, const struct directive *d, const char *arch,
		     struct verdict *v, struct str *log, struct err *e);
/* The PTX that was compiled; a host object without device code has none ("" then). */
int compile_cuda_ptx(const struct toolbox *t, struct str *out, struct err *e);
/* First file named by the line markers of preprocessed text that is neither the source nor below
 * the kit, the toolkit or the system's include folders; yours. NULL: all are fine. */
char *compile_cuda_foreign(const char *text, const char *kit, const char *toolkit);

#endif
