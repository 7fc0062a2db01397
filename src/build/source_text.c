#include "build/source_text.h"

/* Letters of all scripts are welcome, in comments and strings above all. Variation selectors too:
 * emoji carry them and they move nothing. A string that needs such a character can spell it:
 * \u202e. Joining lines is phase 2 of translation; gcc and clang also join where blanks stand
 * between the backslash and the end of the line. Trigraphs would be phase 1, in the strict dialects
 * only; the one that makes a backslash is refused where it would join lines, so that no scanner has
 * to know the dialect. */

#include <string.h>

#include "base/untrusted.h"

struct place {
	unsigned line;
	unsigned column;
};

static bool is_variation_selector(uint32_t code)
{
	return code >= 0xfe00 && code <= 0xfe0f;
}

static bool is_allowed(const char *text, size_t at, enum char_kind kind, uint32_t code)
{
	switch (kind) {
	case CHAR_PLAIN:
	case CHAR_BREAK:
		return true;
	case CHAR_CONTROL:
		return code == '\f' || (code == '\r' && text[at + 1] == '\n');
	case CHAR_INVISIBLE: /* a byte order mark may begin a file */
		return is_variation_selector(code) || (code == 0xfeff && at == 0);
	case CHAR_BIDI:
	case CHAR_INVALID:
		return false;
	}
	return false;
}

static struct verdict refuse(const struct place *where, enum char_kind kind, uint32_t code)
{
	if (kind == CHAR_INVALID)
		return verdict_make(
			REASON_forbidden_text,
			"line %u, column %u: the byte 0x%02x is no UTF-8; save the file "
			"as UTF-8",
			where->line, where->column, (unsigned)code);
	return verdict_make(
		REASON_forbidden_text,
		"line %u, column %u: the %s character U+%04X; leave it out, or spell it "
		"in a string by \\u or \\x",
		where->line, where->column, char_kind_name(kind), (unsigned)code);
}

/* Blanks and an end of line: bytes up to and with it; 0 when something else comes first. */
static size_t rest_of_line(const char *at)
{
	size_t blanks = strspn(at, " \t\f\v\r");
	return at[blanks] == '\n' ? blanks + 1 : 0;
}

static bool is_trigraph_join(const char *at)
{
	return str_starts(at, "?\?/") && rest_of_line(at + 3);
}

static void advance(struct place *where, char first)
{
	where->column++;
	if (first != '\n')
		return;
	where->line++;
	where->column = 1;
}

struct verdict source_text_check(const char *text, size_t len)
{
	struct place where = { 1, 1 };
	for (size_t at = 0; at < len;) {
		uint32_t code = 0;
		size_t taken = 1;
		enum char_kind kind = char_kind_at(text + at, len - at, &code, &taken);
		if (!is_allowed(text, at, kind, code))
			return refuse(&where, kind, code);
		if (is_trigraph_join(text + at))
			return verdict_make(REASON_forbidden_text,
					    "line %u: the trigraph ?\?/ at its end joins it with "
					    "the next in some dialects of C; leave it out",
					    where.line);
		advance(&where, text[at]);
		at += taken;
	}
	return (struct verdict){ 0 };
}

void source_text_joined(const char *text, unsigned nr_lines, struct str *out)
{
	unsigned line = 1;
	while (*text && line <= nr_lines) {
		size_t join = *text == '\\' ? rest_of_line(text + 1) : 0;
		line += join || *text == '\n';
		if (!join)
			str_add_char(out, *text);
		text += join ? join + 1 : 1;
	}
}
