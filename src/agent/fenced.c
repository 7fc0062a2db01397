#include "agent/fenced.h"

/* A fence is a line of at least three backticks; the block ends at a line of at least as many and
 * nothing else, so that a block may hold shorter ones. */

#include <stdbool.h>
#include <string.h>

enum { FENCE_MIN = 3 };

static size_t ticks(const char *at, const char *end)
{
	size_t nr = 0;
	while (at + nr < end && at[nr] == '`')
		nr++;
	return nr;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	return newline ? newline : end;
}

static bool is_closing(const char *at, const char *stop, size_t nr_open)
{
	size_t nr = ticks(at, stop);
	const char *rest = at + nr;
	while (rest < stop && (*rest == ' ' || *rest == '\r'))
		rest++;
	return nr >= nr_open && rest == stop;
}

const char *fenced_last(const char *text, size_t text_len, size_t *len)
{
	const char *end = text + text_len;
	const char *found = NULL;
	const char *open = NULL;
	size_t nr_open = 0;
	for (const char *at = text; at < end;) {
		const char *stop = line_end(at, end);
		if (open && is_closing(at, stop, nr_open)) {
			found = open;
			*len = (size_t)(at - open);
			open = NULL;
		} else if (!open && ticks(at, stop) >= FENCE_MIN && stop < end) {
			nr_open = ticks(at, stop);
			open = stop + 1;
		}
		at = stop < end ? stop + 1 : end;
	}
	return found;
}
