#include "worker/variation.h"

/*
 * Two kinds of change. Elements are shaved: a random number of steps of the format towards zero, up
 * to a ten-thousandth of the value in single precision. That is legal wherever the value was, takes
 * no branch another way in a kernel that skips zeros, and no two calls see the same element; but a
 * kernel that compares rounded inputs would not see it. And a few pairs of elements change places
 * (worker/exchange.h), which no rounding hides. Where equal elements are the point (constant rows,
 * a ramp) only a few are shaved, by one step; where values are listed or whole, none is.
 */

#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "worker/exchange.h"

enum { SINGLE_CHANGES = 4 };

/* How much of the kinds of generators may be shaved. */
enum extent { NOTHING, FEW, ALL };

static const struct {
	const char *kind;
	enum extent extent;
} extents[] = {
	{ "normal", ALL },        { "uniform", ALL },        { "spikes", ALL },
	{ "extremes", ALL },      { "zero_blocks", ALL },    { "sparse", ALL },
	{ "outlier_rows", ALL },  { "specials", ALL },       { "constant", FEW },
	{ "constant_rows", FEW }, { "identical_rows", FEW }, { "alternating", FEW },
	{ "ramp", FEW },
};

/* Bits of a format: the first magnitude that is no number, and how many low bits are shaved. */
struct form {
	uint64_t infinite;
	unsigned loose;
};

static const struct form forms[DTYPE_NR] = {
	[DTYPE_F64] = { UINT64_C(0x7ff) << 52, 24 },
	[DTYPE_F32] = { 0x7f800000, 10 },
	[DTYPE_F16] = { 0x7c00, 4 },
	[DTYPE_BF16] = { 0x7f80, 1 },
	[DTYPE_F8E4M3] = { 0x7f, 1 },
	[DTYPE_F8E5M2] = { 0x7c, 1 },
};

static enum extent extent_of(const struct operand *o, const struct group *group)
{
	const json_t *generator = json_object_get(group->inputs, o->arg->name);
	if (!dtype_is_float(o->arg->dtype))
		return NOTHING;
	for (size_t i = 0; i < ARRAY_LEN(extents); i++)
		if (str_equal(json_text_or(generator, "kind", ""), extents[i].kind))
			return extents[i].extent;
	return NOTHING;
}

/* Little-endian magnitudes count down; zero and what is not finite stay. */
static inline void shave(unsigned char *at, size_t bytes, uint64_t infinite, uint64_t steps)
{
	uint64_t bits = 0;
	memcpy(&bits, at, bytes);
	uint64_t magnitude = bits & (UINT64_MAX >> (65 - 8 * bytes));
	if (magnitude <= steps || magnitude >= infinite)
		return;
	bits -= steps;
	memcpy(at, &bits, bytes);
}

/* A generator of its own: rng_next would take as long as a kernel. */
static inline uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 32;
}

static inline void shave_all(unsigned char *at, size_t nr, size_t bytes, const struct form *f,
			     uint64_t state)
{
	const uint64_t mask = (UINT64_C(1) << f->loose) - 1;
	for (size_t i = 0; i < nr; i++)
		shave(at + i * bytes, bytes, f->infinite, next(&state) & mask);
}

typedef uint32_t words __attribute__((vector_size(16)));
typedef int32_t signed_words __attribute__((vector_size(16)));
enum { WORDS = sizeof(words) / sizeof(uint32_t) };

static inline words draw_lanes(words *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state >> 8;
}

/* Lane by lane: a generator per lane, and what is zero or not finite stays. */
static inline void shave_lanes(unsigned char *at, words *state, uint32_t infinite, uint32_t mask)
{
	words bits;
	memcpy(&bits, at, sizeof(bits));
	const words steps = draw_lanes(state) & mask;
	const signed_words magnitude = (signed_words)(bits & 0x7fffffffU);
	const words stays =
		(words)(magnitude <= (signed_words)steps) | (words)(magnitude >= (int32_t)infinite);
	bits -= steps & ~stays;
	memcpy(at, &bits, sizeof(bits));
}

static inline words seed_lanes(uint64_t *state)
{
	words lanes;
	for (size_t k = 0; k < WORDS; k++)
		lanes[k] = (uint32_t)next(state) | 1;
	return lanes;
}

/* Two to a word of a generator. */
typedef uint16_t halves __attribute__((vector_size(16)));
typedef int16_t signed_halves __attribute__((vector_size(16)));
enum { HALVES = sizeof(halves) / sizeof(uint16_t) };

static inline void shave_half_lanes(unsigned char *at, words *state, uint16_t infinite,
				    uint16_t mask)
{
	halves bits;
	memcpy(&bits, at, sizeof(bits));
	const halves steps = (halves)draw_lanes(state) & mask;
	const signed_halves magnitude = (signed_halves)(bits & 0x7fff);
	const halves stays = (halves)(magnitude <= (signed_halves)steps) |
			     (halves)(magnitude >= (int16_t)infinite);
	bits -= steps & ~stays;
	memcpy(at, &bits, sizeof(bits));
}

/* Single precision is what most operands are, and megabytes of them lie between two samples. */
static void shave_singles(unsigned char *at, size_t nr, const struct form *f, uint64_t state)
{
	const uint32_t mask = (UINT32_C(1) << f->loose) - 1;
	words lanes = seed_lanes(&state);
	size_t i = 0;
	for (; i + WORDS <= nr; i += WORDS)
		shave_lanes(at + i * sizeof(uint32_t), &lanes, (uint32_t)f->infinite, mask);
	shave_all(at + i * sizeof(uint32_t), nr - i, sizeof(uint32_t), f, state);
}

static void shave_halves(unsigned char *at, size_t nr, const struct form *f, uint64_t state)
{
	const uint16_t mask = (uint16_t)((1U << f->loose) - 1);
	words lanes = seed_lanes(&state);
	size_t i = 0;
	for (; i + HALVES <= nr; i += HALVES)
		shave_half_lanes(at + i * sizeof(uint16_t), &lanes, (uint16_t)f->infinite, mask);
	shave_all(at + i * sizeof(uint16_t), nr - i, sizeof(uint16_t), f, state);
}

/* One loop for each size, so that the sizes are constants in it. */
static void shave_everywhere(const struct operand *o, unsigned char *at, uint64_t state)
{
	const struct form *f = &forms[o->arg->dtype];
	switch (dtype_bytes(o->arg->dtype)) {
	case sizeof(uint64_t):
		shave_all(at, o->nr, sizeof(uint64_t), f, state);
		return;
	case sizeof(uint32_t):
		shave_singles(at, o->nr, f, state);
		return;
	case sizeof(uint16_t):
		shave_halves(at, o->nr, f, state);
		return;
	default:
		shave_all(at, o->nr, 1, f, state);
	}
}

static void shave_few(const struct operand *o, unsigned char *at, struct rng *rng)
{
	const size_t bytes = dtype_bytes(o->arg->dtype);
	for (int i = 0; i < SINGLE_CHANGES; i++)
		shave(at + bytes * rng_below(rng, o->nr), bytes, forms[o->arg->dtype].infinite, 1);
}

bool variation_is_possible(const struct operand *o, const struct group *group)
{
	return o->is_tensor && o->is_input && o->nr &&
	       (extent_of(o, group) != NOTHING || exchange_can(o, group));
}

void variation_make(const struct operand *o, const struct group *group, unsigned char *at,
		    struct rng *rng)
{
	const enum extent extent = extent_of(o, group);
	const uint64_t seed = rng_next(rng) | 1;
	if (extent == ALL)
		shave_everywhere(o, at, seed);
	if (extent == FEW)
		shave_few(o, at, rng);
	if (exchange_can(o, group))
		exchange_elements(o, at, seed);
}
