/*
 * The words of a C source with their places, and which names it declares at file scope: what has to
 * be told apart when two sources become one file. It reads what a compiler took before; where
 * macros hide a declaration it finds less, never something that is not there.
 */
#ifndef FORGE_MODEL_CSCOPE_H
#define FORGE_MODEL_CSCOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum cword_kind { CWORD_NAME, CWORD_NUMBER, CWORD_PUNCTUATION, CWORD_LITERAL, CWORD_COMMENT };

struct cword {
	enum cword_kind kind;
	const char *at; /* in the text */
	size_t len;
	bool is_directive; /* within a preprocessor line; #include lines have no words */
	bool is_attribute; /* the name of an attribute, which is nobody's */
};

/* Of each list; a source with more is none that a person reads. */
enum { CSCOPE_MAX_NAMES = 1024 };

struct cscope {
	const char *text; /* borrowed */
	struct cword *words;
	size_t nr;
	size_t cap;
	struct strv names;    /* functions it defines, objects, types, tags, enumerators */
	struct strv macros;   /* what its #define and #undef lines name */
	struct strv includes; /* lines of #include that stand in no #if */
	bool is_too_large;    /* not all names are listed */
};

void cscope_read(struct cscope *c, const char *text);
void cscope_release(struct cscope *c);
#define AUTO_CSCOPE __attribute__((cleanup(cscope_release)))
bool cword_is(const struct cword *w, const char *text);
/* Does any name of the source begin with this stem and a digit? */
bool cscope_has_stem(const struct cscope *c, const char *stem);
/* The text with `prefix` before each of its own names; comments that hold `dropped` are left out,
 * since they speak about the file as a whole. */
void cscope_print(const struct cscope *c, const char *prefix, const char *dropped, struct str *out);

#endif
