/*
 * A question to somebody else's library, asked in a child process that loads it, answers by one
 * struct through a pipe and ends: what crashes or hangs there takes nobody along. Internal to
 * src/sys.
 */
#ifndef FORGE_SYS_ASK_CHILD_H
#define FORGE_SYS_ASK_CHILD_H

#include <stddef.h>

struct err;

/* Fills the answer; runs in the child. */
typedef void (*ask_fn)(void *answer, const char *library, const void *ctx);

struct ask {
	ask_fn fn;
	const char *library;
	const void *ctx;
	const char *who; /* names the library in messages: "the NVIDIA driver" */
};

/* At most PIPE_BUF bytes of answer, which the child begins with as it is here. -1: it crashed or
 * took more than 20 s. */
int ask_child(const struct ask *ask, void *answer, size_t len, struct err *e);

#endif
