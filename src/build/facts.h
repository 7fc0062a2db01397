/*
 * Static facts of an object: flat numeric metrics, the ones that mechanism rows of a curriculum
 * cite where a machine has no counters (docs/format/kernel.md lists them). A metric that has no
 * value (loads per fma without fma) is left out.
 */
#ifndef FORGE_BUILD_FACTS_H
#define FORGE_BUILD_FACTS_H

#include <jansson.h>

struct disasm;
struct leaf;

/* A new reference. */
json_t *facts_of(const struct leaf *o, const struct disasm *d);

#endif
