/*
 * One error: a kind that code may branch on and a text for people. Every fallible function of
 * the project takes a `struct err *` last and returns 0/-1 or pointer/NULL. The caller owns it;
 * `struct err e = {0};` is ready for use. A bad candidate is never an err: see model/verdict.h.
 */
#ifndef FORGE_BASE_ERR_H
#define FORGE_BASE_ERR_H

#include <stdarg.h>

enum err_kind {
	ERR_NONE,
	ERR_USAGE,    /* the user typed nonsense: exit 64 */
	ERR_INPUT,    /* a file or message from outside is wrong */
	ERR_SYSTEM,   /* a system call failed */
	ERR_CHILD,    /* a child process misbehaved */
	ERR_TIMEOUT,  /* a deadline passed */
	ERR_REMOTE,   /* the other end of a host or agent failed */
	ERR_CONFLICT, /* somebody else holds or changed the thing */
};

struct err {
	enum err_kind kind;
	char text[512]; /* truncated visibly with "..." */
};

/* Fill `e` and return -1, so that `return err_set(...)` reads as one step. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As err_set, followed by ": " and strerror(errno). */
int err_errno(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Put "text: " in front of what `e` says. Returns -1. */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Name of a kind for logs and JSON ("usage", "input", ...). */
const char *err_kind_name(enum err_kind kind);
/* Exit code of a program that ends with this kind (64 for usage, else 1). */
int err_exit_code(enum err_kind kind);

/* Our own mistake: message with place, then abort. */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
