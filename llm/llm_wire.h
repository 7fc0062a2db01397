/*
 * The agent wire (docs/format/agent-wire.md) from the child's side: lines of JSON in, masked lines
 * out.
 */
#ifndef FORGE_LLM_LLM_WIRE_H
#define FORGE_LLM_LLM_WIRE_H

#include <jansson.h>
#include <stdio.h>

#include "base/str.h"

struct err;
struct mask;

struct llm_wire {
	FILE *in;
	FILE *out;
	const struct mask *mask; /* of all that leaves */
	char *line;
	size_t cap;
	struct str text; /* of the model, up to the end of its line */
};

void llm_wire_init(struct llm_wire *w, FILE *in, FILE *out, const struct mask *mask);
void llm_wire_release(struct llm_wire *w);
/* The next object; lines that begin with no "{" are passed over. NULL at the end of the input or
 * with `e`. A new reference. */
json_t *llm_wire_next(struct llm_wire *w, struct err *e);
/* Takes `line`. */
int llm_wire_send(struct llm_wire *w, json_t *line, struct err *e);
/* A log line; what can not be written here will fail at the answer. */
void llm_wire_log(struct llm_wire *w, const char *text);
/* Text as the model says it: whole lines become log lines. */
void llm_wire_say(struct llm_wire *w, const char *text);
void llm_wire_say_end(struct llm_wire *w);

#endif
