/*
 * Growing text and lists of text. A `struct str` is never NULL inside: `str.text` is always a
 * valid C string (empty at birth), `str.len` excludes the final 0. `{0}` is not a legal str; use
 * STR_INIT or str_init. A `struct strv` is a NULL-terminated argv-like list; `{0}` is legal.
 */
#ifndef FORGE_BASE_STR_H
#define FORGE_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
	char *text;
	size_t len;
	size_t cap; /* 0: text is the shared empty string */
};

extern char str_empty[1];
#define STR_INIT                                                                                   \
	{                                                                                          \
		.text = str_empty                                                                  \
	}
#define AUTO_STR __attribute__((cleanup(str_release)))

void str_init(struct str *s);
void str_release(struct str *s);
void str_clear(struct str *s);
void str_add(struct str *s, const char *text);
void str_add_len(struct str *s, const void *bytes, size_t len);
void str_add_char(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_vaddf(struct str *s, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* The text as heap memory that is yours; `s` is empty again. */
char *str_take(struct str *s);

bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
bool str_equal(const char *a, const char *b);

struct strv {
	char **items; /* NULL-terminated once anything was added */
	size_t nr;
	size_t cap;
};

#define AUTO_STRV __attribute__((cleanup(strv_release)))

void strv_add(struct strv *v, const char *text);
void strv_addf(struct strv *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strv_add_all(struct strv *v, const struct strv *more);
/* Split at any of the separator characters, empty pieces dropped. */
void strv_split(struct strv *v, const char *text, const char *separators);
bool strv_has(const struct strv *v, const char *text);
/* Join with a separator; the result is yours. */
char *strv_join(const struct strv *v, const char *separator);
void strv_release(struct strv *v);

#endif
