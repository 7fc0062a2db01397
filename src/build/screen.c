#include "build/screen.h"
/*
 * One function per row of screens.def. They look at the object only, never at the source, so a
 * comment or a string cannot trip them and a macro cannot hide from them. Code that hides bytes
 * from linear disassembly is caught where it runs: the runner allows no system call.
 */

#include <ctype.h>
#include <elf.h>
#include <stdbool.h>

#include "base/mem.h"
#include "base/str.h"
#include "build/disasm.h"
#include "build/import.h"
#include "build/leaf.h"
#include "build/screen_in.h"

enum { IMPORTS_SHOWN_BYTES = 200 };

/* DT_INIT and DT_FINI come from these names, array sections from the others. */
static bool runs_at_load_time(const char *section)
{
	static const char *const prefixes[] = { ".init", ".fini", ".preinit", ".ctors", ".dtors" };
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		if (str_starts(section, prefixes[i]))
			return true;
	}
	return false;
}

/* The last two are what the link calls its DT_INIT and DT_FINI (layout.c). */
static bool is_called_at_load_time(const char *symbol)
{
	static const char *const names[] = { "_init", "_fini", "forge_no_init", "forge_no_fini" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_equal(symbol, names[i]))
			return true;
	}
	return false;
}

static struct verdict screen_load_time(const struct screen_input *in)
{
	for (size_t i = 0; i < in->object->nr_sections; i++) {
		const struct section *s = &in->object->sections[i];
		if (runs_at_load_time(s->name) || s->type == SHT_INIT_ARRAY ||
		    s->type == SHT_FINI_ARRAY || s->type == SHT_PREINIT_ARRAY)
			return verdict_make(REASON_constructor, "section %.80s", s->name);
	}
	for (size_t i = 0; i < in->object->nr_symbols; i++) {
		const char *name = in->object->symbols[i].name;
		if (is_called_at_load_time(name))
			return verdict_make(REASON_constructor, "symbol %s", name);
	}
	return (struct verdict){ 0 };
}

struct verdict screen_indirect(const struct screen_input *in)
{
	for (size_t i = 0; i < in->object->nr_symbols; i++) {
		const struct symbol *s = &in->object->symbols[i];
		if (s->type == STT_GNU_IFUNC)
			return verdict_make(REASON_ifunc, "function %.80s", s->name);
	}
	return (struct verdict){ 0 };
}

static bool reads_thread_register(const struct insn *in)
{
	return strstr(in->operands, "%fs:") || strstr(in->operands, "%gs:") ||
	       strstr(in->prefixes, "fs") || strstr(in->prefixes, "gs");
}

struct verdict screen_thread_storage(const struct screen_input *in)
{
	for (size_t i = 0; i < in->object->nr_sections; i++) {
		if (in->object->sections[i].flags & SHF_TLS)
			return verdict_make(REASON_thread_local, "section %.80s",
					    in->object->sections[i].name);
	}
	for (size_t i = 0; i < in->object->nr_symbols; i++) {
		const struct symbol *s = &in->object->symbols[i];
		if (s->type == STT_TLS || str_equal(s->name, "__tls_get_addr") ||
		    str_starts(s->name, "__emutls"))
			return verdict_make(REASON_thread_local, "symbol %.80s", s->name);
	}
	for (size_t i = 0; i < in->disasm->nr_insns; i++) {
		const struct insn *insn = &in->disasm->insns[i];
		if (reads_thread_register(insn))
			return verdict_make(REASON_thread_local, "instruction %.20s %.80s",
					    insn->mnemonic, insn->operands);
	}
	return (struct verdict){ 0 };
}

/* Kinds of sections a compiler makes for a plain C file. A row allows exactly these flags, all or
 * some of them, in sections whose name starts so. */
static const struct section_row {
	const char *prefix;
	uint32_t type;
	uint64_t flags;
} section_rows[] = {
	{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR },
	{ ".rodata", SHT_PROGBITS, SHF_ALLOC | SHF_MERGE | SHF_STRINGS },
	{ ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE },
	{ ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE },
	{ ".eh_frame", SHT_PROGBITS, SHF_ALLOC },
	{ ".eh_frame", SHT_X86_64_UNWIND, SHF_ALLOC },
	{ ".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS },
	{ ".note.GNU-stack", SHT_PROGBITS, 0 },
	{ ".note.gnu.property", SHT_NOTE, SHF_ALLOC },
	{ ".rela", SHT_RELA, SHF_INFO_LINK },
	{ "", SHT_SYMTAB, 0 },
	{ "", SHT_STRTAB, 0 },
	{ "", SHT_NULL, 0 },
};

static bool section_is_known(const struct section *s)
{
	for (size_t i = 0; i < ARRAY_LEN(section_rows); i++) {
		const struct section_row *row = &section_rows[i];
		if (s->type == row->type && !(s->flags & ~row->flags) &&
		    str_starts(s->name, row->prefix))
			return true;
	}
	return false;
}

/* objdump shows what is called an object as characters, and compilers put no objects there. */
static bool symbol_is_of_code(const struct symbol *s)
{
	return s->type == STT_NOTYPE || s->type == STT_FUNC || s->type == STT_SECTION;
}

struct verdict screen_data_in_code(const struct leaf *o)
{
	for (size_t i = 0; i < o->nr_symbols; i++) {
		const struct symbol *s = &o->symbols[i];
		const struct section *where = leaf_section_of(o, s);
		if (where && (where->flags & SHF_EXECINSTR) && !symbol_is_of_code(s))
			return verdict_make(REASON_forbidden_section,
					    "data %.80s among the code of %.80s", s->name,
					    where->name);
	}
	return (struct verdict){ 0 };
}

static struct verdict screen_sections(const struct screen_input *in)
{
	for (size_t i = 0; i < in->object->nr_sections; i++) {
		const struct section *s = &in->object->sections[i];
		if ((s->flags & SHF_WRITE) && (s->flags & SHF_EXECINSTR))
			return verdict_make(REASON_forbidden_section,
					    "section %.80s is writable and executable", s->name);
		if (!section_is_known(s))
			return verdict_make(REASON_forbidden_section,
					    "section %.80s is of unknown kind", s->name);
	}
	return screen_data_in_code(in->object);
}

/* Constants that need relocation stand in .data.rel.ro; the link makes that read-only. Other names
 * that begin so (.data.rel.rox) are ordinary .data to the linker. */
static bool turns_read_only(const char *section)
{
	return str_equal(section, ".data.rel.ro") || str_starts(section, ".data.rel.ro.");
}

static bool is_writable_at_run_time(const struct section *s)
{
	return (s->flags & SHF_WRITE) && s->size && !turns_read_only(s->name);
}

static struct verdict screen_statics(const struct screen_input *in)
{
	for (size_t i = 0; i < in->object->nr_symbols; i++) {
		const struct symbol *s = &in->object->symbols[i];
		const struct section *where = leaf_section_of(in->object, s);
		bool is_variable = s->type != STT_SECTION && where;
		if (s->section == SHN_COMMON || (is_variable && is_writable_at_run_time(where)))
			return verdict_make(REASON_writable_static, "variable %.80s, %llu bytes",
					    s->name, (unsigned long long)s->size);
	}
	for (size_t i = 0; i < in->object->nr_sections; i++) {
		const struct section *s = &in->object->sections[i];
		if (is_writable_at_run_time(s))
			return verdict_make(REASON_writable_static, "section %.80s, %llu bytes",
					    s->name, (unsigned long long)s->size);
	}
	return (struct verdict){ 0 };
}

static bool reloc_is_known(const struct leaf *o, const struct reloc *r)
{
	switch (r->type) {
	case R_X86_64_NONE:
	case R_X86_64_PC32:
	case R_X86_64_PC64:
	case R_X86_64_PLT32:
	case R_X86_64_GOTPCREL:
	case R_X86_64_GOTPCRELX:
	case R_X86_64_REX_GOTPCRELX:
		return true;
	case R_X86_64_64: /* in code it would need a writable text */
		return !(o->sections[r->section].flags & SHF_EXECINSTR);
	default:
		return false;
	}
}

static bool symbol_is_known(const struct symbol *s)
{
	bool is_bind = s->bind == STB_LOCAL || s->bind == STB_GLOBAL || s->bind == STB_WEAK;
	bool is_type = s->type <= STT_FILE || s->type == STT_COMMON;
	bool is_place = s->section < SHN_LORESERVE || s->section == SHN_ABS;
	return is_bind && is_type && is_place && !strchr(s->name, '@');
}

struct verdict screen_relocations(const struct screen_input *in)
{
	const struct leaf *o = in->object;
	for (size_t i = 0; i < o->nr_relocs; i++) {
		const struct reloc *r = &o->relocs[i];
		if (!reloc_is_known(o, r))
			return verdict_make(REASON_forbidden_section,
					    "relocation of type %u in %.80s", r->type,
					    o->sections[r->section].name);
	}
	for (size_t i = 0; i < o->nr_symbols; i++) {
		if (!symbol_is_known(&o->symbols[i]))
			return verdict_make(REASON_forbidden_section,
					    "symbol %.80s is of unknown kind", o->symbols[i].name);
	}
	return (struct verdict){ 0 };
}

static bool import_is_allowed(const struct screen_input *in, const char *name)
{
	for (size_t i = 0; i < in->nr_deny; i++) {
		if (str_equal(in->deny[i], name))
			return false;
	}
	enum import_kind kind = import_kind_of(name);
	return kind == IMPORT_THREADS ? in->threads > 1 : kind != IMPORT_FORBIDDEN;
}

static struct verdict screen_imports(const struct screen_input *in)
{
	AUTO_STR struct str names = STR_INIT;
	for (size_t i = 0; i < in->object->nr_symbols && names.len < IMPORTS_SHOWN_BYTES; i++) {
		const struct symbol *s = &in->object->symbols[i];
		if (symbol_is_defined(s) || !s->name[0] || import_is_allowed(in, s->name))
			continue;
		str_addf(&names, "%s%.80s", names.len ? ", " : "", s->name);
	}
	if (!names.len)
		return (struct verdict){ 0 };
	return verdict_make(REASON_forbidden_import, "%.200s", names.text);
}

/* The shim's own names; another definition would be called in its place, or not link. */
static bool name_is_reserved(const struct symbol *s)
{
	return symbol_is_defined(s) && s->bind != STB_LOCAL && str_starts(s->name, "forge_entry");
}

struct verdict screen_entry(const struct screen_input *in)
{
	const struct symbol *s = leaf_global(in->object, in->entry);
	if (!s)
		return verdict_make(REASON_no_entry, "no global symbol %s", in->entry);
	const struct section *where = leaf_section_of(in->object, s);
	if (s->type != STT_FUNC || !where || !(where->flags & SHF_EXECINSTR))
		return verdict_make(REASON_no_entry, "%s is not a function", in->entry);
	for (size_t i = 0; i < in->object->nr_symbols; i++) {
		if (name_is_reserved(&in->object->symbols[i]))
			return verdict_make(REASON_no_entry, "the name %.80s is reserved",
					    in->object->symbols[i].name);
	}
	return (struct verdict){ 0 };
}

static const struct insn_row {
	const char *mnemonic;
	const char *what;
} insn_rows[] = {
#define INSN(mnemonic, what) { mnemonic, what },
#include "build/insns.def"
#undef INSN
};

static const char *insn_objection(const struct insn *in)
{
	for (size_t i = 0; i < ARRAY_LEN(insn_rows); i++) {
		if (str_equal(insn_rows[i].mnemonic, in->mnemonic))
			return insn_rows[i].what;
	}
	/* Moves to a segment register; "%es:" in string instructions is only how they are written.
	 */
	static const char *const segments[] = { "%cs", "%ds", "%es", "%ss", "%fs", "%gs" };
	for (size_t i = 0; i < ARRAY_LEN(segments); i++) {
		const char *at = strstr(in->operands, segments[i]);
		if (at && at[3] != ':' && !isalpha((unsigned char)at[3]))
			return "a segment register";
	}
	return NULL;
}

/* Whether a direct branch lands on an instruction of its section. The list is in address order
 * within a section, so bisection finds it. */
static bool lands_on_an_instruction(const struct disasm *d, const struct insn *from)
{
	size_t low = 0;
	size_t high = d->nr_insns;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct insn *in = &d->insns[mid];
		bool is_before = in->section != from->section ? in->section < from->section
							      : in->addr < (uint64_t)from->target;
		if (is_before)
			low = mid + 1;
		else
			high = mid;
	}
	return low < d->nr_insns && d->insns[low].section == from->section &&
	       d->insns[low].addr == (uint64_t)from->target;
}

struct verdict screen_instructions(const struct screen_input *in)
{
	for (size_t i = 0; i < in->disasm->nr_insns; i++) {
		const struct insn *insn = &in->disasm->insns[i];
		const char *what = insn_objection(insn);
		if (!what && insn->target != INSN_NO_TARGET &&
		    !lands_on_an_instruction(in->disasm, insn))
			what = "a jump into the middle of an instruction";
		if (what)
			return verdict_make(REASON_forbidden_instruction, "%s: %.20s %.80s", what,
					    insn->mnemonic, insn->operands);
	}
	return (struct verdict){ 0 };
}

struct verdict screen_run(const struct screen_input *in)
{
	static const struct {
		enum reason reason;
		struct verdict (*ask)(const struct screen_input *in);
	} screens[] = {
#define SCREEN(name, reason, text) { REASON_##reason, screen_##name },
#include "build/screens.def"
#undef SCREEN
	};
	for (size_t i = 0; i < ARRAY_LEN(screens); i++) {
		struct verdict v = screens[i].ask(in);
		if (v.state != VERDICT_NONE)
			return v;
	}
	return (struct verdict){ 0 };
}
