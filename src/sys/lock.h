/*
 * An exclusive lock on a folder: flock on a file in it that names its holder. The kernel drops the
 * lock with the process, so a crash leaves no stale lock.
 */
#ifndef FORGE_SYS_LOCK_H
#define FORGE_SYS_LOCK_H

#include <stdbool.h>

struct err;

struct lock {
	int fd; /* -1: not held */
};

#define LOCK_INIT                                                                                  \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Take the lock file `path` (made if missing) without waiting. Held by another: ERR_CONFLICT that
 * names its pid. */
int lock_take(struct lock *l, const char *path, struct err *e);
void lock_release(struct lock *l);
/* Did a holder make the file here? A copy of one, made with the folder that it is in, says nothing
 * of a holder, and nobody holds it. */
bool lock_is_original(const char *path);
#define AUTO_LOCK __attribute__((cleanup(lock_release)))

#endif
