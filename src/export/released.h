/*
 * One folder of kernels/: a claim with what lies beside it, or a run that found no kernel. The page
 * of kernels/ reads it; nothing here writes.
 */
#ifndef FORGE_EXPORT_RELEASED_H
#define FORGE_EXPORT_RELEASED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/claim_check.h"
#include "model/result.h"

struct err;
struct str;

struct released {
	char *place; /* below the folder: "cpu/MODEL/TASK" */
	char *group; /* "cpu/MODEL" */
	struct claim claim;
	struct result result;
	bool has_result;
	char *reference;    /* name of its source; NULL: nobody knows */
	bool is_sealed;     /* and only who has the key can measure against it */
	json_t *comparison; /* or NULL */
	json_t *outcome;    /* there is no claim: outcome.json, which says why; or NULL */
	size_t machine;     /* index among those of the page */
};

/* Read the claim in `dir`, or its outcome.json, into one that has its place. A claim that does not
 * hold, and a comparison of another kernel, are ERR_CONFLICT. */
int released_load_claim(struct released *r, const char *dir, struct err *e);
int released_load_outcome(struct released *r, const char *path, struct err *e);
void released_release(struct released *r);

/* Of the GPU that it ran on; NULL: a processor. */
const char *released_gpu(const struct released *r);
const char *released_date(const struct released *r);
/* What tells machines apart, in words. */
void released_machine(const struct released *r, struct str *out);
/* What the kernel was held against, a build or a module, and of which version. */
void released_reference(const struct released *r, struct str *out);
void released_version(const struct released *r, struct str *out);

#endif
