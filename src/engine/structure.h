/*
 * The structure of the course is milestone M0. Once its gate has passed it is frozen: its rows and
 * the kernel they led to are recorded by digest. A revision that changes a row of M0 opens the next
 * structure epoch; nothing else does.
 */
#ifndef FORGE_ENGINE_STRUCTURE_H
#define FORGE_ENGINE_STRUCTURE_H

#include <stdbool.h>

struct curriculum;
struct digest;
struct engine;
struct err;

/* Digest of what M0 decides: ids and choices. Reasons, needs and groups may change without one. */
struct digest structure_digest(const struct curriculum *c);
/* The epoch that `next` belongs to when it follows the version in force (none: the first). */
long structure_epoch(const struct engine *g, const struct curriculum *next);
/* Record the freeze when the gate of M0 has passed and this epoch has none yet. */
int structure_freeze(struct engine *g, struct err *e);
/* Is the frozen kernel still what it was? ERR_CONFLICT names the file when it is not. */
int structure_check(const struct engine *g, struct err *e);

#endif
