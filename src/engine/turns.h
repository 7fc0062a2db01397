/*
 * Turns with the run's agents. A turn has a purpose ("round-0007"); its answer is kept as a file
 * before its event is written, so that a resumed run reads the answer again and never pays for the
 * same turn twice.
 */
#ifndef FORGE_ENGINE_TURNS_H
#define FORGE_ENGINE_TURNS_H

#include <jansson.h>
#include <stdbool.h>

#include "agent/agent.h"

struct engine;
struct err;

struct turn_spec {
	enum agent_role role;
	enum turn_kind kind;
	const char *purpose;
	json_t *data;   /* borrowed; task and machine are added */
	bool has_tools; /* the agent may have measured (engine/teacher_tools.h) */
};

/* -1: our failure, or the engine was stopped. */
int turn_ask(struct engine *g, const struct turn_spec *spec, struct agent_answer *answer,
	     struct err *e);

/* "ablation-0002": the student's turn for the teacher's tool call of that number; yours. */
char *turn_ablation_purpose(unsigned call);
/* Can the agents of both roles be started? Told before the hours that come before their turns. */
int turn_agents_check(const struct engine *g, struct err *e);

#endif
