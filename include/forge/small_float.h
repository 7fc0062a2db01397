/*
 * The narrow float types in C, for judges that round where a description says so and for kernels
 * that get f16, bf16 or f8 as raw bits. For TYPE one of f16, bf16, f8e4m3, f8e5m2:
 *
 *     double forge_TYPE_load(uint16_t or uint8_t bits)    exact
 *     bits   forge_TYPE_store(double value)               rounded once, to nearest, ties to even
 *     double forge_TYPE_round(double value)               what the type makes of a value
 *
 * Nothing saturates: what rounds beyond the largest finite value becomes an infinity, in f8e4m3
 * (the "fn" format of OCP, 448 at most, without infinities) a NaN. A task whose operator saturates
 * clamps before it rounds. Subnormals are kept, a NaN keeps its sign and becomes the quiet one.
 */
#ifndef FORGE_SMALL_FLOAT_H
#define FORGE_SMALL_FLOAT_H

#include <stdint.h>
#include <string.h>

static inline double forge_double_of_bits(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t forge_bits_of_double(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* 2^exponent, of a normal double. */
static inline double forge_power_of_two(int exponent)
{
	return forge_double_of_bits((uint64_t)(exponent + 1023) << 52);
}

static inline double forge_small_load(unsigned code, int exp_bits, int man_bits, int has_inf)
{
	const int bias = (1 << (exp_bits - 1)) - 1;
	const unsigned top = (1U << exp_bits) - 1;
	const unsigned ones = (1U << man_bits) - 1;
	const unsigned man = code & ones;
	const unsigned exp = code >> man_bits & top;
	const uint64_t sign = (uint64_t)(code >> (exp_bits + man_bits) & 1) << 63;
	uint64_t wide = (uint64_t)((int)exp - bias + 1023) << 52 | (uint64_t)man << (52 - man_bits);
	if (exp == 0)
		wide = forge_bits_of_double(man * forge_power_of_two(1 - bias - man_bits));
	if (exp == top && has_inf)
		wide = UINT64_C(0x7ff) << 52 | (man ? UINT64_C(1) << 51 : 0);
	if (exp == top && !has_inf && man == ones)
		wide = UINT64_C(0xfff) << 51;
	return forge_double_of_bits(sign | wide);
}

/* The code of a magnitude: its leading one counts as one step of the exponent, and a carry out of
 * rounding as one more. May lie beyond the largest finite code. */
static inline uint64_t forge_small_magnitude(uint64_t bits, int exp_bits, int man_bits)
{
	const int least = 2 - (1 << (exp_bits - 1)); /* exponent of the smallest normal value */
	const int exp = (int)(bits >> 52) - 1023;
	const uint64_t man = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exp > -1023) << 52;
	const int drop = 52 - man_bits + (exp < least ? least - exp : 0);
	if (drop >= 54)
		return 0;
	const uint64_t rest = man & ((UINT64_C(1) << drop) - 1);
	const uint64_t half = UINT64_C(1) << (drop - 1);
	const uint64_t down = man >> drop;
	const uint64_t units = down + (rest > half || (rest == half && (down & 1)));
	return exp < least ? units : ((uint64_t)(exp - least) << man_bits) + units;
}

static inline unsigned forge_small_store(double value, int exp_bits, int man_bits, int has_inf)
{
	const uint64_t all = forge_bits_of_double(value);
	const uint64_t bits = all & (UINT64_MAX >> 1);
	const unsigned sign = (unsigned)(all >> 63) << (exp_bits + man_bits);
	const unsigned ones = (1U << man_bits) - 1;
	const unsigned top = ((1U << exp_bits) - 1) << man_bits;
	const unsigned beyond = has_inf ? top : top | ones;
	if (bits > UINT64_C(0x7ff) << 52)
		return sign | top | (has_inf ? 1U << (man_bits - 1) : ones);
	const uint64_t code = forge_small_magnitude(bits, exp_bits, man_bits);
	return sign | (code >= beyond ? beyond : (unsigned)code);
}

#define FORGE_SMALL_FLOAT(name, type, exp_bits, man_bits, has_inf)                                 \
	static inline double forge_##name##_load(type bits)                                        \
	{                                                                                          \
		return forge_small_load(bits, exp_bits, man_bits, has_inf);                        \
	}                                                                                          \
	static inline type forge_##name##_store(double value)                                      \
	{                                                                                          \
		return (type)forge_small_store(value, exp_bits, man_bits, has_inf);                \
	}                                                                                          \
	static inline double forge_##name##_round(double value)                                    \
	{                                                                                          \
		return forge_##name##_load(forge_##name##_store(value));                           \
	}

FORGE_SMALL_FLOAT(f16, uint16_t, 5, 10, 1)
FORGE_SMALL_FLOAT(bf16, uint16_t, 8, 7, 1)
FORGE_SMALL_FLOAT(f8e4m3, uint8_t, 4, 3, 0)
FORGE_SMALL_FLOAT(f8e5m2, uint8_t, 5, 2, 1)

#undef FORGE_SMALL_FLOAT

#endif
