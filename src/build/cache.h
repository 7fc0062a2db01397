/*
 * Finished builds, kept by what they were made from: source, role, flags, compiler, processor, task
 * interface, kit. An entry is a folder with the leaf object, the shim and what is known of them,
 * and one linked object per layout that was ever asked for, so that a trial with more replicates
 * links only what is new. Entries are made aside and renamed into place: builds may race. Digests
 * are checked at every use; what is broken is a miss. Only what nothing objected to is kept. The
 * cache may be deleted at any time.
 */
#ifndef FORGE_BUILD_CACHE_H
#define FORGE_BUILD_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/digest.h"
#include "build/build.h"

struct err;

struct cache {
	char *dir; /* of the entry; NULL: no cache */
};

/* Find the entry of a build whose source, flags and compiler_version are filled. */
int cache_init(struct cache *c, const struct build_spec *s, const struct build *b, bool is_jailed,
	       struct err *e);
void cache_release(struct cache *c);
/* Put leaf and shim into obj_dir and fill object, log and facts. False: a miss. */
bool cache_load(const struct cache *c, const char *obj_dir, struct build *b);
/* Keep leaf and shim. Best effort, like cache_layout_store: what could not be kept is a log line.
 */
void cache_store(const struct cache *c, const char *obj_dir, const struct build *b);

/* What tells one linked object of an entry from another. */
struct cache_layout {
	size_t padding;
	unsigned nr_copies;
};
/* The linked object of this layout, yours; NULL: a miss. */
char *cache_layout_find(const struct cache *c, const struct cache_layout *l);
void cache_layout_store(const struct cache *c, const struct cache_layout *l, const char *so_path);

#endif
