/* The second pass of `forge check`: one calibrate job that tries a task's judge. */
#ifndef FORGE_CMD_CHECK_JUDGE_H
#define FORGE_CMD_CHECK_JUDGE_H

#include <jansson.h>
#include <stdbool.h>

struct err;

/* Prints what it saw unless `is_json`; adds members to `answer`. A judge that does not hold is
 * *is_good = false; -1 only when forge itself could not work. */
int check_judge(const char *dir, bool is_json, json_t *answer, bool *is_good, struct err *e);

#endif
