/*
 * One attempt, or all of an agent's, from one place. `text` gets what it said or how it ended.
 */
#ifndef FORGE_TEST_ESCAPE_PLACES_H
#define FORGE_TEST_ESCAPE_PLACES_H

#include "base/str.h"
#include "tests/escape/attempts.h"
#include "tests/escape/world.h"

/* What the machine can not limit for this user. */
struct means {
	bool has_memory_cgroup;
	bool has_pids_cgroup;
	bool has_agent_sandbox;
	bool has_namespaces;
};
void means_probe(struct means *m);

/* Without a sandbox: does the attempt work at all? */
enum outcome try_outside(struct world *w, int row, struct str *text);
enum outcome try_in_jail(struct world *w, const struct means *m, int row, struct str *text);
enum outcome try_in_kernel(struct world *w, const struct means *m, int row, struct str *text);

/* `see` is called at each report of an agent, while it goes on; `row` may be ALL_ROWS. How the turn
 * ended is added to `text`. */
typedef void (*see_row_fn)(void *ctx, int row, enum outcome o, const char *note);
void try_as_agent(struct world *w, const struct means *m, int row, see_row_fn see, void *ctx,
		  struct str *text);

#endif
