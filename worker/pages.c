#include "worker/pages.h"

/* The length stands in front of the buffer. */

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HEAD_BYTES = 64, EXIT_NO_MEMORY = 70 };

void *pages_new(size_t len)
{
	size_t all = len + HEAD_BYTES;
	unsigned char *at =
		mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all < len || at == MAP_FAILED) {
		fprintf(stderr, "forge-worker: out of memory (%zu bytes)\n", len);
		exit(EXIT_NO_MEMORY);
	}
	madvise(at, all, MADV_DONTFORK);
	*(size_t *)(void *)at = all;
	return at + HEAD_BYTES;
}

void pages_free(void *pages)
{
	if (!pages)
		return;
	unsigned char *at = (unsigned char *)pages - HEAD_BYTES;
	munmap(at, *(size_t *)(void *)at);
}
