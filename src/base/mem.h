/*
 * Memory. Two lifetimes only: documents live in an arena owned by their root and die at once;
 * buffers grow and are released by scope (AUTO_*). Allocation never returns NULL: out of memory
 * prints and exits 70. Ownership: a const pointer is borrowed until the next call on its owner,
 * a non-const returned pointer is yours, `take_` moves.
 */
#ifndef FORGE_BASE_MEM_H
#define FORGE_BASE_MEM_H

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

void *xmalloc(size_t len);
void *xcalloc(size_t nr, size_t size);
/* Overflow-checked: room for nr items of size bytes. */
void *xreallocarray(void *old, size_t nr, size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t len);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Product of two sizes; out of range is a BUG. */
size_t size_mul(size_t a, size_t b);

struct arena_block;
struct arena {
	struct arena_block *head;
};

/* Zeroed memory, aligned for any type, alive until arena_release. */
void *arena_alloc(struct arena *a, size_t len);
void *arena_array(struct arena *a, size_t nr, size_t size);
char *arena_strdup(struct arena *a, const char *text);
char *arena_strndup(struct arena *a, const char *text, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_release(struct arena *a);

void auto_free_cleanup(void *slot);
void auto_close_cleanup(const int *fd);
void auto_fclose_cleanup(FILE **file);

#define AUTO_FREE __attribute__((cleanup(auto_free_cleanup)))
#define AUTO_CLOSE __attribute__((cleanup(auto_close_cleanup)))
#define AUTO_FCLOSE __attribute__((cleanup(auto_fclose_cleanup)))
#define AUTO_ARENA __attribute__((cleanup(arena_release)))

/* Move a pointer (or an fd with take_fd) out of a scope that would release it. */
#define take_ptr(slot)                                                                             \
	__extension__({                                                                            \
		__typeof__(*(slot)) taken_ = *(slot);                                              \
		*(slot) = NULL;                                                                    \
		taken_;                                                                            \
	})
static inline int take_fd(int *slot)
{
	int fd = *slot;
	*slot = -1;
	return fd;
}

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
