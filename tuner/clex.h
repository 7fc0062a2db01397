/*
 * C source to lexemes. Each knows where it stands in the source, so that what the parser does not
 * understand can be kept as the text that was written. Comments vanish; a preprocessor line is one
 * lexeme.
 */
#ifndef FORGE_TUNER_CLEX_H
#define FORGE_TUNER_CLEX_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;

enum lexeme_kind {
	LEXEME_NAME,
	LEXEME_NUMBER,
	LEXEME_STRING,
	LEXEME_CHAR,
	LEXEME_PUNCT,
	LEXEME_DIRECTIVE, /* from '#' to the end of its line, continued lines included */
	LEXEME_END,
};

struct lexeme {
	enum lexeme_kind kind;
	const char *text; /* in the arena given to clex_scan */
	size_t begin;     /* bytes from the start of the source */
	size_t end;
	unsigned line;
};

struct lexemes {
	struct lexeme *items; /* ends with a LEXEME_END that nr does not count */
	size_t nr;
	size_t cap;
};

#define AUTO_LEXEMES __attribute__((cleanup(lexemes_release)))

/* ERR_INPUT names the line of a literal or comment without an end, or of a byte that is no C. */
int clex_scan(struct lexemes *out, const char *source, struct arena *a, struct err *e);
void lexemes_add(struct lexemes *list, struct lexeme item);
void lexemes_release(struct lexemes *list);
bool lexeme_is(const struct lexeme *l, const char *text);

/* A pragma in front of a loop that rows write and that changes no result: "#pragma omp simd ...",
 * "#pragma GCC unroll 4". */
bool lexeme_is_hint(const struct lexeme *l);

#endif
