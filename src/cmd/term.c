#include "cmd/term.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"
#include "base/untrusted.h"

/* The longest line of ours, a reason with a path in it, has a fraction of that. */
enum { MAX_LINE_BYTES = 4000 };

struct term term_probe(int fd)
{
	const char *kind = getenv("TERM");
	const char *no_colour = getenv("NO_COLOR");
	bool is_tty = isatty(fd) && kind && !str_equal(kind, "dumb");
	return (struct term){ is_tty, is_tty && !(no_colour && *no_colour) };
}

size_t term_width(int fd)
{
	struct winsize size = { 0 };
	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

const char *term_tone(const struct term *t, enum tone tone)
{
	static const char *const codes[] = {
		[TONE_PLAIN] = "",        [TONE_GOOD] = "\033[32m", [TONE_BAD] = "\033[31m",
		[TONE_WARN] = "\033[33m", [TONE_DIM] = "\033[2m",
	};
	return t->has_colour ? codes[tone] : "";
}

const char *term_plain(const struct term *t, enum tone tone)
{
	return t->has_colour && tone != TONE_PLAIN ? "\033[0m" : "";
}

void term_print(const char *fmt, ...)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STR struct str line = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	bool ends_line = str_ends(fmt, "\n");
	if (ends_line)
		text.text[--text.len] = 0;
	untrusted_line(&line, text.text, MAX_LINE_BYTES);
	printf("%s%s", line.text, ends_line ? "\n" : "");
}

void term_put(const char *lines)
{
	AUTO_STR struct str shown = STR_INIT;
	untrusted_block(&shown, lines, 0);
	fputs(shown.text, stdout);
}
