#include "base/toml_scan.h"

/* Position keeping and the scalars without quotes. A scalar is first cut out as a token of the
 * characters that any number or date may hold, then matched against each grammar in turn: that
 * keeps the grammars free of look-ahead. */

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/toml.h"

int toml_fail(struct toml_scan *s, const char *at, const char *fmt, ...)
{
	AUTO_STR struct str why = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&why, fmt, ap);
	va_end(ap);
	return err_set(s->e, ERR_INPUT, "%s:%u:%u: %s", s->name, s->line, toml_col(s, at),
		       why.text);
}

unsigned toml_col(const struct toml_scan *s, const char *at)
{
	return (unsigned)(at - s->line_start) + 1;
}

int toml_peek(const struct toml_scan *s)
{
	return s->at < s->end ? (unsigned char)*s->at : -1;
}

bool toml_looking_at(const struct toml_scan *s, const char *text)
{
	size_t len = strlen(text);
	return (size_t)(s->end - s->at) >= len && memcmp(s->at, text, len) == 0;
}

void toml_skip_blanks(struct toml_scan *s)
{
	while (toml_peek(s) == ' ' || toml_peek(s) == '\t')
		s->at++;
}

bool toml_take_newline(struct toml_scan *s)
{
	size_t len = toml_looking_at(s, "\r\n") ? 2 : toml_looking_at(s, "\n") ? 1 : 0;
	if (!len)
		return false;
	s->at += len;
	s->line++;
	s->line_start = s->at;
	return true;
}

/* Length of the UTF-8 character at `at`, or 0: no overlong forms, no surrogates, no more than
 * U+10FFFF (Unicode 15, table 3-7). */
static size_t utf8_len(const unsigned char *at, size_t left)
{
	size_t len = at[0] < 0x80 ? 1 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : 4;
	if (len == 1)
		return 1;
	if (at[0] < 0xC2 || at[0] > 0xF4 || left < len)
		return 0;
	unsigned low = at[0] == 0xE0 ? 0xA0 : at[0] == 0xF0 ? 0x90 : 0x80;
	unsigned high = at[0] == 0xED ? 0x9F : at[0] == 0xF4 ? 0x8F : 0xBF;
	if (at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if (at[i] < 0x80 || at[i] > 0xBF)
			return 0;
	return len;
}

static bool is_control(int c)
{
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
}

int toml_check_bytes(struct toml_scan *s)
{
	struct toml_scan walk = *s;
	while (walk.at < walk.end) {
		if (toml_take_newline(&walk))
			continue;
		size_t len = utf8_len((const unsigned char *)walk.at, (size_t)(s->end - walk.at));
		if (len == 0)
			return toml_fail(&walk, walk.at, "this is not UTF-8");
		if (*walk.at == '\r')
			return toml_fail(&walk, walk.at, "a carriage return without a newline");
		if (len == 1 && is_control(*walk.at))
			return toml_fail(&walk, walk.at, "control character 0x%02x; write \\u%04x",
					 *walk.at, *walk.at);
		walk.at += len;
	}
	return 0;
}

static void skip_comment(struct toml_scan *s)
{
	if (toml_peek(s) != '#')
		return;
	while (s->at < s->end && *s->at != '\n' && *s->at != '\r')
		s->at++;
}

int toml_end_line(struct toml_scan *s)
{
	toml_skip_blanks(s);
	skip_comment(s);
	if (s->at == s->end || toml_take_newline(s))
		return 0;
	return toml_fail(s, s->at, "expected the end of the line");
}

int toml_skip_lines(struct toml_scan *s)
{
	do {
		toml_skip_blanks(s);
		skip_comment(s);
	} while (toml_take_newline(s));
	return 0;
}

static bool is_token_char(int c)
{
	return c >= 0 && (isalnum(c) || strchr("_+-.:", c));
}

static bool is_digit_of(char c, unsigned base)
{
	if (base == 16)
		return isxdigit((unsigned char)c);
	return c >= '0' && c < (char)('0' + base);
}

/* Digits with single underscores between them, at least one digit; returns what is left. */
static const char *skip_digits(const char *at, unsigned base)
{
	if (!is_digit_of(*at, base))
		return NULL;
	while (is_digit_of(*at, base) || (*at == '_' && is_digit_of(at[1], base)))
		at++;
	return at;
}

static void drop_underscores(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++)
		if (*from != '_')
			*to++ = *from;
	*to = 0;
}

static unsigned base_of(const char *token)
{
	if (token[0] != '0')
		return 10;
	return token[1] == 'x' ? 16 : token[1] == 'o' ? 8 : token[1] == 'b' ? 2 : 10;
}

static bool is_integer(const char *token, unsigned base)
{
	if (base != 10) {
		const char *rest = skip_digits(token + 2, base);
		return rest && !*rest;
	}
	const char *digits = token + (*token == '+' || *token == '-');
	const char *rest = skip_digits(digits, 10);
	return rest && !*rest && (digits[0] != '0' || !digits[1]);
}

/* Integer part without leading zeros, then a fraction, an exponent or both. */
static bool is_float(const char *token)
{
	const char *digits = token + (*token == '+' || *token == '-');
	const char *at = skip_digits(digits, 10);
	if (!at || (digits[0] == '0' && at - digits > 1))
		return false;
	if (*at == '.')
		at = skip_digits(at + 1, 10);
	if (!at)
		return false;
	if (*at != 'e' && *at != 'E')
		return !*at;
	at++;
	at = skip_digits(at + (*at == '+' || *at == '-'), 10);
	return at && !*at;
}

static bool is_special_float(const char *token, double *out)
{
	bool is_negative = *token == '-';
	const char *word = token + (*token == '+' || *token == '-');
	if (strcmp(word, "inf") != 0 && strcmp(word, "nan") != 0)
		return false;
	*out = *word == 'i' ? HUGE_VAL : (double)NAN;
	*out = is_negative ? -*out : *out;
	return true;
}

static int set_integer(struct toml_scan *s, const char *at, char *token, struct toml *value)
{
	unsigned base = base_of(token);
	drop_underscores(token);
	errno = 0;
	value->type = TOML_INTEGER;
	value->integer = strtoll(base == 10 ? token : token + 2, NULL, (int)base);
	return errno == ERANGE ? toml_fail(s, at, "the integer does not fit 64 bits") : 0;
}

static int set_float(char *token, struct toml *value)
{
	drop_underscores(token);
	value->type = TOML_FLOAT;
	value->real = strtod(token, NULL);
	return 0;
}

static int match_scalar(struct toml_scan *s, const char *at, char *token, struct toml *value)
{
	if (strcmp(token, "true") == 0 || strcmp(token, "false") == 0) {
		value->type = TOML_BOOL;
		value->boolean = token[0] == 't';
		return 0;
	}
	if (is_special_float(token, &value->real)) {
		value->type = TOML_FLOAT;
		return 0;
	}
	if (is_integer(token, base_of(token)))
		return set_integer(s, at, token, value);
	if (is_float(token))
		return set_float(token, value);
	if (isdigit((unsigned char)token[*token == '+' || *token == '-']))
		return toml_fail(s, at,
				 "%s is not a number; no leading zeros, '_' only between digits",
				 token);
	return toml_fail(s, at, "%s is not a value; text needs quotes", token);
}

/* A date and a time of day may be parted by one blank: "1979-05-27 07:32:00". */
static size_t token_len(const struct toml_scan *s)
{
	const char *at = s->at;
	while (at < s->end && is_token_char((unsigned char)*at))
		at++;
	bool has_time = at - s->at == 10 && s->at[4] == '-' && s->end - at > 2 && *at == ' ' &&
			isdigit((unsigned char)at[1]);
	if (has_time)
		for (at++; at < s->end && is_token_char((unsigned char)*at);)
			at++;
	return (size_t)(at - s->at);
}

int toml_scan_scalar(struct toml_scan *s, struct toml *value)
{
	const char *at = s->at;
	size_t len = token_len(s);
	if (len == 0)
		return toml_fail(s, at, "expected a value");
	s->at += len;
	if (toml_is_date(at, len))
		return toml_scan_date(s, at, len, value);
	AUTO_FREE char *token = xstrndup(at, len);
	return match_scalar(s, at, token, value);
}
