/*
 * [budget] of task.toml: what a run may take, and [budget.teacher], [budget.student] and
 * [budget.milestone] for what one role and each milestone may (docs/format/task.md).
 */
#ifndef FORGE_MODEL_TASK_BUDGET_H
#define FORGE_MODEL_TASK_BUDGET_H

struct task_limits;
struct toml;
struct toml_loader;

/* Read `budget`, the [budget] table or NULL, over the defaults. */
int task_budget_load(struct toml_loader *l, const struct toml *budget, struct task_limits *m);

#endif
