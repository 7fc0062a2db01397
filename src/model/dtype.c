#include "model/dtype.h"

/* The small float types (f16, bf16, f8) are converted by the kit's header, so that a judge rounds
 * as we do: from double in one step, there is no double rounding through float. Element access is
 * by memcpy: argument buffers are aligned, guard-page placements need not be. */

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "forge/small_float.h"

struct dtype_row {
	const char *name;
	size_t bytes;
	const char *ctype;
	bool is_float;
	double floor;
};

static const struct dtype_row rows[] = {
#define DTYPE(id, name, bytes, ctype, is_float, floor) { name, bytes, ctype, is_float, floor },
#include "model/dtype.def"
#undef DTYPE
};

const char *dtype_name(enum dtype t)
{
	return rows[t].name;
}

int dtype_parse(const char *name, enum dtype *out)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (str_equal(name, rows[i].name)) {
			*out = (enum dtype)i;
			return 0;
		}
	}
	return -1;
}

size_t dtype_bytes(enum dtype t)
{
	return rows[t].bytes;
}

const char *dtype_ctype(enum dtype t)
{
	return rows[t].ctype;
}

bool dtype_is_float(enum dtype t)
{
	return rows[t].is_float;
}

double dtype_floor(enum dtype t)
{
	return rows[t].floor;
}

#define LOAD(type, base, i)                                                                        \
	__extension__({                                                                            \
		type item_;                                                                        \
		memcpy(&item_, (const unsigned char *)(base) + (i) * sizeof(item_),                \
		       sizeof(item_));                                                             \
		item_;                                                                             \
	})
#define STORE(type, base, i, value)                                                                \
	do {                                                                                       \
		type item_ = (type)(value);                                                        \
		memcpy((unsigned char *)(base) + (i) * sizeof(item_), &item_, sizeof(item_));      \
	} while (0)

double dtype_load(enum dtype t, const void *base, size_t i)
{
	switch (t) {
	case DTYPE_F64:
		return LOAD(double, base, i);
	case DTYPE_F32:
		return LOAD(float, base, i);
	case DTYPE_F16:
		return forge_f16_load(LOAD(uint16_t, base, i));
	case DTYPE_BF16:
		return forge_bf16_load(LOAD(uint16_t, base, i));
	case DTYPE_F8E4M3:
		return forge_f8e4m3_load(LOAD(uint8_t, base, i));
	case DTYPE_F8E5M2:
		return forge_f8e5m2_load(LOAD(uint8_t, base, i));
	case DTYPE_I64:
	case DTYPE_I32:
	case DTYPE_I8:
	case DTYPE_U8:
	case DTYPE_BOOL:
		return (double)dtype_load_int(t, base, i);
	case DTYPE_NR:
		break;
	}
	BUG("no such dtype: %d", (int)t);
}

typedef double lanes __attribute__((vector_size(16)));
typedef float narrow_lanes __attribute__((vector_size(8)));

static void load_floats(const unsigned char *from, size_t nr, double *out)
{
	size_t i = 0;
	for (; i + 2 <= nr; i += 2) {
		narrow_lanes two;
		memcpy(&two, from + i * sizeof(float), sizeof(two));
		lanes wide = __builtin_convertvector(two, lanes);
		memcpy(out + i, &wide, sizeof(wide));
	}
	if (i < nr)
		out[i] = dtype_load(DTYPE_F32, from, i);
}

void dtype_load_many(enum dtype t, const void *from, size_t nr, double *out)
{
	if (t == DTYPE_F32) {
		load_floats(from, nr, out);
		return;
	}
	for (size_t i = 0; i < nr; i++)
		out[i] = dtype_load(t, from, i);
}

/* Round to nearest even, saturate, NaN to 0: no input makes the conversion undefined. */
static int64_t int_of(double value)
{
	if (isnan(value))
		return 0;
	if (value >= 0x1p63)
		return INT64_MAX;
	if (value <= -0x1p63)
		return INT64_MIN;
	return (int64_t)rint(value);
}

void dtype_store(enum dtype t, void *base, size_t i, double value)
{
	switch (t) {
	case DTYPE_F64:
		STORE(double, base, i, value);
		return;
	case DTYPE_F32:
		STORE(float, base, i, value);
		return;
	case DTYPE_F16:
		STORE(uint16_t, base, i, forge_f16_store(value));
		return;
	case DTYPE_BF16:
		STORE(uint16_t, base, i, forge_bf16_store(value));
		return;
	case DTYPE_F8E4M3:
		STORE(uint8_t, base, i, forge_f8e4m3_store(value));
		return;
	case DTYPE_F8E5M2:
		STORE(uint8_t, base, i, forge_f8e5m2_store(value));
		return;
	case DTYPE_BOOL:
		STORE(uint8_t, base, i, value != 0);
		return;
	case DTYPE_I64:
	case DTYPE_I32:
	case DTYPE_I8:
	case DTYPE_U8:
		dtype_store_int(t, base, i, int_of(value));
		return;
	case DTYPE_NR:
		break;
	}
	BUG("no such dtype: %d", (int)t);
}

int64_t dtype_load_int(enum dtype t, const void *base, size_t i)
{
	switch (t) {
	case DTYPE_I64:
		return LOAD(int64_t, base, i);
	case DTYPE_I32:
		return LOAD(int32_t, base, i);
	case DTYPE_I8:
		return LOAD(int8_t, base, i);
	case DTYPE_U8:
	case DTYPE_BOOL:
		return LOAD(uint8_t, base, i);
	case DTYPE_F64:
	case DTYPE_F32:
	case DTYPE_F16:
	case DTYPE_BF16:
	case DTYPE_F8E4M3:
	case DTYPE_F8E5M2:
		return int_of(dtype_load(t, base, i));
	case DTYPE_NR:
		break;
	}
	BUG("no such dtype: %d", (int)t);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

void dtype_store_int(enum dtype t, void *base, size_t i, int64_t value)
{
	switch (t) {
	case DTYPE_I64:
		STORE(int64_t, base, i, value);
		return;
	case DTYPE_I32:
		STORE(int32_t, base, i, clamp(value, INT32_MIN, INT32_MAX));
		return;
	case DTYPE_I8:
		STORE(int8_t, base, i, clamp(value, INT8_MIN, INT8_MAX));
		return;
	case DTYPE_U8:
		STORE(uint8_t, base, i, clamp(value, 0, UINT8_MAX));
		return;
	case DTYPE_BOOL:
		STORE(uint8_t, base, i, value != 0);
		return;
	case DTYPE_F64:
	case DTYPE_F32:
	case DTYPE_F16:
	case DTYPE_BF16:
	case DTYPE_F8E4M3:
	case DTYPE_F8E5M2:
		dtype_store(t, base, i, (double)value);
		return;
	case DTYPE_NR:
		break;
	}
	BUG("no such dtype: %d", (int)t);
}
