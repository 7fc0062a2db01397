#include "base/log.h"

/* One of the two files that may hold file-scope state (STYLE.md): where and how loud to log. */

#include <stdarg.h>
#include <stdio.h>

#include "base/untrusted.h"

/* Longer than any message of ours with a path and an error in it. */
enum { LOG_LINE_BYTES = 4000 };

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
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str line = STR_INIT;
	str_vaddf(&text, fmt, ap);
	untrusted_line(&line, text.text, LOG_LINE_BYTES);
	fprintf(stderr, "%s: %s%s\n", program, word, line.text);
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
