/*
 * Does a best/ folder hold together? Digests of its files against the chain, the evidence against
 * the chain, the claimed interval against the raw samples, and for a run directory the chain
 * against the event log.
 */
#ifndef FORGE_ENGINE_CLAIM_CHECK_H
#define FORGE_ENGINE_CLAIM_CHECK_H

#include <jansson.h>

#include "base/mem.h"
#include "model/chain.h"
#include "store/state_estimate.h"

struct err;

struct claim {
	struct arena arena;
	struct chain chain;
	json_t *evidence; /* owned; NULL: it could not be read */
	struct state_estimate estimate;
};

/* -1: ERR_CONFLICT (or ERR_INPUT for a file that can not be read) names the link. */
int claim_load(struct claim *c, const char *best_dir, struct err *e);
/* Is the claim in best/ the one that the run's log makes? */
int claim_check_run(const struct claim *c, const char *run_dir, struct err *e);
void claim_release(struct claim *c);
#define AUTO_CLAIM __attribute__((cleanup(claim_release)))

#endif
