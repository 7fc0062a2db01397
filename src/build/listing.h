/*
 * The instructions of an object as text, for readers who may not see its source: functions are f0,
 * f1 ..., what is called outside is named only where the allow list of imports names it, too
 * (imports.def), and no other name of the object is left.
 */
#ifndef FORGE_BUILD_LISTING_H
#define FORGE_BUILD_LISTING_H

#include <stddef.h>

#include "base/str.h"

struct build_spec;
struct disasm;
struct err;
struct toolbox;

struct listing {
	struct str text;
	size_t nr;   /* instructions of the object */
	size_t next; /* the first one that did not find room; nr: none is left */
};

/* What objdump says of the leaf object, in the form that disasm_parse reads. False in *is_whole:
 * there is more code than anybody reads. */
int listing_read(const struct toolbox *t, struct str *out, bool *is_whole, struct err *e);
/* The instructions from `from` on, whole lines, at most `max_bytes` of them. */
void listing_print(const struct disasm *d, size_t from, size_t max_bytes, struct listing *out);
/* Both, of the object that build_run left for this spec. */
int listing_of_build(const struct build_spec *s, size_t from, size_t max_bytes, struct listing *out,
		     struct err *e);
void listing_release(struct listing *l);
#define AUTO_LISTING __attribute__((cleanup(listing_release)))

#endif
