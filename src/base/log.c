#include "base/log.h"

/* One of the two files that may hold file-scope state (STYLE.md): where and how loud to log. */

#include <stdarg.h>
#include <stdio.h>

static enum log_level max_level = LOG_INFO;
static const char *program = "forge";

void log_set_level(enum log_level level)
{
	max_level = level;
}

void log_set_program(const char *name)
{
	program = name;
}

__attribute__((format(printf, 3, 0))) static void put(enum log_level level, const char *word,
						      const char *fmt, va_list ap)
{
	if (level > max_level)
		return;
	fprintf(stderr, "%s: %s", program, word);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

#define LOG_AT(level, word)                                                                        \
	do {                                                                                       \
		va_list ap;                                                                        \
		va_start(ap, fmt);                                                                 \
		put(level, word, fmt, ap);                                                         \
		va_end(ap);                                                                        \
	} while (0)

void log_error(const char *fmt, ...)
{
	LOG_AT(LOG_ERROR, "error: ");
}

void log_warn(const char *fmt, ...)
{
	LOG_AT(LOG_WARN, "warning: ");
}

void log_info(const char *fmt, ...)
{
	LOG_AT(LOG_INFO, "");
}

void log_debug(const char *fmt, ...)
{
	LOG_AT(LOG_DEBUG, "debug: ");
}
