/*
 * Finished builds, kept by what they were made from: source, role, flags, compiler, processor, task
 * interface, layouts, kit. One folder per key, made aside and renamed into place, so that builds
 * may race. The digests in it are checked at every hit; a broken entry is a miss. Only builds that
 * nothing objected to are kept.
 */
#ifndef FORGE_BUILD_CACHE_H
#define FORGE_BUILD_CACHE_H

#include <stdbool.h>

#include "base/digest.h"
#include "build/build.h"

struct err;

/* Key of a build whose source, flags and compiler_version are filled. */
int cache_key(const struct build_spec *s, const struct build *b, bool is_jailed, struct digest *out,
	      struct err *e);
/* Fill objects, log and facts from the cache; false is a miss and changes nothing. */
bool cache_load(const char *cache_dir, const struct digest *key, struct build *b);
/* Best effort: that a build could not be kept is a log line, not an error. */
void cache_store(const char *cache_dir, const struct digest *key, const struct build *b);

#endif
