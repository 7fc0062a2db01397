/*
 * Random numbers, all from a seed, which rng_draw_seed draws where nobody gave one. `rng_hash` is
 * counter based: (seed, counter) gives the same 64 bits on every machine and in any order, which is
 * what the input generators need. `struct rng` is a small sequential stream for shuffles and
 * offsets. Source: the SplitMix64 finaliser (Steele, Lea, Flood 2014).
 */
#ifndef FORGE_BASE_RNG_H
#define FORGE_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct err;

uint64_t rng_hash(uint64_t seed, uint64_t counter);

struct rng {
	uint64_t seed;
	uint64_t counter;
};

uint64_t rng_next(struct rng *r);
/* Uniform in [0, bound), bound > 0, without modulo bias. */
uint64_t rng_below(struct rng *r, uint64_t bound);
/* Uniform in [0, 1) with 53 bits. */
double rng_unit(struct rng *r);
/* Shuffle the first n indices 0..n-1 into `order`. */
void rng_permute(struct rng *r, size_t *order, size_t n);
/* Where *seed is 0, one from the system; it fits JSON's signed integers. */
int rng_draw_seed(uint64_t *seed, struct err *e);
/* A seed for a named purpose, so that streams never overlap by accident. */
uint64_t rng_derive(uint64_t seed, const char *purpose);
/* The same by SHA-256 (the first 8 bytes of "SEED in 16 hex digits, blank, PURPOSE"). rng_derive
 * can be run backwards: who sees raw draws of a stream finds its seed and from that the seed above.
 * A stream that a stranger sees is derived by this one. */
uint64_t rng_derive_secret(uint64_t seed, const char *purpose);

#endif
