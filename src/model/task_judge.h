/* [judge] of task.toml: what the task grants its judge. */
#ifndef FORGE_MODEL_TASK_JUDGE_H
#define FORGE_MODEL_TASK_JUDGE_H

struct task;
struct toml;
struct toml_loader;

/* `table` may be NULL: the defaults. */
int task_judge_load(struct toml_loader *l, const struct toml *table, struct task *t);

#endif
