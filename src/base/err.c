#include "base/err.h"

/* Errors are values with a bounded text: building one can not fail, so trouble while reporting
 * trouble does not exist. A text may quote a path, a compiler or a kernel; it is made one harmless
 * line at birth, so that it may go into a log, an event or a terminal. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/untrusted.h"

static void mark_truncated(char *text, size_t cap, int wanted)
{
	if (wanted >= 0 && (size_t)wanted >= cap)
		memcpy(text + cap - 4, "...", 4);
}

static void make_harmless(struct err *e)
{
	char raw[sizeof(e->text)];
	memcpy(raw, e->text, sizeof(raw));
	untrusted_copy(e->text, sizeof(e->text), raw);
}

__attribute__((format(printf, 3, 0))) static void fill(struct err *e, enum err_kind kind,
						       const char *fmt, va_list ap)
{
	e->kind = kind;
	int n = vsnprintf(e->text, sizeof(e->text), fmt, ap);
	mark_truncated(e->text, sizeof(e->text), n);
	make_harmless(e);
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fill(e, kind, fmt, ap);
	va_end(ap);
	return -1;
}

int err_errno(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	int saved = errno;
	va_list ap;
	va_start(ap, fmt);
	fill(e, kind, fmt, ap);
	va_end(ap);
	size_t len = strlen(e->text);
	int n = snprintf(e->text + len, sizeof(e->text) - len, ": %s", strerror(saved));
	mark_truncated(e->text, sizeof(e->text), n + (int)len);
	make_harmless(e);
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char inner[sizeof(e->text)];
	memcpy(inner, e->text, sizeof(inner));
	va_list ap;
	va_start(ap, fmt);
	fill(e, e->kind == ERR_NONE ? ERR_SYSTEM : e->kind, fmt, ap);
	va_end(ap);
	size_t len = strlen(e->text);
	int n = snprintf(e->text + len, sizeof(e->text) - len, ": %s", inner);
	mark_truncated(e->text, sizeof(e->text), n + (int)len);
	return -1;
}

const char *err_kind_name(enum err_kind kind)
{
	static const char *const names[] = {
		[ERR_NONE] = "none",     [ERR_USAGE] = "usage",       [ERR_INPUT] = "input",
		[ERR_SYSTEM] = "system", [ERR_CHILD] = "child",       [ERR_TIMEOUT] = "timeout",
		[ERR_REMOTE] = "remote", [ERR_CONFLICT] = "conflict",
	};
	return names[kind];
}

int err_exit_code(enum err_kind kind)
{
	return kind == ERR_USAGE ? 64 : 1;
}

void bug_at(const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	fprintf(stderr, "BUG at %s:%d: ", file, line);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}
