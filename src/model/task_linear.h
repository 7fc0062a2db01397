/*
 * What a task says about linearity ([task] linear, docs/format/task.md).
 */
#ifndef FORGE_MODEL_TASK_LINEAR_H
#define FORGE_MODEL_TASK_LINEAR_H

#include <stdbool.h>

struct task;
struct toml;
struct toml_loader;

/* Of a task whose arguments are known; `list` is the key's value, NULL when there is none. */
int task_linear_check(struct toml_loader *l, const struct toml *list, const struct task *t);
/* Does an item of the list name this argument? */
bool task_linear_has(const char *item, const char *arg);

#endif
