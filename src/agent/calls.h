/*
 * One tool call of an agent: is the tool one of this turn, are its arguments what its schema says,
 * and what is said to it. Answers of a turn can be given as calls, too (submit, publish_curriculum
 * ...).
 */
#ifndef FORGE_AGENT_CALLS_H
#define FORGE_AGENT_CALLS_H

#include <jansson.h>
#include <stdbool.h>

struct agent_answer;
struct agent_spec;
struct agent_turn;

struct call_end {
	json_t *said;     /* members of the tool_result, yours; NULL: the engine could not answer */
	bool is_bad;      /* no such tool, or arguments that do not fit */
	bool is_accepted; /* it was the answer of the turn, and it stands */
};

/* `has_answer`: the turn has one, another is refused. */
struct call_end call_take(const struct agent_spec *spec, const struct agent_turn *turn,
			  struct agent_answer *answer, bool has_answer, const json_t *call);

#endif
