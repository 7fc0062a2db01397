/*
 * A reference that is given compiled: a relocatable object (`gcc -c -fPIC`) in the place of a
 * source. It skips the compiler and nothing else: screens, call shim and layouts are those of every
 * object.
 */
#ifndef FORGE_BUILD_GIVEN_H
#define FORGE_BUILD_GIVEN_H

#include <stdbool.h>

struct err;
struct str;
struct toolbox;
struct verdict;

/* Are these the bytes of an ELF file? No C source begins like one. */
bool given_is_object(const struct str *bytes);
/* Take the object from the source folder to where the compiler would have put its own, `symbol`
 * (NULL: the entry) renamed to the entry. One that can not be linked again is a verdict. */
int given_take(const struct toolbox *t, const struct str *bytes, const char *symbol,
	       const char *entry, struct verdict *v, struct err *e);

#endif
