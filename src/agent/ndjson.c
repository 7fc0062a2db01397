#include "agent/ndjson.h"

/* The bounds are those of docs/agents.md: one line that is too long may be a file that an agent
 * printed, a second one is a flood; twenty broken lines, or more than half of all, are no protocol.
 */

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/untrusted.h"

enum { MAX_SHOWN_BYTES = 4000, MAX_LONG = 1 };

void ndjson_init(struct ndjson *n)
{
	*n = (struct ndjson){ .line = STR_INIT };
}

void ndjson_release(struct ndjson *n)
{
	str_release(&n->line);
}

/* jansson recurses once a level. */
static bool is_too_deep(const char *text, size_t len)
{
	unsigned depth = 0;
	bool in_string = false;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		if (c == '"')
			in_string = !in_string;
		else if (in_string && c == '\\')
			i++;
		else if (!in_string && (c == '{' || c == '[') && ++depth > NDJSON_MAX_DEPTH)
			return true;
		else if (!in_string && (c == '}' || c == ']') && depth)
			depth--;
	}
	return false;
}

/* Numbers that fit no int64 are reals; the last of two equal keys counts. */
static json_t *parse(const struct str *line, struct str *why)
{
	static const size_t ways[] = { JSON_ALLOW_NUL, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL };
	json_error_t error = { 0 };
	if (is_too_deep(line->text, line->len)) {
		str_addf(why, "nested deeper than %d", NDJSON_MAX_DEPTH);
		return NULL;
	}
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		json_t *obj = json_loadb(line->text, line->len, ways[i], &error);
		if (obj)
			return obj;
	}
	untrusted_line(why, error.text, MAX_SHOWN_BYTES);
	return NULL;
}

static void say(const struct ndjson *n, enum ndjson_kind kind, const char *text, ndjson_fn see,
		void *ctx)
{
	if (!n->is_broken)
		see(ctx, &(struct ndjson_item){ .kind = kind, .text = text });
}

static void give_up(struct ndjson *n, const char *text, ndjson_fn see, void *ctx)
{
	say(n, NDJSON_BROKEN, text, see, ctx);
	n->is_broken = true;
}

static void take_malformed(struct ndjson *n, const char *why, ndjson_fn see, void *ctx)
{
	AUTO_FREE char *text = xasprintf("a line of its output is no JSON: %s", why);
	n->nr_malformed++;
	say(n, NDJSON_WARNING, text, see, ctx);
	if (n->nr_malformed > NDJSON_MAX_MALFORMED)
		give_up(n, "too many lines of its output are no JSON", see, ctx);
}

static void take_object(struct ndjson *n, const struct str *line, ndjson_fn see, void *ctx)
{
	AUTO_STR struct str why = STR_INIT;
	AUTO_JSON json_t *obj = parse(line, &why);
	n->nr_lines++;
	if (!obj)
		take_malformed(n, why.text, see, ctx);
	else if (!n->is_broken)
		see(ctx, &(struct ndjson_item){ NDJSON_OBJECT, line->text, obj });
}

static void take_text(const struct ndjson *n, const struct str *line, ndjson_fn see, void *ctx)
{
	AUTO_STR struct str shown = STR_INIT;
	untrusted_line(&shown, line->text, MAX_SHOWN_BYTES);
	if (shown.len)
		say(n, NDJSON_TEXT, shown.text, see, ctx);
}

static void take_line(struct ndjson *n, const char *text, size_t len, ndjson_fn see, void *ctx)
{
	static const char bom[] = "\xEF\xBB\xBF";
	if (len >= 3 && memcmp(text, bom, 3) == 0) {
		text += 3;
		len -= 3;
	}
	if (len && text[len - 1] == '\r')
		len--;
	AUTO_STR struct str line = STR_INIT;
	json_mend(&line, text, len, true);
	if (line.text[0] == '{')
		take_object(n, &line, see, ctx);
	else
		take_text(n, &line, see, ctx);
}

static void take_long(struct ndjson *n, ndjson_fn see, void *ctx)
{
	str_release(&n->line);
	str_init(&n->line);
	n->is_skipping = true;
	say(n, NDJSON_WARNING, "a line of its output was too long and was skipped", see, ctx);
	if (++n->nr_long > MAX_LONG)
		give_up(n, "its output has lines that are too long", see, ctx);
}

/* A piece that ends a line, or the rest of what came. */
static void add_piece(struct ndjson *n, const char *piece, size_t len, ndjson_fn see, void *ctx)
{
	size_t max = n->max_line ? n->max_line : NDJSON_MAX_BYTES;
	if (n->is_skipping)
		return;
	if (len > max - n->line.len)
		take_long(n, see, ctx);
	else
		str_add_len(&n->line, piece, len);
}

static void end_line(struct ndjson *n, ndjson_fn see, void *ctx)
{
	if (!n->is_skipping && n->line.len)
		take_line(n, n->line.text, n->line.len, see, ctx);
	n->is_skipping = false;
	str_clear(&n->line);
}

void ndjson_feed(struct ndjson *n, const char *bytes, size_t len, ndjson_fn see, void *ctx)
{
	while (len) {
		const char *newline = memchr(bytes, '\n', len);
		size_t piece = newline ? (size_t)(newline - bytes) : len;
		add_piece(n, bytes, piece, see, ctx);
		if (newline)
			end_line(n, see, ctx);
		piece += newline != NULL;
		bytes += piece;
		len -= piece;
	}
}

void ndjson_end(struct ndjson *n, ndjson_fn see, void *ctx)
{
	end_line(n, see, ctx);
	if (n->nr_malformed * 2 > n->nr_lines)
		give_up(n, "most lines of its output are no JSON", see, ctx);
}
