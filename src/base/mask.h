/*
 * Secrets, taken out of text by their value: keys, and what stands before the host in a proxy's
 * address. Whatever a process that holds one hands on (lines, records, words on stderr) goes
 * through here first.
 */
#ifndef FORGE_BASE_MASK_H
#define FORGE_BASE_MASK_H

#include "base/str.h"

struct mask {
	struct strv secrets; /* and what they look like inside of a JSON string */
};

/* NULL, or shorter than any secret: nothing is learnt. */
void mask_learn(struct mask *m, const char *secret);
/* Of the address of a proxy: "name:password" and the password, also as the % in them spells it. An
 * address without them is none, and NULL is not. */
void mask_learn_proxy(struct mask *m, const char *address);
/* Append `text` with *** in the place of all that was learnt. */
void mask_add(const struct mask *m, struct str *out, const char *text);
/* The same in place. */
void mask_text(const struct mask *m, struct str *text);
void mask_release(struct mask *m);
#define AUTO_MASK __attribute__((cleanup(mask_release)))

/* Variables that hold an address of a proxy; the last is NULL. */
extern const char *const mask_proxy_names[];

#endif
