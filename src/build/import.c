#include "build/import.h"
/*
 * Names of vector variants follow the x86-64 vector function ABI: _ZGV, a letter for the
 * instruction set, N or M (masked), lanes, one letter per parameter, '_', the scalar name.
 */

#include <ctype.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/str.h"

static const struct import_row {
	const char *name;
	enum import_kind kind;
} import_rows[] = {
#define MATH(name) { #name, IMPORT_MATH },
#define MEMORY(name) { #name, IMPORT_MEMORY },
#define HELPER(name) { #name, IMPORT_HELPER },
#define THREADS(name) { #name, IMPORT_THREADS },
#include "build/imports.def"
#undef MATH
#undef MEMORY
#undef HELPER
#undef THREADS
};

static const struct import_row *row_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(import_rows); i++) {
		if (strlen(import_rows[i].name) == len &&
		    memcmp(import_rows[i].name, name, len) == 0)
			return &import_rows[i];
	}
	return NULL;
}

/* exp, expf, expl. */
static bool is_math(const char *name)
{
	size_t len = strlen(name);
	const struct import_row *row = row_find(name, len);
	if (!row && len > 1 && (name[len - 1] == 'f' || name[len - 1] == 'l'))
		row = row_find(name, len - 1);
	return row && row->kind == IMPORT_MATH;
}

unsigned import_vector_bits(const char *name)
{
	if (!str_starts(name, "_ZGV"))
		return 0;
	switch (name[4]) {
	case 'b':
		return 128;
	case 'c':
	case 'd':
		return 256;
	case 'e':
		return 512;
	default:
		return 0;
	}
}

static bool is_vector_math(const char *name)
{
	if (!import_vector_bits(name) || (name[5] != 'N' && name[5] != 'M'))
		return false;
	const char *p = name + 6;
	while (isdigit((unsigned char)*p))
		p++;
	while (*p == 'v' || *p == 'l' || *p == 'u')
		p++;
	return *p == '_' && is_math(p + 1);
}

enum import_kind import_kind_of(const char *name)
{
	const struct import_row *row = row_find(name, strlen(name));
	if (row)
		return row->kind;
	return is_math(name) || is_vector_math(name) ? IMPORT_MATH : IMPORT_FORBIDDEN;
}
