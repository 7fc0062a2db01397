/*
 * Poison: what output buffers and canary areas hold before a call, so that "not written" and
 * "written beside" can be seen afterwards. The pattern is salted (use a fresh salt for every call),
 * is a NaN in f64, f32, f16 and bf16 and a huge or impossible number in the other types.
 */
#ifndef FORGE_JUDGE_POISON_H
#define FORGE_JUDGE_POISON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dtype.h"

enum { POISON_PERIOD = 8 };

/* The pattern's bytes; it repeats every POISON_PERIOD bytes from the start of the buffer. */
void poison_pattern(uint64_t salt, unsigned char pattern[POISON_PERIOD]);
void poison_fill(void *buf, size_t len, uint64_t salt);
/* How many of the `nr` elements still hold poison. */
size_t poison_count(enum dtype dtype, const void *buf, size_t nr, uint64_t salt);
/* Canary areas: true when all of it still holds poison; else *first (may be NULL) is the offset of
 * the first byte that does not. */
bool poison_is_intact(const void *buf, size_t len, uint64_t salt, size_t *first);

#endif
