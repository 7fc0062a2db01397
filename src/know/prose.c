#include "know/prose.h"

/* A word is what stands between blanks and brackets. One that begins with a letter is a name,
 * whatever digits follow (x86-64, L1); one that begins with a digit is a number, perhaps with its
 * unit (64-byte, 2x). A number that ends a line takes its unit from the next. */

#include <ctype.h>
#include <string.h>

#include "base/str.h"
#include "know/lesson.h"

static const char word_chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				 "_.^*/%+-";
static const char number_chars[] = "0123456789.^*/-";

const char *prose_plain(struct arena *a, const char *text)
{
	char *plain = arena_strdup(a, text);
	for (char *open = strchr(plain, '`'); open;) {
		char *close = strchr(open + 1, '`');
		if (!close)
			break;
		memset(open, ' ', (size_t)(close - open) + 1);
		open = strchr(close + 1, '`');
	}
	return plain;
}

static void add_line(struct prose *p, struct prose_line line)
{
	p->items[p->nr++] = line;
}

static const char *fence_of(const char *line)
{
	line += strspn(line, " ");
	return str_starts(line, "```") ? line + 3 : NULL;
}

static void cut_line(struct prose *p, const char *text, unsigned number)
{
	struct prose_line line = { .number = number, .text = text };
	const char *info = fence_of(text);
	if (info) {
		line.kind = PROSE_FENCE;
		line.info = p->open_fence ? NULL : info;
		p->open_fence = p->open_fence ? 0 : number;
	} else if (p->open_fence) {
		line.kind = PROSE_CODE;
	} else {
		line.kind = PROSE_TEXT;
		line.plain = prose_plain(&p->arena, text);
	}
	add_line(p, line);
}

void prose_cut(struct prose *p, const char *body, unsigned first)
{
	size_t nr = 1;
	*p = (struct prose){ .nr = 0 };
	for (const char *c = body; *c; c++)
		nr += *c == '\n';
	p->items = arena_array(&p->arena, nr, sizeof(*p->items));
	for (unsigned number = first; *body; number++) {
		size_t len = strcspn(body, "\n");
		cut_line(p, arena_strndup(&p->arena, body, len), number);
		body += len + (body[len] == '\n');
	}
}

void prose_release(struct prose *p)
{
	arena_release(&p->arena);
	*p = (struct prose){ 0 };
}

bool prose_has_text(const struct prose *p)
{
	for (size_t i = 0; i < p->nr; i++)
		if (p->items[i].kind == PROSE_TEXT && strspn(p->items[i].text, " \t") == 0 &&
		    isalpha((unsigned char)p->items[i].text[0]))
			return true;
	return false;
}

struct word {
	const char *text;
	size_t len;
};

/* The next word at or after `from`, without points at its end; len 0: there is none. */
static struct word word_at(const char *from)
{
	from += strcspn(from, word_chars);
	struct word w = { from, strspn(from, word_chars) };
	while (w.len > 1 && w.text[w.len - 1] == '.')
		w.len--;
	return w;
}

static bool is_number(struct word w)
{
	size_t sign = w.len > 1 && strchr("+-", w.text[0]);
	return w.len > sign && isdigit((unsigned char)w.text[sign]);
}

/* Length of the number at the word's beginning: digits, ranges and powers of them. */
static size_t number_len(struct word w)
{
	size_t len = strspn(w.text, "+-");
	len += strspn(w.text + len, number_chars);
	len = len > w.len ? w.len : len;
	while (len && !isdigit((unsigned char)w.text[len - 1]))
		len--;
	return len;
}

static bool is_unit(struct word w)
{
	return lesson_is_unit(w.text, w.len, true);
}

static bool joins(struct word w)
{
	static const char *const words[] = { "to", "or", "and", "by" };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == w.len && strncmp(words[i], w.text, w.len) == 0)
			return true;
	return false;
}

/* What follows the number `rest` stands behind: a unit, a word and a unit, or another number of the
 * same list, which is looked at by itself. */
static bool is_followed(const char *rest, const char *next)
{
	AUTO_FREE char *text = xasprintf("%s %s", rest, next);
	struct word a = word_at(text);
	struct word b = word_at(a.text + a.len);
	if (is_unit(a) || is_number(a))
		return true;
	if (!a.len || !b.len)
		return false;
	return (joins(a) && is_number(b)) || (!joins(a) && is_unit(b));
}

/* "64-byte", "2x": the unit is part of the word. */
static bool has_own_unit(struct word w, size_t number)
{
	struct word unit = { w.text + number, w.len - number };
	size_t dash = unit.len && unit.text[0] == '-';
	unit.text += dash;
	unit.len -= dash;
	return unit.len && is_unit(unit);
}

static bool begins_item(const char *line, struct word w)
{
	size_t indent = strspn(line, " ");
	return w.text == line + indent && strchr(".)", w.text[w.len]) && w.text[w.len] &&
	       w.text[w.len + 1] == ' ';
}

char *prose_bare_number(const char *plain, const char *next, size_t *at)
{
	for (;;) {
		struct word w = word_at(plain + *at);
		if (!w.len)
			return NULL;
		size_t number = is_number(w) ? number_len(w) : 0;
		*at = (size_t)(w.text - plain) + w.len;
		if (!number || begins_item(plain, w) || has_own_unit(w, number))
			continue;
		if (number == w.len && is_followed(plain + *at, next))
			continue;
		return xstrndup(w.text, w.len);
	}
}
