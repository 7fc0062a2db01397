/*
 * The layout of a chain's directory (docs/format/chain.md): the only place that knows its names.
 * Returned paths are yours.
 */
#ifndef FORGE_STORE_CHAINDIR_H
#define FORGE_STORE_CHAINDIR_H

#include <stdbool.h>

enum chaindir_part {
#define CHAINDIR(id, path, text) CHAINDIR_##id,
#include "store/chaindir.def"
#undef CHAINDIR
	CHAINDIR_NR
};

/* "CHAIN/chain.jsonl", ... */
char *chaindir_path(const char *chain_dir, enum chaindir_part part);
/* Its name below the chain's directory, borrowed for ever. */
const char *chaindir_name(enum chaindir_part part);
/* "runs/g2" and "direct/g2", below the chain's directory. */
char *chaindir_generation(enum chaindir_part part, unsigned number);
/* Is this folder a chain (it has a chain.jsonl)? */
bool chaindir_is_chain(const char *path);

#endif
