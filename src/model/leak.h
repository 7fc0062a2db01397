/*
 * The leak boundary (L0) as far as a machine sees it: no code in a curriculum's texts, no names of
 * the reference, no runs of its words. A paraphrase without names is for human review.
 */
#ifndef FORGE_MODEL_LEAK_H
#define FORGE_MODEL_LEAK_H

#include <stdbool.h>

#include "base/str.h"
#include "model/ctokens.h"

struct findings;

struct leak {
	bool has_reference;
	struct ctokens reference;
	struct strv interface; /* entry and parameters: everybody may say these */
	const char *file;
	struct findings *findings;
};

/* `reference_text` may be NULL: then only code is looked for. */
void leak_init(struct leak *l, const char *reference_text, const char *file, struct findings *f);
/* `what` names the text in messages: "D1.2 why". */
void leak_check(const struct leak *l, unsigned line, const char *what, const char *text);
/* The first name of the text that only the reference has; NULL: none. Yours. */
char *leak_foreign_name(const struct leak *l, const char *text);
/* What makes a text code and no prose ("for (", ";"), or NULL. */
const char *leak_code_in(const char *text);
void leak_release(struct leak *l);

#endif
