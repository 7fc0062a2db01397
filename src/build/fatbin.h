/*
 * What nvcc embeds into a host object as device code: containers of images (machine code for one
 * target, PTX to be compiled where it is loaded), read by ourselves. Bytes of an object are a
 * candidate's to choose, so every length is checked.
 */
#ifndef FORGE_BUILD_FATBIN_H
#define FORGE_BUILD_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };

struct fatbin_image {
	unsigned kind; /* enum fatbin_kind, or something newer */
	unsigned arch; /* 90: sm_90 and its variants */
	bool is_compressed;
	const char *bytes; /* borrowed; as stored */
	size_t len;
};

/* Walk the images of a section: *at starts at 0. 1 with *out filled, 0 after the last, -1 for bytes
 * that do not hold together. */
int fatbin_next(const char *bytes, size_t len, size_t *at, struct fatbin_image *out, struct err *e);

#endif
