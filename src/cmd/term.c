#include "cmd/term.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

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
