/*
 * From a line of an agent to a checked answer: which type fits which kind of turn and which member
 * it must have (one table).
 */
#ifndef FORGE_AGENT_ANSWER_H
#define FORGE_AGENT_ANSWER_H

#include <jansson.h>

#include "agent/agent.h"

struct err;

/* ANSWER_NONE: not an answer type at all. */
enum answer_kind answer_kind_parse(const char *type);
/* Fill text, note, value and predicted. ERR_INPUT says what is malformed, for the agent to read.
 */
int answer_take(struct agent_answer *answer, enum turn_kind turn, const json_t *obj, struct err *e);
/* Back to "nothing answered yet", keeping name, version and counters. */
void answer_clear(struct agent_answer *answer);

#endif
