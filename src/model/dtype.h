/*
 * Element types of arguments. Loads and stores convert to and from double (integers exactly up to
 * 2^53; judge integers through dtype_load_int). f16, bf16 and f8 round to nearest even and never
 * saturate: what is too large is an infinity, in f8e4m3 (the OCP "fn" format, which has none) a
 * NaN.
 */
#ifndef FORGE_MODEL_DTYPE_H
#define FORGE_MODEL_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum dtype {
#define DTYPE(id, name, bytes, ctype, is_float, floor) DTYPE_##id,
#include "model/dtype.def"
#undef DTYPE
	DTYPE_NR
};

const char *dtype_name(enum dtype t);
/* 0 and *out, or -1 for an unknown name. */
int dtype_parse(const char *name, enum dtype *out);
size_t dtype_bytes(enum dtype t);
const char *dtype_ctype(enum dtype t);
bool dtype_is_float(enum dtype t);
/* Relative floor of a tolerance; 0 for exact types. */
double dtype_floor(enum dtype t);
double dtype_load(enum dtype t, const void *base, size_t i);
/* The same of `nr` elements; neither side need be aligned beyond its element. */
void dtype_load_many(enum dtype t, const void *from, size_t nr, double *out);
void dtype_store(enum dtype t, void *base, size_t i, double value);
int64_t dtype_load_int(enum dtype t, const void *base, size_t i);
void dtype_store_int(enum dtype t, void *base, size_t i, int64_t value);

#endif
