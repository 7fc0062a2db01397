/*
 * Inside of a chain, for src/engine/evolve*.c only: the open chain. Pointers into `state` are good
 * until the next event.
 */
#ifndef FORGE_ENGINE_EVOLVE_IN_H
#define FORGE_ENGINE_EVOLVE_IN_H

#include <jansson.h>
#include <stdbool.h>

#include "engine/evolve.h"
#include "store/chain_state.h"
#include "store/chaindir.h"
#include "store/eventlog.h"

struct evolve {
	const char *dir;
	struct engine_host host;
	struct evolve_hooks hooks;
	struct eventlog *log;
	struct chain_state state;
	bool is_stopped;
};

#define evolve_event(c, type, e, ...)                                                              \
	evolve_event_at((c), (type), json_pack(__VA_ARGS__), __FILE__ ":" EVENTLOG_TEXT(__LINE__), \
			(e))
/* `body` is taken. */
int evolve_event_at(struct evolve *c, enum event_type type, json_t *body, const char *where,
		    struct err *e);
/* Has the caller's signal come? Then marks the chain stopped. */
bool evolve_is_stopped(struct evolve *c);

/* Write the task of generation `number` into the chain's directory: NAME-g<number>, made from
 * generation 0 and the best kernel of the generation before. Whole or not at all; an unfinished or
 * unrecorded one is written anew. `name` gets its path below the chain's directory. */
int evolve_task_write(struct evolve *c, unsigned number, struct str *name, struct err *e);
/* Judge and time the best of the newest generation against generation 0, and record it. */
int evolve_direct(struct evolve *c, struct err *e);

#endif
