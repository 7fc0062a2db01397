#include "judge/poison.h"

/* The pattern is four units of two bytes, low byte 0xf1..0xfe by the salt and high byte 0x7f. That
 * is a NaN when read as f16, bf16, f32 or f64 at any element, never the NaN that hardware makes by
 * itself (0x7e00, 0x7fc0, 0x7fff, 0x7fc00000, 0x7ff8...), and a number near the top of the range as
 * i32 and i64: an index that faults and a sum that is far off. */

#include <string.h>

#include "base/rng.h"

enum { FIRST_LOW = 0xf1, NR_LOW = 14, HIGH = 0x7f };

void poison_pattern(uint64_t salt, unsigned char pattern[POISON_PERIOD])
{
	struct rng rng = { .seed = salt };
	for (size_t i = 0; i < POISON_PERIOD; i += 2) {
		pattern[i] = (unsigned char)(FIRST_LOW + rng_below(&rng, NR_LOW));
		pattern[i + 1] = HIGH;
	}
}

/* Doubling copies: the filled part is always a multiple of the period. */
void poison_fill(void *buf, size_t len, uint64_t salt)
{
	unsigned char pattern[POISON_PERIOD];
	poison_pattern(salt, pattern);
	size_t filled = len < POISON_PERIOD ? len : POISON_PERIOD;
	memcpy(buf, pattern, filled);
	while (filled < len) {
		size_t more = len - filled < filled ? len - filled : filled;
		memcpy((unsigned char *)buf + filled, buf, more);
		filled += more;
	}
}

size_t poison_count(enum dtype dtype, const void *buf, size_t nr, uint64_t salt)
{
	unsigned char pattern[POISON_PERIOD];
	poison_pattern(salt, pattern);
	size_t bytes = dtype_bytes(dtype);
	size_t nr_poison = 0;
	for (size_t i = 0; i < nr; i++) {
		const unsigned char *item = (const unsigned char *)buf + i * bytes;
		nr_poison += memcmp(item, pattern + i * bytes % POISON_PERIOD, bytes) == 0;
	}
	return nr_poison;
}

bool poison_is_intact(const void *buf, size_t len, uint64_t salt, size_t *first)
{
	unsigned char pattern[POISON_PERIOD];
	poison_pattern(salt, pattern);
	for (size_t i = 0; i < len; i++) {
		if (((const unsigned char *)buf)[i] == pattern[i % POISON_PERIOD])
			continue;
		if (first)
			*first = i;
		return false;
	}
	return true;
}
