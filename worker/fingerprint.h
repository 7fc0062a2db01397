/*
 * Fingerprints of an output: one 64-bit number per block of 4096 bytes. They stand for the first
 * verified output of a side, so that a timed output is recognised by reading it once, and only in
 * part. The key is drawn per job and never leaves the worker.
 */
#ifndef FORGE_WORKER_FINGERPRINT_H
#define FORGE_WORKER_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FINGERPRINT_BLOCK = 4096 };

struct fingerprint {
	uint64_t *blocks; /* NULL: nothing was verified yet */
	size_t nr;
};

uint64_t fingerprint_bytes(const void *bytes, size_t len, uint64_t key);
/* Replaces what was there. */
void fingerprint_take(struct fingerprint *f, const void *bytes, size_t len, uint64_t key);

/* Where to look: every `step`-th block from block `first` on, and always the last one. */
struct fingerprint_look {
	const void *bytes;
	size_t len;
	uint64_t key;
	size_t first;
	size_t step;
};
bool fingerprint_matches(const struct fingerprint *f, const struct fingerprint_look *look);
void fingerprint_release(struct fingerprint *f);

#endif
