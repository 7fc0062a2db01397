/*
 * Local arrays that are used as vectors become variables, one for each vector in them: compilers
 * keep variables in registers, arrays not always.
 */
#ifndef FORGE_TUNER_VNAMES_H
#define FORGE_TUNER_VNAMES_H

struct kernel;
struct variant;

void vnames_introduce(struct kernel *k, struct variant *v);

#endif
