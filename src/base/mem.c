#include "base/mem.h"

/* The x-allocators end the program when memory is gone (exit 70, EX_SOFTWARE's neighbour in
 * sysexits): no caller can do anything sensible, and unwinding would need memory too. */

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { EXIT_NO_MEMORY = 70, ARENA_BLOCK_BYTES = 16384 };

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t cap;
	_Alignas(max_align_t) char data[];
};

static void *must(void *p)
{
	if (p)
		return p;
	fputs("out of memory\n", stderr);
	exit(EXIT_NO_MEMORY);
}

void *xmalloc(size_t len)
{
	return must(malloc(len ? len : 1));
}

void *xcalloc(size_t nr, size_t size)
{
	return must(calloc(nr ? nr : 1, size ? size : 1));
}

void *xreallocarray(void *old, size_t nr, size_t size)
{
	return must(reallocarray(old, nr ? nr : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}

char *xstrndup(const char *text, size_t len)
{
	char *copy = xmalloc(len + 1);
	memcpy(copy, text, len);
	copy[len] = 0;
	return copy;
}

__attribute__((format(printf, 1, 0))) static char *xvasprintf(const char *fmt, va_list ap)
{
	char *text = NULL;
	if (vasprintf(&text, fmt, ap) < 0)
		return must(NULL);
	return text;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char *text = xvasprintf(fmt, ap);
	va_end(ap);
	return text;
}

size_t size_mul(size_t a, size_t b)
{
	size_t product;
	if (__builtin_mul_overflow(a, b, &product))
		BUG("size overflow: %zu * %zu", a, b);
	return product;
}

static struct arena_block *arena_grow(struct arena *a, size_t len)
{
	size_t cap = len > ARENA_BLOCK_BYTES ? len : ARENA_BLOCK_BYTES;
	struct arena_block *block = xcalloc(1, sizeof(*block) + cap);
	block->cap = cap;
	block->next = a->head;
	a->head = block;
	return block;
}

void *arena_alloc(struct arena *a, size_t len)
{
	const size_t align = _Alignof(max_align_t);
	if (len > SIZE_MAX - align - sizeof(struct arena_block))
		BUG("arena block of %zu bytes", len);
	size_t need = (len + align - 1) & ~(align - 1);
	struct arena_block *block = a->head;
	if (!block || block->cap - block->used < need)
		block = arena_grow(a, need);
	void *p = block->data + block->used;
	block->used += need;
	return p;
}

void *arena_array(struct arena *a, size_t nr, size_t size)
{
	return arena_alloc(a, size_mul(nr, size));
}

char *arena_strndup(struct arena *a, const char *text, size_t len)
{
	char *copy = arena_alloc(a, len + 1);
	memcpy(copy, text, len);
	return copy;
}

char *arena_strdup(struct arena *a, const char *text)
{
	return arena_strndup(a, text, strlen(text));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	AUTO_FREE char *text = xvasprintf(fmt, ap);
	va_end(ap);
	return arena_strdup(a, text);
}

void arena_release(struct arena *a)
{
	while (a->head) {
		struct arena_block *next = a->head->next;
		free(a->head);
		a->head = next;
	}
}

void auto_free_cleanup(void *slot)
{
	void *p;
	memcpy(&p, slot, sizeof(p));
	free(p);
}

void auto_close_cleanup(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

void auto_fclose_cleanup(FILE **file)
{
	if (*file)
		fclose(*file);
}
