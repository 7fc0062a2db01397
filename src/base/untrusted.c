#include "base/untrusted.h"

/* The list of characters is short and closed on purpose: letters of all scripts stay as they are.
 * Backslashes stay too; this makes text harmless, not reversible. */

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum { PIECE_BYTES = 16, FENCE_MIN = 3 };

struct range {
	uint32_t first;
	uint32_t last;
	enum char_kind kind;
};

static const struct range ranges[] = {
	{ 0x00, 0x08, CHAR_CONTROL },         { 0x09, 0x0a, CHAR_BREAK },
	{ 0x0b, 0x1f, CHAR_CONTROL },         { 0x7f, 0x9f, CHAR_CONTROL },
	{ 0xad, 0xad, CHAR_INVISIBLE },       { 0x34f, 0x34f, CHAR_INVISIBLE },
	{ 0x61c, 0x61c, CHAR_BIDI },          { 0x115f, 0x1160, CHAR_INVISIBLE },
	{ 0x17b4, 0x17b5, CHAR_INVISIBLE },   { 0x180b, 0x180f, CHAR_INVISIBLE },
	{ 0x200b, 0x200d, CHAR_INVISIBLE },   { 0x200e, 0x200f, CHAR_BIDI },
	{ 0x2028, 0x2029, CHAR_CONTROL },     { 0x202a, 0x202e, CHAR_BIDI },
	{ 0x2060, 0x2065, CHAR_INVISIBLE },   { 0x2066, 0x2069, CHAR_BIDI },
	{ 0x206a, 0x206f, CHAR_INVISIBLE },   { 0x3164, 0x3164, CHAR_INVISIBLE },
	{ 0xfdd0, 0xfdef, CHAR_CONTROL },     { 0xfe00, 0xfe0f, CHAR_INVISIBLE },
	{ 0xfeff, 0xfeff, CHAR_INVISIBLE },   { 0xffa0, 0xffa0, CHAR_INVISIBLE },
	{ 0xfff0, 0xfffb, CHAR_INVISIBLE },   { 0xfffe, 0xffff, CHAR_CONTROL },
	{ 0x1d173, 0x1d17a, CHAR_INVISIBLE }, { 0xe0000, 0xe0fff, CHAR_INVISIBLE },
};

static enum char_kind kind_of(uint32_t code)
{
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return ranges[i].kind;
	return CHAR_PLAIN;
}

/* Length that the first byte announces, with its own bits of the code; 0: it begins nothing. */
static size_t lead(unsigned char c, uint32_t *bits)
{
	static const struct {
		unsigned char first;
		unsigned char last;
		unsigned char mask;
		size_t len;
	} rows[] = { { 0x00, 0x7f, 0x7f, 1 },
		     { 0xc2, 0xdf, 0x1f, 2 },
		     { 0xe0, 0xef, 0x0f, 3 },
		     { 0xf0, 0xf4, 0x07, 4 } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (c < rows[i].first || c > rows[i].last)
			continue;
		*bits = c & rows[i].mask;
		return rows[i].len;
	}
	return 0;
}

/* Longer than it need be, half of a pair, or above the last plane. */
static bool is_no_character(uint32_t code, size_t len)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	return code < least[len] || (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
}

enum char_kind char_kind_at(const char *at, size_t left, uint32_t *code, size_t *len)
{
	const unsigned char *bytes = (const unsigned char *)at;
	uint32_t value = 0;
	size_t want = lead(bytes[0], &value);
	*code = bytes[0];
	*len = 1;
	if (!want || want > left)
		return CHAR_INVALID;
	for (size_t i = 1; i < want; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return CHAR_INVALID;
		value = value << 6 | (bytes[i] & 0x3f);
	}
	if (is_no_character(value, want))
		return CHAR_INVALID;
	*code = value;
	*len = want;
	return kind_of(value);
}

const char *char_kind_name(enum char_kind kind)
{
	static const char *const names[] = {
		[CHAR_PLAIN] = "plain",         [CHAR_BREAK] = "blank",
		[CHAR_CONTROL] = "control",     [CHAR_BIDI] = "bidirectional",
		[CHAR_INVISIBLE] = "invisible", [CHAR_INVALID] = "invalid",
	};
	return names[kind];
}

struct reader {
	const char *at;
	const char *end;
	bool is_block;
};

/* What stands for the next character, and past it. */
static void read_piece(struct reader *r, char piece[PIECE_BYTES])
{
	uint32_t code = 0;
	size_t len = 0;
	enum char_kind kind = char_kind_at(r->at, (size_t)(r->end - r->at), &code, &len);
	bool is_line_end = r->is_block && str_starts(r->at, "\r\n");
	if (is_line_end)
		snprintf(piece, PIECE_BYTES, "\n");
	else if (kind == CHAR_PLAIN || (kind == CHAR_BREAK && r->is_block))
		snprintf(piece, PIECE_BYTES, "%.*s", (int)len, r->at);
	else if (kind == CHAR_BREAK)
		snprintf(piece, PIECE_BYTES, " ");
	else if (code == '\r')
		snprintf(piece, PIECE_BYTES, "\\r");
	else if (code < 0x80 || kind == CHAR_INVALID)
		snprintf(piece, PIECE_BYTES, "\\x%02x", (unsigned)code);
	else
		snprintf(piece, PIECE_BYTES, "\\u{%04x}", (unsigned)code);
	r->at += is_line_end ? 2 : len;
}

static void add_shown(struct str *out, const char *text, size_t max_bytes, bool is_block)
{
	struct reader r = { text, text + strlen(text), is_block };
	size_t start = out->len;
	char piece[PIECE_BYTES];
	while (r.at < r.end && (!max_bytes || out->len - start < max_bytes)) {
		read_piece(&r, piece);
		str_add(out, piece);
	}
	if (r.at < r.end)
		str_addf(out, "... (%zu bytes more)", (size_t)(r.end - r.at));
}

void untrusted_line(struct str *out, const char *text, size_t max_bytes)
{
	add_shown(out, text, max_bytes, false);
}

void untrusted_block(struct str *out, const char *text, size_t max_bytes)
{
	add_shown(out, text, max_bytes, true);
}

void untrusted_copy(char *out, size_t cap, const char *text)
{
	static const char cut[] = "...";
	struct reader r = { text, text + strlen(text), false };
	char piece[PIECE_BYTES];
	size_t len = 0;
	size_t fits = 0; /* the most that leaves room for the mark of a cut */
	out[0] = 0;
	while (r.at < r.end) {
		read_piece(&r, piece);
		size_t more = strlen(piece);
		if (len + more >= cap) {
			memcpy(out + fits, cut, sizeof(cut));
			return;
		}
		memcpy(out + len, piece, more + 1);
		len += more;
		if (len + sizeof(cut) <= cap)
			fits = len;
	}
}

/* Bytes of printable ASCII from here on: most of any JSON. */
static size_t ascii_run(const char *text)
{
	size_t len = 0;
	while (text[len] >= ' ' && text[len] <= '~')
		len++;
	return len;
}

void untrusted_json(struct str *out, const char *json)
{
	const char *end = json + strlen(json);
	while (json < end) {
		uint32_t code = 0;
		size_t len = ascii_run(json);
		str_add_len(out, json, len);
		json += len;
		if (json == end)
			return;
		enum char_kind kind = char_kind_at(json, (size_t)(end - json), &code, &len);
		if (kind == CHAR_PLAIN || kind == CHAR_BREAK || kind == CHAR_INVALID)
			str_add_len(out, json, len);
		else if (code > 0xffff)
			str_addf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
				 0xdc00 + ((code - 0x10000) & 0x3ff));
		else
			str_addf(out, "\\u%04x", code);
		json += len;
	}
}

static size_t longest_run(const char *text)
{
	size_t longest = 0;
	while (*text) {
		size_t run = strspn(text, "`");
		longest = run > longest ? run : longest;
		text += run ? run : 1;
	}
	return longest;
}

void untrusted_fence(struct str *out, const char *info, const char *text, size_t max_bytes)
{
	AUTO_STR struct str shown = STR_INIT;
	AUTO_STR struct str fence = STR_INIT;
	untrusted_block(&shown, text, max_bytes);
	size_t run = longest_run(shown.text);
	for (size_t i = 0; i < (run < FENCE_MIN ? FENCE_MIN : run + 1); i++)
		str_add_char(&fence, '`');
	str_addf(out, "%s%s\n%s%s%s\n", fence.text, info, shown.text,
		 str_ends(shown.text, "\n") ? "" : "\n", fence.text);
}
