/*
 * What the commands that answer a turn by hand share (turn, submit, publish, yield, wait): finding
 * the mailbox, sending one answer, saying what came of it. They touch the mailbox and nothing else
 * of a run: its lock is held by the forge run that waits.
 */
#ifndef FORGE_CMD_HAND_TURN_H
#define FORGE_CMD_HAND_TURN_H

#include <jansson.h>
#include <stdbool.h>

#include "base/str.h"

struct err;

/* The mailbox of a run's role; `role` NULL: of the one whose turn is open, the student's first.
 * `run` NULL: $FORGE_MAILBOX, else ./.forge. */
int hand_turn_find(const char *run, const char *role, struct str *dir, struct err *e);
/* "teacher", "student" or NULL, else ERR_USAGE. */
int hand_turn_check_role(const char *role, struct err *e);

struct hand_turn {
	const char *run;  /* as typed, or NULL */
	const char *role; /* or NULL */
	const char *tool; /* of tool_table.h: it is an answer */
	json_t *args;     /* borrowed */
	double timeout_s;
	bool is_json;
};
/* Send the answer and print what is said to it; an answer that is not taken is ERR_INPUT. */
int hand_turn_answer(const struct hand_turn *h, struct err *e);
/* The text of a file that is sent: UTF-8. A new JSON string, or NULL. */
json_t *hand_turn_text(const char *path, struct err *e);
/* "round 3 D1.1: kept, pass, 1.52 times as fast" of a state's `last`; nothing for null. */
void hand_turn_verdict(const json_t *last, struct str *out);

/* forge does not take longer than this to look. */
#define HAND_TURN_TIMEOUT_S 20.0
#define HAND_TURN_TIMEOUT_HELP "wait so long for forge to take it; 20"
#define HAND_TURN_ROLE_HELP "teacher or student; the one whose turn is open"

#endif
