#include "base/toml_scan.h"

/* The four kinds of strings. Bytes were checked for UTF-8 and control characters before, so what
 * is left to refuse here is a newline in a one-line string, a bad escape and a missing end. */

#include <string.h>

#include "base/err.h"
#include "base/str.h"

struct quote {
	const char *open; /* "\"", "\"\"\"", "'" or "'''" */
	char c;
	bool is_multi;
	bool has_escapes;
};

static struct quote quote_at(const struct toml_scan *s)
{
	if (toml_looking_at(s, "\"\"\""))
		return (struct quote){ "\"\"\"", '"', true, true };
	if (toml_looking_at(s, "'''"))
		return (struct quote){ "'''", '\'', true, false };
	if (toml_looking_at(s, "\""))
		return (struct quote){ "\"", '"', false, true };
	return (struct quote){ "'", '\'', false, false };
}

static void add_utf8(struct str *out, unsigned long c)
{
	if (c < 0x80) {
		str_add_char(out, (char)c);
		return;
	}
	unsigned nr_more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	unsigned lead = nr_more == 1 ? 0xC0 : nr_more == 2 ? 0xE0 : 0xF0;
	str_add_char(out, (char)(lead | c >> (6 * nr_more)));
	while (nr_more--)
		str_add_char(out, (char)(0x80 | (c >> (6 * nr_more) & 0x3F)));
}

static int hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int scan_unicode(struct toml_scan *s, unsigned nr_digits, struct str *out)
{
	const char *at = s->at - 2;
	unsigned long c = 0;
	for (unsigned i = 0; i < nr_digits; i++) {
		int digit = hex_value(toml_peek(s));
		if (digit < 0)
			return toml_fail(s, at, "\\%c needs %u hex digits", at[1], nr_digits);
		c = c << 4 | (unsigned)digit;
		s->at++;
	}
	if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return toml_fail(s, at, "U+%04lX is not a Unicode scalar value", c);
	add_utf8(out, c);
	return 0;
}

/* A backslash at a line's end: it, the newline and all white space after it vanish. */
static bool skip_line_end(struct toml_scan *s)
{
	struct toml_scan ahead = *s;
	toml_skip_blanks(&ahead);
	if (!toml_take_newline(&ahead))
		return false;
	do
		toml_skip_blanks(&ahead);
	while (toml_take_newline(&ahead));
	*s = ahead;
	return true;
}

/* Behind the backslash. */
static int scan_escape(struct toml_scan *s, bool is_multi, struct str *out)
{
	static const char names[] = "btnfr\"\\";
	static const char values[] = "\b\t\n\f\r\"\\";
	if (is_multi && skip_line_end(s))
		return 0;
	int c = toml_peek(s);
	const char *found = c > 0 ? strchr(names, c) : NULL;
	if (found) {
		str_add_char(out, values[found - names]);
		s->at++;
		return 0;
	}
	if (c != 'u' && c != 'U')
		return toml_fail(s, s->at - 1,
				 "unknown escape; known: \\b \\t \\n \\f \\r \\\" "
				 "\\\\ \\uXXXX \\UXXXXXXXX");
	s->at++;
	return scan_unicode(s, c == 'u' ? 4 : 8, out);
}

/* One character, escape or (the caller stops before it in one-line strings) newline of the body. */
static int scan_piece(struct toml_scan *s, const struct quote *q, struct str *out)
{
	const char *at = s->at;
	if (q->has_escapes && *at == '\\') {
		s->at++;
		return scan_escape(s, q->is_multi, out);
	}
	if (toml_take_newline(s)) {
		str_add_len(out, at, (size_t)(s->at - at));
		return 0;
	}
	str_add_char(out, *s->at++);
	return 0;
}

static int fail_unclosed(struct toml_scan *s, const struct toml_scan *start, const struct quote *q)
{
	struct toml_scan place = *start;
	place.e = s->e;
	return toml_fail(&place, start->at, "the string is not closed; it needs %s%s", q->open,
			 q->is_multi ? "" : " on the same line");
}

/* A multi-line body may end in one or two quotes of its own: the last three close it. */
static void scan_close(struct toml_scan *s, const struct quote *q, struct str *out)
{
	s->at += strlen(q->open);
	for (int extra = 0; q->is_multi && extra < 2 && toml_peek(s) == q->c; extra++)
		str_add_char(out, *s->at++);
}

static int scan_body(struct toml_scan *s, const struct quote *q, struct str *out)
{
	const struct toml_scan start = *s;
	s->at += strlen(q->open);
	if (q->is_multi)
		toml_take_newline(s);
	while (!toml_looking_at(s, q->open)) {
		bool is_end =
			s->at == s->end || (!q->is_multi && (*s->at == '\n' || *s->at == '\r'));
		if (is_end)
			return fail_unclosed(s, &start, q);
		if (scan_piece(s, q, out) < 0)
			return -1;
	}
	scan_close(s, q, out);
	return 0;
}

int toml_scan_string(struct toml_scan *s, bool is_key, struct str *out)
{
	struct quote q = quote_at(s);
	if (is_key && q.is_multi)
		return toml_fail(s, s->at, "a key can not be a multi-line string");
	return scan_body(s, &q, out);
}
