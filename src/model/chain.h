/*
 * The chain of custody of a claim (docs/format/evidence.md): one link for each thing that the
 * number rests on, from the task to the bytes that were exported, each hashed together with the one
 * before. Pure: digests in, a list out. Text lives in the chain's arena.
 */
#ifndef FORGE_MODEL_CHAIN_H
#define FORGE_MODEL_CHAIN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/digest.h"
#include "base/mem.h"

struct err;

enum link_kind {
#define LINK(id, path, text) CHAIN_##id,
#include "model/links.def"
#undef LINK
	CHAIN_NR
};

struct chain {
	struct arena arena;
	const char *digests[CHAIN_NR]; /* 64 hex characters, or "" where there is none */
	struct digest hashes[CHAIN_NR];
};

/* "task", "object", ... and what it is in words. */
const char *chain_link_name(enum link_kind kind);
const char *chain_link_text(enum link_kind kind);
/* The file or folder (ends in /) in best/ whose digest the link holds; NULL: none lies there. */
const char *chain_link_path(enum link_kind kind);

/* Copies `digest`; NULL is "". */
void chain_set(struct chain *c, enum link_kind kind, const char *digest);
/* Hash every link with the one before it; call after the last chain_set. */
void chain_close(struct chain *c);
/* The last hash: stands for the whole chain. */
const char *chain_head(const struct chain *c);
/* Do the links that must be the same bytes agree? A source that is not the one judged, timed or
 * exported, or code that is not the code judged or timed, is ERR_CONFLICT that names both. */
int chain_check(const struct chain *c, struct err *e);

json_t *chain_to_json(const struct chain *c);
/* A link whose hash does not follow from what stands before it is ERR_CONFLICT that names it. */
int chain_from_json(struct chain *c, const json_t *json, const char *doc, struct err *e);
void chain_release(struct chain *c);
#define AUTO_CHAIN __attribute__((cleanup(chain_release)))

#endif
