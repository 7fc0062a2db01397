/*
 * A strip of lanes (a loop of a known number of iterations that do not depend on each other) as
 * statements over vectors.
 */
#ifndef FORGE_TUNER_VSTRIP_H
#define FORGE_TUNER_VSTRIP_H

struct kernel;
struct stmt;
struct variant;

/* NULL, and a block of statements that stands for the strip; else why it stays a loop. The strip
 * is in the variant's body and is not changed. */
const char *vstrip_convert(struct kernel *k, struct variant *v, const struct stmt *strip,
			   unsigned bits, struct stmt **out);

#endif
