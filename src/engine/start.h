/*
 * What an agent is granted to begin with. The embedded agent can not write code from prose; in
 * source mode it gets the reference's text as its start (docs/decision/0001). Nobody else does.
 */
#ifndef FORGE_ENGINE_START_H
#define FORGE_ENGINE_START_H

#include <stdbool.h>

struct task;

/* May this task's student start from the reference? */
bool start_is_granted(const struct task *t);
/* The same, or generation 0 was written in the run: its author may go on from it. */
bool start_is_open(const struct task *t);
/* "source", "blackbox" or "generate". */
const char *start_mode(const struct task *t);
/* May this task's teacher, as the author of a judge, see the reference? */
bool start_is_granted_to_judge(const struct task *t);

#endif
