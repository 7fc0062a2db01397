#include "build/leaf.h"
/*
 * Three passes over the section headers: names and flags, then the symbol table, then relocations
 * (which need symbols). `view` is the only way to bytes: it refuses what lies outside the file or
 * is not aligned for the struct that is read there.
 */

#include <elf.h>

#include "base/err.h"
#include "base/file.h"

enum { OBJECT_MAX_BYTES = 64 << 20 };

/* `nr` items of `size` bytes at `offset`, or NULL when the file does not hold them. */
static const void *view(const struct leaf *o, uint64_t offset, uint64_t nr, uint64_t size)
{
	uint64_t len = o->bytes.len;
	if (offset > len || (nr && size > (len - offset) / nr) || offset % sizeof(uint64_t))
		return NULL;
	return o->bytes.text + offset;
}

static const Elf64_Shdr *headers(const struct leaf *o, size_t *nr)
{
	const Elf64_Ehdr *h = view(o, 0, 1, sizeof(*h));
	*nr = h->e_shnum;
	return view(o, h->e_shoff, h->e_shnum, sizeof(Elf64_Shdr));
}

static bool header_is(const struct leaf *o, unsigned type, unsigned machine)
{
	const Elf64_Ehdr *h = view(o, 0, 1, sizeof(*h));
	return h && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
	       h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == ELFDATA2LSB &&
	       h->e_type == type && h->e_machine == machine && h->e_shentsize == sizeof(Elf64_Shdr);
}

static const char *bytes_of(const struct leaf *o, const Elf64_Shdr *sh)
{
	bool is_inside =
		sh->sh_offset <= o->bytes.len && sh->sh_size <= o->bytes.len - sh->sh_offset;
	return sh->sh_type != SHT_NOBITS && is_inside ? o->bytes.text + sh->sh_offset : NULL;
}

/* Text at `at` of a string table; NULL when it does not end inside the table. */
static const char *text_at(const struct leaf *o, const Elf64_Shdr *table, uint64_t at)
{
	if (table->sh_type != SHT_STRTAB || table->sh_offset > o->bytes.len ||
	    table->sh_size > o->bytes.len - table->sh_offset || at >= table->sh_size)
		return NULL;
	const char *text = o->bytes.text + table->sh_offset + at;
	return memchr(text, 0, table->sh_size - at) ? text : NULL;
}

static int load_sections(struct leaf *o, const char *path, struct err *e)
{
	size_t nr = 0;
	const Elf64_Shdr *sh = headers(o, &nr);
	const Elf64_Ehdr *h = view(o, 0, 1, sizeof(*h));
	if (!sh || !nr || h->e_shstrndx >= nr)
		return err_set(e, ERR_INPUT, "%s: section headers outside the file", path);
	o->sections = arena_array(&o->arena, nr, sizeof(*o->sections));
	o->nr_sections = nr;
	for (size_t i = 0; i < nr; i++) {
		const char *name = text_at(o, &sh[h->e_shstrndx], sh[i].sh_name);
		if (!name)
			return err_set(e, ERR_INPUT, "%s: section %zu has no name", path, i);
		o->sections[i] = (struct section){ .name = name,
						   .type = sh[i].sh_type,
						   .flags = sh[i].sh_flags,
						   .size = sh[i].sh_size,
						   .bytes = bytes_of(o, &sh[i]) };
	}
	return 0;
}

static int symbol_fill(struct leaf *o, const Elf64_Shdr *names, const Elf64_Sym *from,
		       struct symbol *s)
{
	const char *name = text_at(o, names, from->st_name);
	bool is_special = from->st_shndx >= SHN_LORESERVE;
	if (!name || (!is_special && from->st_shndx >= o->nr_sections))
		return -1;
	/* Section symbols are nameless; their section's name serves. */
	if (ELF64_ST_TYPE(from->st_info) == STT_SECTION && !is_special)
		name = o->sections[from->st_shndx].name;
	*s = (struct symbol){ .name = name,
			      .type = ELF64_ST_TYPE(from->st_info),
			      .bind = ELF64_ST_BIND(from->st_info),
			      .other = from->st_other,
			      .section = from->st_shndx,
			      .value = from->st_value,
			      .size = from->st_size };
	return 0;
}

static int load_symbols(struct leaf *o, const char *path, struct err *e)
{
	size_t nr = 0;
	const Elf64_Shdr *sh = headers(o, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (sh[i].sh_type != SHT_SYMTAB)
			continue;
		size_t count = sh[i].sh_size / sizeof(Elf64_Sym);
		const Elf64_Sym *from = view(o, sh[i].sh_offset, count, sizeof(*from));
		if (!from || sh[i].sh_link >= nr || o->symbols)
			return err_set(e, ERR_INPUT, "%s: symbol table is broken", path);
		o->symbols = arena_array(&o->arena, count, sizeof(*o->symbols));
		o->nr_symbols = count;
		for (size_t k = 0; k < count; k++) {
			if (symbol_fill(o, &sh[sh[i].sh_link], &from[k], &o->symbols[k]) < 0)
				return err_set(e, ERR_INPUT, "%s: symbol %zu is broken", path, k);
		}
	}
	return 0;
}

static int relocs_append(struct leaf *o, const Elf64_Shdr *sh)
{
	size_t count = sh->sh_size / sizeof(Elf64_Rela);
	const Elf64_Rela *from = view(o, sh->sh_offset, count, sizeof(*from));
	if (!from || sh->sh_info >= o->nr_sections)
		return -1;
	for (size_t k = 0; k < count; k++) {
		size_t symbol = ELF64_R_SYM(from[k].r_info);
		if (symbol >= o->nr_symbols)
			return -1;
		o->relocs[o->nr_relocs++] = (struct reloc){
			.section = sh->sh_info,
			.type = (uint32_t)ELF64_R_TYPE(from[k].r_info),
			.offset = from[k].r_offset,
			.addend = from[k].r_addend,
			.symbol = o->symbols[symbol].name,
		};
	}
	return 0;
}

static int load_relocs(struct leaf *o, const char *path, struct err *e)
{
	size_t nr = 0;
	const Elf64_Shdr *sh = headers(o, &nr);
	size_t total = 0;
	for (size_t i = 0; i < nr; i++) {
		if (sh[i].sh_type == SHT_RELA)
			total += sh[i].sh_size / sizeof(Elf64_Rela);
	}
	if (total > o->bytes.len)
		return err_set(e, ERR_INPUT, "%s: relocations outside the file", path);
	o->relocs = arena_array(&o->arena, total, sizeof(*o->relocs));
	for (size_t i = 0; i < nr; i++) {
		if (sh[i].sh_type == SHT_RELA && relocs_append(o, &sh[i]) < 0)
			return err_set(e, ERR_INPUT, "%s: section %zu: broken relocations", path,
				       i);
	}
	return 0;
}

static int load_tables(struct leaf *o, const char *doc, struct err *e)
{
	if (load_sections(o, doc, e) < 0 || load_symbols(o, doc, e) < 0)
		return -1;
	return load_relocs(o, doc, e);
}

int leaf_load(struct leaf *o, const char *path, struct err *e)
{
	*o = (struct leaf){ 0 };
	str_init(&o->bytes);
	if (file_read(path, OBJECT_MAX_BYTES, &o->bytes, e) < 0)
		return -1;
	if (!header_is(o, ET_REL, EM_X86_64))
		return err_set(e, ERR_INPUT, "%s: not a 64-bit x86 relocatable object", path);
	return load_tables(o, path, e);
}

int leaf_load_cubin(struct leaf *o, const char *bytes, size_t len, const char *doc, struct err *e)
{
	*o = (struct leaf){ 0 };
	str_init(&o->bytes);
	str_add_len(&o->bytes, bytes, len);
	if (!header_is(o, ET_EXEC, EM_CUDA))
		return err_set(e, ERR_INPUT, "%s: not a linked cubin of 64 bits", doc);
	return load_tables(o, doc, e);
}

void leaf_release(struct leaf *o)
{
	str_release(&o->bytes);
	arena_release(&o->arena);
}

bool symbol_is_defined(const struct symbol *s)
{
	return s->section != SHN_UNDEF;
}

const struct symbol *leaf_global(const struct leaf *o, const char *name)
{
	for (size_t i = 0; i < o->nr_symbols; i++) {
		const struct symbol *s = &o->symbols[i];
		if (s->bind == STB_GLOBAL && symbol_is_defined(s) && str_equal(s->name, name))
			return s;
	}
	return NULL;
}

const struct section *leaf_section_of(const struct leaf *o, const struct symbol *s)
{
	if (s->section == SHN_UNDEF || s->section >= o->nr_sections)
		return NULL;
	return &o->sections[s->section];
}
