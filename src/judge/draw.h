/*
 * Counter-based draws for the input generators: element i of a stream is a pure function of the
 * stream's key and i, so any backend can draw any element in any order and get the same bits. Only
 * exact integer work and single, well-defined roundings; no libm.
 */
#ifndef FORGE_JUDGE_DRAW_H
#define FORGE_JUDGE_DRAW_H

#include <stdint.h>

/* SplitMix64's finaliser, as in base/rng.c: here it must be inline, since sixteen million draws
 * are a common case. draw_bits(draw_key(seed), i) == rng_hash(seed, i) is held by a test. */
static inline uint64_t draw_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline uint64_t draw_key(uint64_t seed)
{
	return draw_mix(seed + UINT64_C(0x9e3779b97f4a7c15));
}

static inline uint64_t draw_bits(uint64_t key, uint64_t i)
{
	return draw_mix(key + (i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* [0, 1) with 53 bits. */
static inline double draw_unit(uint64_t key, uint64_t i)
{
	return (double)(draw_bits(key, i) >> 11) * 0x1p-53;
}

/* [0, bound). The bias is below bound / 2^64. */
static inline uint64_t draw_below(uint64_t key, uint64_t i, uint64_t bound)
{
	return (uint64_t)((__extension__(unsigned __int128) draw_bits(key, i) * bound) >> 64);
}

/* Four 16-bit pieces as two sums of two, in the halves of a word. */
static inline uint64_t draw_pieces(uint64_t bits)
{
	const uint64_t low = UINT64_C(0x0000ffff0000ffff);
	return (bits & low) + (bits >> 16 & low);
}

/* Irwin-Hall: the sum of eight 16-bit pieces less its mean, an integer in +-262140. */
static inline int64_t draw_bell(uint64_t key, uint64_t i)
{
	uint64_t sums = draw_pieces(draw_bits(key, 2 * i)) + draw_pieces(draw_bits(key, 2 * i + 1));
	return (int64_t)((sums & UINT32_MAX) + (sums >> 32)) - 262140;
}

/* 1 / sqrt(8 (2^32 - 1) / 12): makes draw_bell one of standard deviation 1. */
#define DRAW_BELL_SCALE 0x1.3988e1412ed76p-16

#endif
