/*
 * A relocatable ELF object, read by ourselves: sections, symbols, relocations. The file was made by
 * an assembler from text that a candidate may have written, so every offset is checked; an object
 * that does not hold together is ERR_INPUT. All text is borrowed from the object. A cubin, the
 * code of a GPU, is such a file, too, of another machine and linked already.
 */
#ifndef FORGE_BUILD_LEAF_H
#define FORGE_BUILD_LEAF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"

struct err;

struct section {
	const char *name;
	uint32_t type;  /* SHT_* */
	uint64_t flags; /* SHF_* */
	uint64_t size;
	const char *bytes; /* NULL: the file holds none, or not all of them */
};

struct symbol {
	const char *name;
	unsigned char type; /* STT_* */
	unsigned char bind; /* STB_* */
	unsigned char other;
	uint16_t section; /* index, or SHN_UNDEF, SHN_COMMON, SHN_ABS */
	uint64_t value;
	uint64_t size;
};

struct reloc {
	uint32_t section; /* the one that is patched */
	uint32_t type;    /* R_X86_64_* */
	uint64_t offset;
	int64_t addend;
	const char *symbol;
};

struct leaf {
	struct arena arena;
	struct str bytes;
	struct section *sections;
	size_t nr_sections;
	struct symbol *symbols;
	size_t nr_symbols;
	struct reloc *relocs;
	size_t nr_relocs;
};

int leaf_load(struct leaf *o, const char *path, struct err *e);
/* A cubin; `doc` names it in errors. */
int leaf_load_cubin(struct leaf *o, const char *bytes, size_t len, const char *doc, struct err *e);
void leaf_release(struct leaf *o);
#define AUTO_LEAF __attribute__((cleanup(leaf_release)))
/* The defined global symbol of that name, or NULL. */
const struct symbol *leaf_global(const struct leaf *o, const char *name);
bool symbol_is_defined(const struct symbol *s);
/* The section a symbol is defined in, or NULL (undefined, common, absolute). */
const struct section *leaf_section_of(const struct leaf *o, const struct symbol *s);

#endif
