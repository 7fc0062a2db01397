/*
 * What one turn uses, as its agent tells it (docs/format/agent-wire.md, "Usage"): adds up the
 * lines, prices those that tell no dollars, and asks whether a budget is used up. What an agent
 * does not tell stays unknown.
 */
#ifndef FORGE_AGENT_METER_H
#define FORGE_AGENT_METER_H

#include <jansson.h>
#include <stdbool.h>

struct agent_answer;
struct agent_spec;
struct str;

struct meter {
	const struct agent_spec *spec;
	struct agent_answer *answer; /* its usage, model and provider are kept up to date */
	bool has_any;                /* something was told */
};

/* Model and provider, where `obj` (a ready line, or a usage object) tells them. Whoever tells
 * another model tells its provider with it. */
void meter_take_names(struct meter *m, const json_t *obj);
/* A usage line. True: a budget is used up, and `why` says which. */
bool meter_take_line(struct meter *m, const json_t *line, struct str *why);
/* The usage of a done line: the rest of the turn, or (`whole`) all of it. NULL: it told none. */
void meter_take_done(struct meter *m, const json_t *usage);
/* A tool call that is about to be made. True: it may not be made, and the turn is over. */
bool meter_take_call(struct meter *m, struct str *why);
/* The turn ends; without its done line, what it used after its last usage line is unknown. */
void meter_end(struct meter *m, bool has_done);

#endif
