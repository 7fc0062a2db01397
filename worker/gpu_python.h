/*
 * A party that is a Python module: it has no machine code of ours and is not recorded. The device
 * process, then one of Python (runner/gpu/runner.py), loads the module and captures what it calls.
 */
#ifndef FORGE_WORKER_GPU_PYTHON_H
#define FORGE_WORKER_GPU_PYTHON_H

#include "base/str.h"
#include "worker/gpu_bench.h"

/* Is this party a module? */
bool gpu_python_is(const struct worker *w, enum party p);
/* Is the candidate a module of its own, and not the reference? */
bool gpu_python_is_apart(const struct worker *w);
/* The command that starts a device process for modules: Python, the program, the library; the last
 * two from `dir`. */
int gpu_python_argv(const char *dir, struct strv *argv, struct err *e);
/* Tell the device process which module a slot is, and of which form its arguments are at a shape.
 * An enum outcome, or -1; a module that does not load is a verdict. */
int gpu_python_put(struct worker *w, const struct gpu_side_spec *s, struct verdict *v,
		   struct err *e);
/* "x:in:bf16:2048x4096,w:in:bf16:4096,eps:scalar:f32:1e-06" */
int gpu_python_args(const struct footprint *fp, struct str *out, struct err *e);

#endif
