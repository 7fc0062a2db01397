/*
 * Does a best/ folder hold together? Digests of its files against the chain, the evidence against
 * the chain, the claimed interval against the raw samples, and for a run directory the chain
 * against the event log.
 */
#ifndef FORGE_ENGINE_CLAIM_CHECK_H
#define FORGE_ENGINE_CLAIM_CHECK_H

#include <jansson.h>
#include <stdbool.h>

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
/* How the reference of a best/ folder lies there. CLAIM_OPENED is a copy in the clear beside a
 * sealed one, for whoever has no key. No link of the chain holds it: what is built from it has to
 * be what was measured (claim_is_reference). */
enum claim_reference { CLAIM_REFERENCE_CLEAR, CLAIM_REFERENCE_SEALED, CLAIM_REFERENCE_OPENED };
#define CLAIM_OPENED "reference/opened"
/* `path` gets the file to measure against, yours. */
enum claim_reference claim_reference_find(const char *best_dir, char **path);
/* Is this build of a reference ("build" of result.json) the one that the claim was measured on? */
bool claim_is_reference(const struct claim *c, const json_t *build);
void claim_release(struct claim *c);
#define AUTO_CLAIM __attribute__((cleanup(claim_release)))

#endif
