/*
 * The words of a C source: names, numbers, punctuation, in order and with lines. Comments, #include
 * lines and the contents of literals are left out. For lint only: it reads what a person wrote, it
 * does not compile.
 */
#ifndef FORGE_MODEL_CTOKENS_H
#define FORGE_MODEL_CTOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

enum ctoken_kind { CTOKEN_NAME, CTOKEN_NUMBER, CTOKEN_PUNCTUATION, CTOKEN_LITERAL };

struct ctoken {
	enum ctoken_kind kind;
	const char *text; /* one character of punctuation; "\"" or "'" for a literal */
	unsigned line;
};

struct ctokens {
	struct arena arena;
	struct ctoken *items;
	size_t nr;
	size_t cap;
};

#define AUTO_CTOKENS __attribute__((cleanup(ctokens_release)))

void ctokens_scan(struct ctokens *t, const char *text);
/* The same cut for prose: quotes and slashes are punctuation, nothing is left out. */
void ctokens_scan_prose(struct ctokens *t, const char *text);
void ctokens_release(struct ctokens *t);
bool ctoken_is(const struct ctoken *token, const char *text);
/* A keyword, a type of the C library or a name that every numeric source uses. */
bool ctoken_is_common(const char *name);
/* Which of these: "a word of C", "a name of the C library", ...; NULL: neither. */
const char *ctoken_common_kind(const char *name);

/* The parameters of a function's definition. */
struct cparam {
	const char *name;
	const char *type; /* without const and restrict: "float", "long long" */
	bool is_pointer;
};
struct cfunction {
	const char *name;
	bool is_static;
	unsigned line;
	struct cparam *params; /* in the arena of the tokens */
	size_t nr_params;
};

/* Walk the definitions: *at starts at 0; false after the last. `name` is borrowed from `t`. */
bool ctokens_next_function(struct ctokens *t, size_t *at, struct cfunction *out);
/* False when the source does not define `name`. */
bool ctokens_find_function(struct ctokens *t, const char *name, struct cfunction *out);

#endif
