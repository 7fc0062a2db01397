/*
 * Part of `forge check`'s lint that needs more than the task's files: the allow list of compiler
 * flags, and this machine.
 */
#ifndef FORGE_CMD_CHECK_BUILD_H
#define FORGE_CMD_CHECK_BUILD_H

struct findings;

/* A task that does not load has no findings here; task_lint has said why. */
void check_build(const char *dir, struct findings *f);

#endif
