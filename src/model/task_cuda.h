/* [cuda] of task.toml: what nvcc compiles the kernels for. */
#ifndef FORGE_MODEL_TASK_CUDA_H
#define FORGE_MODEL_TASK_CUDA_H

struct task;
struct toml;
struct toml_loader;

/* `table` may be NULL. Only tasks of that language may have it. */
int task_cuda_load(struct toml_loader *l, const struct toml *table, struct task *t);

#endif
