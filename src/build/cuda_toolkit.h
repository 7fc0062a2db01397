/*
 * Where the CUDA compiler is, and what it compiles for. The toolkit is one folder with bin/nvcc in
 * it: CUDA_HOME or CUDA_PATH, that of the nvcc on PATH, /usr/local/cuda, or what
 * `scripts/setup --cuda` put into the user's data folder, in this order.
 */
#ifndef FORGE_BUILD_CUDA_TOOLKIT_H
#define FORGE_BUILD_CUDA_TOOLKIT_H

struct err;
struct task;

/* Absolute, links resolved; yours. NULL: there is none (ERR_SYSTEM, with the cure). */
char *cuda_toolkit_find(struct err *e);
/* Path of a tool in the toolkit, "nvdisasm"; yours. NULL: it has none. */
char *cuda_toolkit_tool(const char *root, const char *name);
/* The target of a task: what it says, else that of the device of this machine. */
int cuda_toolkit_arch(const struct task *t, char out[16], struct err *e);

#endif
