/*
 * The allow list of undefined symbols (imports.def), and what kind each is.
 */
#ifndef FORGE_BUILD_IMPORT_H
#define FORGE_BUILD_IMPORT_H

enum import_kind { IMPORT_FORBIDDEN, IMPORT_MATH, IMPORT_MEMORY, IMPORT_HELPER, IMPORT_THREADS };

enum import_kind import_kind_of(const char *name);
/* Bits of the vectors that a libmvec variant works on ("_ZGVdN8v_expf": 256), else 0. */
unsigned import_vector_bits(const char *name);

#endif
