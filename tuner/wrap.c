#include "tuner/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"

enum { LINE_WIDTH = 100, TAB_WIDTH = 8, MORE_INDENT = 2 };

static size_t indent_of(const char *line)
{
	return strspn(line, "\t");
}

/* Where a line may go on: behind a space that follows a comma or an operator. */
static bool is_break(const char *line, size_t at)
{
	return line[at] == ' ' && at > 0 && strchr(",+-*/&|?:=<>", line[at - 1]) != NULL;
}

/* Bytes of the first piece of the line; all of it when it fits or has no place to break. Of the
 * places in the second half of the room the last one inside the fewest brackets is taken. */
static size_t first_piece(const char *line, size_t len, size_t indent)
{
	size_t tabs = indent_of(line);
	size_t room = LINE_WIDTH - TAB_WIDTH * indent;
	size_t best = 0;
	int depth = 0;
	int best_depth = 0;
	if (len - tabs <= room)
		return len;
	for (size_t i = tabs + 1; i < len && i - tabs <= room; i++) {
		depth += strchr("([{", line[i]) != NULL;
		depth -= strchr(")]}", line[i]) != NULL;
		if (!is_break(line, i) || (best && depth > best_depth && best - tabs > room / 2))
			continue;
		best = i;
		best_depth = depth;
	}
	return best ? best : len;
}

static void wrap_line(struct str *out, const char *line, size_t len)
{
	size_t indent = indent_of(line);
	size_t more = indent + MORE_INDENT;
	bool is_fixed = line[0] == '#' || memmem(line, len, "//", 2) ||
			memmem(line, len, "/*", 2) || memchr(line, '"', len) ||
			memchr(line, '\'', len) || more * TAB_WIDTH > LINE_WIDTH / 2;
	size_t piece = is_fixed ? len : first_piece(line, len, indent);
	str_add_len(out, line, piece);
	while (piece < len) {
		line += piece + 1;
		len -= piece + 1;
		str_add_char(out, '\n');
		for (size_t i = 0; i < more; i++)
			str_add_char(out, '\t');
		piece = first_piece(line, len, more);
		str_add_len(out, line, piece);
	}
	str_add_char(out, '\n');
}

void wrap_lines(struct str *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		wrap_line(out, text, len);
		text += len + (text[len] == '\n');
	}
}
