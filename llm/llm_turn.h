/*
 * A turn: the loop of questions to the model and calls of tools, up to an answer that forge takes.
 * forge runs and checks the tools; what it says to a call goes back to the model as it is.
 */
#ifndef FORGE_LLM_LLM_TURN_H
#define FORGE_LLM_LLM_TURN_H

#include <jansson.h>

struct asker;
struct err;

/* `turn` is the wire's line. 0: an answer and `done` are out, or the other side has gone. -1: a
 * line could not be read or written. */
int llm_turn_serve(struct asker *a, const json_t *turn, struct err *e);

#endif
