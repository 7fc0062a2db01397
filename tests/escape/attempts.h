/*
 * The attempts: one function each, listed in attempts.def. They are compiled into a program and
 * into an object for forge-runner, so they use nothing but libc.
 */
#ifndef FORGE_TEST_ESCAPE_ATTEMPTS_H
#define FORGE_TEST_ESCAPE_ATTEMPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "scene.h"

enum outcome { HELD, ESCAPED, CANNOT };

struct attempt {
	const char *name;
	enum outcome (*try)(const struct scene *s, struct report *r);
	unsigned places;
	unsigned flags;
	const char *tries;
	const char *escape; /* what counts as one */
};

enum attempt_flag {
	ROW_PLAIN = 0,
	ROW_CONTROL = 1, /* harmless without a sandbox: it is first shown to work there */
	ROW_ALONE = 2,   /* uses up something: it gets an agent's process of its own */
};

extern const struct attempt attempts[];
extern const size_t nr_attempts;

/* For the attempts. */
enum outcome note(struct report *r, enum outcome o, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool has_token(const struct scene *s, const void *bytes, size_t len);
bool file_has_token(const struct scene *s, int fd);
bool path_has_token(const struct scene *s, const char *path);
/* ESCAPED if `is_escape`, else HELD with the current errno. */
enum outcome judge(struct report *r, bool is_escape, const char *what);

#endif
