/*
 * What a teacher may have measured during its turn (docs/format/agent-wire.md): ablations, which
 * price one decision of the best by measuring the kernel without it, and probes, which give the
 * verdict on a source of the teacher's own. Both are jobs like any other, have a budget of their
 * own and change nothing: no round, no best, no base comes of them.
 */
#ifndef FORGE_ENGINE_TEACHER_TOOLS_H
#define FORGE_ENGINE_TEACHER_TOOLS_H

#include <jansson.h>

struct engine;
struct err;

/* {"names": [...], "left": N}: what the turn's data says about them. */
json_t *teacher_tools_offer(const struct engine *g);
/* Answer one call; yours. A request that was answered before, also in an earlier session, gets the
 * same answer and costs nothing. NULL: our failure, or the engine was stopped. */
json_t *teacher_tools_call(struct engine *g, const char *purpose, const json_t *call,
			   struct err *e);

#endif
