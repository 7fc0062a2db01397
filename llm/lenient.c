#include "llm/lenient.h"

/* Most text is as it should be, so it is mended only when it was refused. */

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/untrusted.h"

static const char stand_in[] = "\xEF\xBF\xBD";

/* Code of the "\uXXXX" at `at`, or -1. */
static long escape_at(const char *at, size_t left)
{
	char digits[5] = "";
	if (left < 6 || at[0] != '\\' || at[1] != 'u')
		return -1;
	memcpy(digits, at + 2, 4);
	for (int i = 0; i < 4; i++)
		if (!isxdigit((unsigned char)digits[i]))
			return -1;
	return strtol(digits, NULL, 16);
}

static bool is_high(long code)
{
	return code >= 0xd800 && code < 0xdc00;
}

static bool is_low(long code)
{
	return code >= 0xdc00 && code < 0xe000;
}

/* An escape; returns its length. */
static size_t mend_escape(struct str *out, const char *at, size_t left)
{
	long code = escape_at(at, left);
	if (code < 0) {
		size_t len = left > 1 ? 2 : 1;
		str_add_len(out, at, len);
		return len;
	}
	if (is_high(code) && is_low(escape_at(at + 6, left - 6))) {
		str_add_len(out, at, 12);
		return 12;
	}
	if (code == 0 || is_high(code) || is_low(code))
		str_add(out, stand_in);
	else
		str_add_len(out, at, 6);
	return 6;
}

static size_t mend_character(struct str *out, const char *at, size_t left)
{
	uint32_t code;
	size_t len;
	if (char_kind_at(at, left, &code, &len) == CHAR_INVALID)
		str_add(out, stand_in);
	else
		str_add_len(out, at, len);
	return len;
}

static void mend(struct str *out, const char *text, size_t len)
{
	size_t at = 0;
	while (at < len)
		at += text[at] == '\\' ? mend_escape(out, text + at, len - at)
				       : mend_character(out, text + at, len - at);
}

json_t *lenient_json(const char *text, size_t len, struct err *e)
{
	json_error_t why;
	json_t *json = json_loadb(text, len, JSON_DECODE_ANY, &why);
	if (json)
		return json;
	AUTO_STR struct str mended = STR_INIT;
	mend(&mended, text, len);
	json = json_loadb(mended.text, mended.len, JSON_DECODE_ANY, NULL);
	if (!json)
		err_set(e, ERR_INPUT, "line %d column %d (byte %d): %s", why.line, why.column,
			why.position, why.text);
	return json;
}
