#include "base/str.h"

/* An empty str points at one shared byte, so that `text` may be read without a test and a str
 * that was never written to costs no allocation. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char str_empty[1];

void str_init(struct str *s)
{
	*s = (struct str)STR_INIT;
}

void str_release(struct str *s)
{
	if (s->cap)
		free(s->text);
	str_init(s);
}

void str_clear(struct str *s)
{
	s->len = 0;
	if (s->cap)
		s->text[0] = 0;
}

static void str_reserve(struct str *s, size_t extra)
{
	size_t need = s->len + extra + 1;
	if (need <= s->cap)
		return;
	size_t cap = s->cap ? s->cap : 64;
	while (cap < need)
		cap = size_mul(cap, 2);
	char *grown = xreallocarray(s->cap ? s->text : NULL, cap, 1);
	if (!s->cap)
		grown[0] = 0;
	s->text = grown;
	s->cap = cap;
}

void str_add_len(struct str *s, const void *bytes, size_t len)
{
	str_reserve(s, len);
	memcpy(s->text + s->len, bytes, len);
	s->len += len;
	s->text[s->len] = 0;
}

void str_add(struct str *s, const char *text)
{
	str_add_len(s, text, strlen(text));
}

void str_add_char(struct str *s, char c)
{
	str_add_len(s, &c, 1);
}

void str_vaddf(struct str *s, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (len < 0)
		return;
	str_reserve(s, (size_t)len);
	vsnprintf(s->text + s->len, (size_t)len + 1, fmt, ap);
	s->len += (size_t)len;
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(s, fmt, ap);
	va_end(ap);
}

char *str_take(struct str *s)
{
	char *text = s->cap ? s->text : xstrdup("");
	str_init(s);
	return text;
}

bool str_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *text, const char *suffix)
{
	size_t len = strlen(text);
	size_t tail = strlen(suffix);
	return len >= tail && strcmp(text + len - tail, suffix) == 0;
}

bool str_equal(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static void strv_push(struct strv *v, char *owned)
{
	if (v->nr + 2 > v->cap) {
		v->cap = v->cap ? size_mul(v->cap, 2) : 8;
		v->items = xreallocarray(v->items, v->cap, sizeof(*v->items));
	}
	v->items[v->nr++] = owned;
	v->items[v->nr] = NULL;
}

void strv_add(struct strv *v, const char *text)
{
	strv_push(v, xstrdup(text));
}

void strv_addf(struct strv *v, const char *fmt, ...)
{
	AUTO_STR struct str s = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	strv_push(v, str_take(&s));
}

void strv_add_all(struct strv *v, const struct strv *more)
{
	for (size_t i = 0; i < more->nr; i++)
		strv_add(v, more->items[i]);
}

void strv_split(struct strv *v, const char *text, const char *separators)
{
	while (*text) {
		size_t len = strcspn(text, separators);
		if (len)
			strv_push(v, xstrndup(text, len));
		text += len;
		text += strspn(text, separators);
	}
}

bool strv_has(const struct strv *v, const char *text)
{
	for (size_t i = 0; i < v->nr; i++)
		if (strcmp(v->items[i], text) == 0)
			return true;
	return false;
}

char *strv_join(const struct strv *v, const char *separator)
{
	AUTO_STR struct str s = STR_INIT;
	for (size_t i = 0; i < v->nr; i++)
		str_addf(&s, "%s%s", i ? separator : "", v->items[i]);
	return str_take(&s);
}

void strv_release(struct strv *v)
{
	for (size_t i = 0; i < v->nr; i++)
		free(v->items[i]);
	free(v->items);
	*v = (struct strv){ 0 };
}
