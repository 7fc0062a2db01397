/*
 * What an agent is told in prose. A driver of a model gets a file of share/prompts, with the turn's
 * data filled into its slots (prompt_slots.def): the whole turn as one text. An agent that reads
 * the data alone (takes_rows_only) gets a sentence. Operator-blind both: the operator is in the
 * data.
 */
#ifndef FORGE_ENGINE_PROMPTS_H
#define FORGE_ENGINE_PROMPTS_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/agent.h"

struct err;
struct str;
struct task;

/* `data` is the turn's, task and machine included. An error names the prompt's file and line. */
int prompt_render(const struct task *t, enum turn_kind kind, const json_t *data, struct str *out,
		  struct err *e);
/* For an agent that reads the data. */
const char *prompt_sentence(enum turn_kind kind);
/* Is every file of share/prompts there, are its slots known and those that are needed used? */
int prompts_check(const struct task *t, struct err *e);

#endif
