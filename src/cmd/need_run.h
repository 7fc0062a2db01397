/* The operand RUNDIR of a command: a folder with an event log, or an error that says what it is. */
#ifndef FORGE_CMD_NEED_RUN_H
#define FORGE_CMD_NEED_RUN_H

#include <stdbool.h>

struct err;

int need_run(const char *dir, struct err *e);
/* A folder with a task.toml. */
bool is_task_dir(const char *dir);

#endif
