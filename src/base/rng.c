#include "base/rng.h"

#include <sys/random.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/err.h"
#include "base/mem.h"

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

uint64_t rng_hash(uint64_t seed, uint64_t counter)
{
	return mix(mix(seed + UINT64_C(0x9e3779b97f4a7c15)) +
		   (counter + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t rng_next(struct rng *r)
{
	return rng_hash(r->seed, r->counter++);
}

uint64_t rng_below(struct rng *r, uint64_t bound)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
	uint64_t draw;
	do {
		draw = rng_next(r);
	} while (draw >= limit);
	return draw % bound;
}

double rng_unit(struct rng *r)
{
	return (double)(rng_next(r) >> 11) * 0x1p-53;
}

void rng_permute(struct rng *r, size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t j = (size_t)rng_below(r, i);
		size_t swap = order[i - 1];
		order[i - 1] = order[j];
		order[j] = swap;
	}
}

uint64_t rng_derive(uint64_t seed, const char *purpose)
{
	uint64_t hash = seed;
	for (size_t i = 0; purpose[i]; i++)
		hash = rng_hash(hash, (unsigned char)purpose[i]);
	return hash;
}

uint64_t rng_derive_secret(uint64_t seed, const char *purpose)
{
	AUTO_FREE char *text = xasprintf("%016llx %s", (unsigned long long)seed, purpose);
	struct digest d = digest_text(text);
	d.hex[16] = 0;
	return strtoull(d.hex, NULL, 16);
}

int rng_draw_seed(uint64_t *seed, struct err *e)
{
	if (*seed)
		return 0;
	if (getrandom(seed, sizeof(*seed), 0) != (ssize_t)sizeof(*seed))
		return err_errno(e, ERR_SYSTEM, "draw a seed");
	*seed >>= 2;
	return 0;
}
