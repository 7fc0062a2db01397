/* The table, and what the attempts share. */
#include "attempts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ATTEMPT(fn, places, flags, tries, escape)                                                  \
	enum outcome fn(const struct scene *s, struct report *r);
#include "attempts.def"
#undef ATTEMPT

const struct attempt attempts[] = {
#define ATTEMPT(fn, places, flags, tries, escape) { #fn, fn, places, flags, tries, escape },
#include "attempts.def"
#undef ATTEMPT
};
const size_t nr_attempts = sizeof(attempts) / sizeof(attempts[0]);

enum outcome note(struct report *r, enum outcome o, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(r->note, sizeof(r->note), fmt, args);
	va_end(args);
	r->outcome = o;
	return o;
}

enum outcome judge(struct report *r, bool is_escape, const char *what)
{
	if (is_escape)
		return note(r, ESCAPED, "%s: done", what);
	return note(r, HELD, "%s: %s", what, strerror(errno));
}

bool has_token(const struct scene *s, const void *bytes, size_t len)
{
	return memmem(bytes, len, s->token, TOKEN_LEN) != NULL;
}

bool file_has_token(const struct scene *s, int fd)
{
	char text[4096];
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text), 0);
	if (n < 0 && fd >= 0)
		n = read(fd, text, sizeof(text));
	return n > 0 && has_token(s, text, (size_t)n);
}

bool path_has_token(const struct scene *s, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK);
	bool yes = file_has_token(s, fd);
	int error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return yes;
}
