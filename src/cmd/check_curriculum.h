/*
 * `forge check --curriculum`: the lint that every teacher's draft meets, on a file written by hand,
 * as a grade a row.
 */
#ifndef FORGE_CMD_CHECK_CURRICULUM_H
#define FORGE_CMD_CHECK_CURRICULUM_H

#include <jansson.h>
#include <stdbool.h>

struct err;

/* `task` may be NULL: then nothing is compared with a reference. With `answer` it is filled and
 * nothing is printed. -1: a file that is no curriculum at all, or no task. */
int check_curriculum(const char *path, const char *task, json_t *answer, bool *is_good,
		     struct err *e);

#endif
