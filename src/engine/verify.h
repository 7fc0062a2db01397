/*
 * forge verify: a claim (best/ of a run, wherever it was copied to) is held against itself and then
 * measured again on this machine. What does not hold is an answer and not an error.
 */
#ifndef FORGE_ENGINE_VERIFY_H
#define FORGE_ENGINE_VERIFY_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/str.h"
#include "engine/engine.h"
#include "model/verdict.h"
#include "store/state_estimate.h"

struct err;

struct verify_spec {
	const char *dir;        /* a run directory, or a best/ folder */
	const char *public_key; /* path: the evidence must be signed by it; NULL: any or none */
	bool is_chain_only;     /* hold the chain, measure nothing */
	unsigned replicates;    /* 0: as many as the claim */
};

enum verify_outcome {
	VERIFY_CHAIN_HOLDS,    /* asked for the chain only */
	VERIFY_REPRODUCED,     /* judged correct, called as claimed, and the intervals meet */
	VERIFY_NOT_REPRODUCED, /* on the same kind of machine */
	VERIFY_OTHER_MACHINE,  /* numbers there are, but they are another machine's */
	VERIFY_BROKEN,         /* the chain or the signature does not hold */
};

struct verify_answer {
	struct arena arena;
	enum verify_outcome outcome;
	struct str why;    /* in words */
	struct strv notes; /* what differs from then, and is no reason to disbelieve */
	struct str signer; /* public key as hex; empty: not signed */
	const char *head;  /* of the chain */
	const char *task;
	const char *date;
	bool is_confirmed;             /* the claim rests on a fresh K=16 */
	struct state_estimate claimed; /* call NULL: the chain broke before it was read */
	struct state_estimate measured;
	struct verdict verdict; /* of the kernel, today */
};

const char *verify_outcome_name(enum verify_outcome outcome);
int verify_claim(const struct verify_spec *spec, const struct engine_host *host,
		 const struct engine_hooks *hooks, struct verify_answer *a, struct err *e);
void verify_answer_release(struct verify_answer *a);
#define AUTO_VERIFY_ANSWER __attribute__((cleanup(verify_answer_release)))
/* The best/ folder of a run directory or `dir` itself; yours. NULL: `dir` is neither. */
char *verify_find(const char *dir, struct err *e);
/* Hold the chain and sign its head by the secret key in a file. */
int verify_sign(const char *dir, const char *key_path, struct err *e);

#endif
