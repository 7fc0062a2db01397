/*
 * GNU vector types in the emitted file: their names, and the small functions over them that the C
 * language has no operator for. Whatever is used is added to the text in front of the bodies.
 */
#ifndef FORGE_TUNER_VTYPE_H
#define FORGE_TUNER_VTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/etype.h"

struct arena;
struct expr;
struct kernel;

struct vtype {
	const char *element; /* "float" */
	const char *name;    /* "forge_v8f" */
	const char *loose;   /* "forge_u8f": aligned like its elements, for places in arrays */
	const char *suffix;  /* "8f" */
	unsigned lanes;
};

/* The widest type of at most `bits` bits whose lanes divide `trips`; false: there is none. */
bool vtype_fit(struct vtype *out, enum etype element, unsigned bits, int64_t trips);
/* The type that a cast to a pointer names. */
bool vtype_in_cast(struct vtype *out, const char *cast);

/* Its typedefs are written. */
void vtype_declare(const struct vtype *t, struct kernel *k);
/* How many arguments a function of math.h takes that is a helper too; 0: it is none. */
size_t vtype_function_args(const char *name);
/* Calls the helper with this name (vtype.c has the list) and has it written. */
struct expr *vtype_call(const struct vtype *t, struct kernel *k, const char *helper,
			struct expr *const *args, size_t nr);
/* The vector that begins at this element. */
struct expr *vtype_place(const struct vtype *t, struct arena *a, struct expr *element,
			 bool is_written);
/* The element that vtype_place was given; NULL: the expression is no such place. */
const struct expr *vtype_element(const struct expr *e, struct vtype *out);

#endif
