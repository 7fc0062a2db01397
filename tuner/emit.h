/*
 * What the writers of the submitted file share. kernel_print (kernel.h) writes all of it.
 */
#ifndef FORGE_TUNER_EMIT_H
#define FORGE_TUNER_EMIT_H

struct kernel;
struct stmt;
struct str;
struct variant;

/* The first lines of a function of this body that uses `used`: what is promised about pointers, and
 * the sizes that are known. */
void emit_prologue(const struct kernel *k, const struct variant *v, const struct stmt *used,
		   struct str *out);

/* Text of the source, but for a build directive of its own, which ours replaces. */
void emit_text(struct str *out, const char *text);

#endif
