#include "worker/fingerprint.h"

/*
 * Four independent multiply-and-fold lanes: about as fast as memory. Not a cryptographic hash; who
 * would forge it neither knows the key nor sees a fingerprint.
 */

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LANES = 4 };

static const uint64_t odd_multiplier = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t fold(uint64_t lane, uint64_t word)
{
	lane = (lane ^ word) * odd_multiplier;
	return lane ^ (lane >> 32);
}

uint64_t fingerprint_bytes(const void *bytes, size_t len, uint64_t key)
{
	uint64_t lane[LANES] = { key, ~key, key * odd_multiplier, key ^ len };
	const unsigned char *p = bytes;
	size_t i = 0;
	for (; i + LANES * sizeof(uint64_t) <= len; i += LANES * sizeof(uint64_t)) {
		uint64_t word[LANES];
		memcpy(word, p + i, sizeof(word));
		for (size_t k = 0; k < LANES; k++)
			lane[k] = fold(lane[k], word[k]);
	}
	uint64_t rest[LANES] = { 0 };
	memcpy(rest, p + i, len - i);
	uint64_t all = key;
	for (size_t k = 0; k < LANES; k++)
		all = fold(all, fold(lane[k], rest[k]));
	return all;
}

static size_t block_len(size_t block, size_t len)
{
	size_t left = len - block * FINGERPRINT_BLOCK;
	return left < FINGERPRINT_BLOCK ? left : FINGERPRINT_BLOCK;
}

static uint64_t block_print(const void *bytes, size_t len, uint64_t key, size_t block)
{
	const unsigned char *from = (const unsigned char *)bytes + block * FINGERPRINT_BLOCK;
	return fingerprint_bytes(from, block_len(block, len), key ^ block);
}

void fingerprint_take(struct fingerprint *f, const void *bytes, size_t len, uint64_t key)
{
	f->nr = (len + FINGERPRINT_BLOCK - 1) / FINGERPRINT_BLOCK;
	f->blocks = xreallocarray(f->blocks, f->nr + 1, sizeof(*f->blocks));
	for (size_t i = 0; i < f->nr; i++)
		f->blocks[i] = block_print(bytes, len, key, i);
}

static bool block_matches(const struct fingerprint *f, const struct fingerprint_look *look,
			  size_t block)
{
	return f->blocks[block] == block_print(look->bytes, look->len, look->key, block);
}

bool fingerprint_matches(const struct fingerprint *f, const struct fingerprint_look *look)
{
	if (!f->blocks)
		return false;
	for (size_t i = look->first; i < f->nr; i += look->step)
		if (!block_matches(f, look, i))
			return false;
	return f->nr == 0 || block_matches(f, look, f->nr - 1);
}

void fingerprint_release(struct fingerprint *f)
{
	free(f->blocks);
	*f = (struct fingerprint){ 0 };
}
