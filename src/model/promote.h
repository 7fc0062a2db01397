/*
 * Promotes a C reference from float to double, token by token: types, literals, math functions and
 * limits. This is how a task without a judge gets one; such a judge is not independent of the
 * reference, and reports say so. What a token can not tell (bit tricks, vector types) is refused.
 */
#ifndef FORGE_MODEL_PROMOTE_H
#define FORGE_MODEL_PROMOTE_H

struct err;
struct str;

/* Appends the promoted text to `out`. Comments, strings, characters and #include lines stay as they
 * are. ERR_INPUT (with the line) for vector types and intrinsics, unions, inline assembly, and
 * comments or strings without an end. `name` stands in messages. */
int promote_source(const char *source, const char *name, struct str *out, struct err *e);

#endif
