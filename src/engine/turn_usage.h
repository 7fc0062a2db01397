/*
 * What turns cost: the ledger's events, and the budgets that end a turn or keep one from beginning.
 * Usage that an agent tells while its turn is under way is recorded before the turn goes on, so
 * that a run which is killed there knows what it has paid for.
 */
#ifndef FORGE_ENGINE_TURN_USAGE_H
#define FORGE_ENGINE_TURN_USAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct agent_answer;
struct agent_ops;
struct engine;
struct err;
struct str;
struct turn_spec;
struct usage;

/* One turn that is under way. */
struct turn_meter {
	struct engine *g;
	const struct turn_spec *spec;
	uint64_t nr_calls; /* of tools; what else it used is in the state */
};

/* Is a budget used up, so that this turn may not begin? Then `answer` says so. Of agents that cost
 * nothing only the hours of role and milestone are looked at. */
bool turn_usage_refuses(struct engine *g, const struct turn_spec *spec,
			struct agent_answer *answer);
/* An agent that costs money is about to be asked, afresh or to go on: if forge dies now, something
 * was spent. */
int turn_usage_begin(const struct turn_meter *m, const struct agent_ops *ops, bool is_resumed,
		     struct err *e);
/* The turn ends without an answer that is kept: what is known of its usage is. Best effort, for the
 * session ends anyway. */
void turn_usage_lose(struct engine *g, const struct turn_spec *spec, const struct agent_answer *a);
/* agent_spec.spend. Where the event can not be written the turn ends, too, and `e` says why. */
bool turn_usage_spend(struct turn_meter *m, const struct usage *more, struct str *why,
		      struct err *e);
/* agent_spec.tell_left: what is left for this turn. A new reference, or NULL. */
json_t *turn_usage_left(const struct turn_meter *m);
/* The members of agent_turn that tell who answered and what it used. A new reference. */
json_t *turn_usage_body(const struct engine *g, const struct turn_spec *spec,
			const struct agent_answer *a);
/* run.json tells who played the roles last, as the log does; also after a kill between the two. */
int turn_usage_note_agents(const struct engine *g, struct err *e);
/* After agent_turn: who played the role goes into run.json, and a cost that no budget can hold is a
 * warning. */
int turn_usage_settle(struct engine *g, const struct turn_spec *spec, const struct agent_answer *a,
		      struct err *e);

#endif
