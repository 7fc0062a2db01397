#include "build/screen_cuda.h"
/*
 * nvcc's host objects do what a leaf may not: they run code when they are loaded, have writable
 * handles, and call a runtime. Each of these is allowed by its exact name and its exact number, so
 * that a second one, whatever it is called, stands out. Device code is judged by what will be
 * loaded, the image in the object, and by the PTX it was made from.
 */

#include <ctype.h>
#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/import.h"
#include "build/ptx.h"
#include "build/sass.h"
#include "build/screen_in.h"

enum { IMPORTS_SHOWN_BYTES = 200, HANDLE_BYTES = 8, SEGMENT_BYTES = 24 };

/* In the st_other of a cubin's functions: it can be launched. */
enum { CUDA_ENTRY = 0x10 };

static const char registration[] = "_ZL24__sti____cudaRegisterAllv";
static const char images_section[] = ".nv_fatbin";
static const char segment_section[] = ".nvFatBinSegment";

static bool is_init_array(const struct section *s)
{
	return s->type == SHT_INIT_ARRAY || str_starts(s->name, ".init_array");
}

static bool runs_otherwise(const struct section *s)
{
	static const char *const prefixes[] = { ".init", ".fini", ".preinit", ".ctors", ".dtors" };
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (str_starts(s->name, prefixes[i]) && !is_init_array(s))
			return true;
	return s->type == SHT_FINI_ARRAY || s->type == SHT_PREINIT_ARRAY;
}

static size_t sections_named(const struct leaf *o, const char *name)
{
	size_t nr = 0;
	for (size_t i = 0; i < o->nr_sections; i++)
		nr += str_equal(o->sections[i].name, name);
	return nr;
}

/* Relocations name a local function by itself, or as a place in its section. */
static bool points_at(const struct leaf *o, const struct reloc *r, const char *function)
{
	if (str_equal(r->symbol, function))
		return r->addend == 0;
	for (size_t i = 0; i < o->nr_symbols; i++) {
		const struct symbol *s = &o->symbols[i];
		const struct section *where = leaf_section_of(o, s);
		if (str_equal(s->name, function) && where && str_equal(where->name, r->symbol))
			return sections_named(o, r->symbol) == 1 && r->addend >= 0 &&
			       s->value == (uint64_t)r->addend;
	}
	return false;
}

static struct verdict cuda_load_time(struct screen_cuda_input *in)
{
	const struct leaf *o = in->host.object;
	uint64_t bytes = 0;
	for (size_t i = 0; i < o->nr_sections; i++) {
		if (runs_otherwise(&o->sections[i]))
			return verdict_make(REASON_constructor, "section %.80s",
					    o->sections[i].name);
		bytes += is_init_array(&o->sections[i]) ? o->sections[i].size : 0;
	}
	for (size_t i = 0; i < o->nr_relocs; i++) {
		const struct reloc *r = &o->relocs[i];
		if (is_init_array(&o->sections[r->section]) && !points_at(o, r, registration))
			return verdict_make(REASON_constructor, "%.80s runs at load time",
					    r->symbol);
	}
	if (bytes > sizeof(uint64_t))
		return verdict_make(REASON_constructor, "%llu functions run at load time",
				    (unsigned long long)(bytes / sizeof(uint64_t)));
	return (struct verdict){ 0 };
}

static const struct section_row {
	const char *prefix;
	uint32_t type;
	uint64_t flags;
} section_rows[] = {
	{ ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR | SHF_GROUP },
	{ ".rodata", SHT_PROGBITS, SHF_ALLOC | SHF_MERGE | SHF_STRINGS | SHF_GROUP },
	{ ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE },
	{ ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_GROUP },
	{ ".nv_fatbin", SHT_PROGBITS, SHF_ALLOC },
	{ ".nvFatBinSegment", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE },
	{ "__nv_module_id", SHT_PROGBITS, SHF_ALLOC },
	{ ".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE },
	{ ".group", SHT_GROUP, 0 },
	{ ".eh_frame", SHT_PROGBITS, SHF_ALLOC },
	{ ".eh_frame", SHT_X86_64_UNWIND, SHF_ALLOC },
	{ ".comment", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS },
	{ ".note.GNU-stack", SHT_PROGBITS, 0 },
	{ ".note.gnu.property", SHT_NOTE, SHF_ALLOC },
	{ ".rela", SHT_RELA, SHF_INFO_LINK | SHF_GROUP },
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

static struct verdict cuda_sections(struct screen_cuda_input *in)
{
	const struct leaf *o = in->host.object;
	for (size_t i = 0; i < o->nr_sections; i++) {
		const struct section *s = &o->sections[i];
		if ((s->flags & SHF_WRITE) && (s->flags & SHF_EXECINSTR))
			return verdict_make(REASON_forbidden_section,
					    "section %.80s is writable and executable", s->name);
		if (!section_is_known(s))
			return verdict_make(REASON_forbidden_section,
					    "section %.80s is of unknown kind", s->name);
	}
	return screen_data_in_code(o);
}

/* The one of nvcc's code. Its launch stubs have another each, which is written and never read: it
 * is gone in optimised code, and no other code may be asked for (flags.def). */
static bool is_handle(const struct symbol *s)
{
	return str_equal(s->name, "_ZL20__cudaFatCubinHandle");
}

static bool is_written(const struct section *s)
{
	return (s->flags & SHF_WRITE) && s->size && !is_init_array(s) &&
	       !str_equal(s->name, ".data.rel.ro") && !str_starts(s->name, ".data.rel.ro.") &&
	       !str_equal(s->name, segment_section);
}

static struct verdict writable(const char *what, const char *name, uint64_t size)
{
	return verdict_make(REASON_writable_static, "%s %.80s, %llu bytes%s", what, name,
			    (unsigned long long)size,
			    "; nothing is kept between calls, data come as arguments");
}

static struct verdict cuda_statics(struct screen_cuda_input *in)
{
	const struct leaf *o = in->host.object;
	uint64_t handles = 0;
	uint64_t bytes = 0;
	for (size_t i = 0; i < o->nr_symbols; i++) {
		const struct symbol *s = &o->symbols[i];
		const struct section *where = leaf_section_of(o, s);
		bool is_variable = s->type != STT_SECTION && where && is_written(where);
		bool is_allowed = is_handle(s) && s->size == HANDLE_BYTES;
		if (s->section == SHN_COMMON || (is_variable && !is_allowed))
			return writable("variable", s->name, s->size);
		handles += is_variable ? HANDLE_BYTES : 0;
	}
	for (size_t i = 0; i < o->nr_sections; i++) {
		const struct section *s = &o->sections[i];
		bytes += is_written(s) ? s->size : 0;
		if (bytes > handles)
			return writable("section", s->name, s->size);
		if (str_equal(s->name, segment_section) && s->size != SEGMENT_BYTES)
			return writable("section", s->name, s->size);
	}
	return (struct verdict){ 0 };
}

enum cuda_import { CUDA_UNKNOWN, CUDA_REGISTER, CUDA_STUB, CUDA_RUNTIME };

static const struct {
	const char *name;
	enum cuda_import kind;
} imports[] = {
#define REGISTER(name) { #name, CUDA_REGISTER },
#define STUB(name) { #name, CUDA_STUB },
#define RUNTIME(name) { #name, CUDA_RUNTIME },
#define REFUSED(start, why)
#include "build/imports_cuda.def"
#undef REGISTER
#undef STUB
#undef RUNTIME
#undef REFUSED
};

static const struct {
	const char *start;
	const char *why;
} refused[] = {
#define REGISTER(name)
#define STUB(name)
#define RUNTIME(name)
#define REFUSED(start, why) { start, why },
#include "build/imports_cuda.def"
#undef REGISTER
#undef STUB
#undef RUNTIME
#undef REFUSED
};

static enum cuda_import kind_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(imports); i++)
		if (str_equal(imports[i].name, name))
			return imports[i].kind;
	return CUDA_UNKNOWN;
}

static bool import_is_allowed(const struct screen_input *in, const char *name)
{
	for (size_t i = 0; i < in->nr_deny; i++)
		if (str_equal(in->deny[i], name))
			return false;
	enum import_kind c = import_kind_of(name);
	return kind_of(name) != CUDA_UNKNOWN || (c != IMPORT_FORBIDDEN && c != IMPORT_THREADS);
}

static const char *why_refused(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++)
		if (str_starts(name, refused[i].start))
			return refused[i].why;
	return NULL;
}

static struct verdict cuda_imports(struct screen_cuda_input *in)
{
	const struct leaf *o = in->host.object;
	AUTO_STR struct str names = STR_INIT;
	const char *why = NULL;
	for (size_t i = 0; i < o->nr_symbols && names.len < IMPORTS_SHOWN_BYTES; i++) {
		const struct symbol *s = &o->symbols[i];
		if (symbol_is_defined(s) || !s->name[0] || import_is_allowed(&in->host, s->name))
			continue;
		str_addf(&names, "%s%.80s", names.len ? ", " : "", s->name);
		why = why ? why : why_refused(s->name);
	}
	if (!names.len)
		return (struct verdict){ 0 };
	return verdict_make(REASON_forbidden_import, "%.200s%s%s", names.text, why ? ": " : "",
			    why ? why : "");
}

/* --- device code --- */

bool screen_cuda_image(const struct leaf *object, struct fatbin_image *out, struct err *e)
{
	size_t nr = 0;
	for (size_t i = 0; i < object->nr_sections; i++) {
		const struct section *s = &object->sections[i];
		struct fatbin_image image;
		int rc = 0;
		if (!str_equal(s->name, images_section) || !s->bytes)
			continue;
		for (size_t at = 0; (rc = fatbin_next(s->bytes, s->size, &at, &image, e)) > 0; nr++)
			*out = image;
		if (rc < 0)
			return false;
	}
	if (nr != 1)
		err_set(e, ERR_INPUT, "%zu images of device code; nvcc was asked for one", nr);
	return nr == 1;
}

static bool is_kernel(const struct symbol *s)
{
	return s->type == STT_FUNC && symbol_is_defined(s) && (s->other & CUDA_ENTRY);
}

const struct symbol *screen_cuda_next_kernel(const struct leaf *cubin, size_t *at)
{
	while (*at < cubin->nr_symbols) {
		const struct symbol *s = &cubin->symbols[(*at)++];
		if (is_kernel(s))
			return s;
	}
	return NULL;
}

size_t screen_cuda_kernels(const struct leaf *cubin)
{
	size_t nr = 0;
	for (size_t i = 0; i < cubin->nr_symbols; i++)
		nr += is_kernel(&cubin->symbols[i]);
	return nr;
}

static struct verdict cuda_device_image(struct screen_cuda_input *in)
{
	struct err why = { 0 };
	struct fatbin_image image;
	if (!screen_cuda_image(in->host.object, &image, &why))
		return verdict_make(REASON_forbidden_section, "%.200s", why.text);
	if (image.kind != FATBIN_ELF || image.is_compressed)
		return verdict_make(REASON_forbidden_section, "device code of kind %u%s",
				    image.kind,
				    image.kind == FATBIN_PTX ? " (PTX), which a driver would "
							       "compile anew"
							     : "");
	if (image.arch != in->arch)
		return verdict_make(REASON_forbidden_section, "device code for sm_%u, not sm_%u",
				    image.arch, in->arch);
	if (leaf_load_cubin(&in->cubin, image.bytes, image.len, "device code", &why) < 0)
		return verdict_make(REASON_forbidden_section, "%.200s", why.text);
	if (screen_cuda_kernels(&in->cubin) == 0)
		return verdict_make(REASON_no_entry,
				    "the source has no kernel (no __global__ function)");
	return (struct verdict){ 0 };
}

static size_t uses_of(const struct leaf *o, const char *symbol)
{
	size_t nr = 0;
	for (size_t i = 0; i < o->nr_relocs; i++)
		nr += str_equal(o->relocs[i].symbol, symbol);
	return nr;
}

/* A call more would register something else than the image that is looked at. */
static struct verdict cuda_registration(struct screen_cuda_input *in)
{
	static const char *const once[] = { "__cudaRegisterFatBinary", "__cudaRegisterFatBinaryEnd",
					    "__cudaUnregisterFatBinary", "atexit" };
	const struct leaf *o = in->host.object;
	for (size_t i = 0; i < ARRAY_LEN(once); i++)
		if (uses_of(o, once[i]) > 1)
			return verdict_make(REASON_forbidden_import,
					    "%s is used %zu times; nvcc's code does so once",
					    once[i], uses_of(o, once[i]));
	if (uses_of(o, "__cudaRegisterFunction") != screen_cuda_kernels(&in->cubin))
		return verdict_make(REASON_forbidden_import,
				    "__cudaRegisterFunction is used %zu times for %zu kernels",
				    uses_of(o, "__cudaRegisterFunction"),
				    screen_cuda_kernels(&in->cubin));
	return (struct verdict){ 0 };
}

static const char *first_symbol_in(const struct leaf *o, const struct section *section)
{
	for (size_t i = 0; i < o->nr_symbols; i++) {
		const struct symbol *s = &o->symbols[i];
		if (s->type != STT_SECTION && leaf_section_of(o, s) == section)
			return s->name;
	}
	return section->name;
}

static struct verdict cuda_device_statics(struct screen_cuda_input *in)
{
	const struct leaf *o = &in->cubin;
	for (size_t i = 0; i < o->nr_sections; i++) {
		const struct section *s = &o->sections[i];
		if (str_starts(s->name, ".nv.global") && s->size)
			return writable("device variable", first_symbol_in(o, s), s->size);
	}
	return (struct verdict){ 0 };
}

static struct verdict cuda_device_imports(struct screen_cuda_input *in)
{
	const struct leaf *o = &in->cubin;
	for (size_t i = 0; i < o->nr_symbols; i++) {
		const struct symbol *s = &o->symbols[i];
		/* What the tools reserve for themselves begins with a dot. */
		if (!symbol_is_defined(s) && s->name[0] && s->name[0] != '.')
			return verdict_make(REASON_forbidden_import,
					    "device function %.80s: printing, asserting, memory "
					    "and launches are not for kernels",
					    s->name);
	}
	return (struct verdict){ 0 };
}

static struct verdict cuda_device_instructions(struct screen_cuda_input *in)
{
	const char *at = NULL;
	size_t len = 0;
	AUTO_STR struct str what = STR_INIT;
	if (ptx_is_forbidden(in->ptx, &what))
		return verdict_make(REASON_forbidden_instruction, "PTX: %.120s", what.text);
	if (sass_reads_clock(in->sass, &at, &len))
		return verdict_make(REASON_forbidden_instruction, "a clock: %.*s",
				    (int)(len < 100 ? len : 100), at);
	return (struct verdict){ 0 };
}

static struct verdict cuda_indirect(struct screen_cuda_input *in)
{
	return screen_indirect(&in->host);
}

static struct verdict cuda_thread_storage(struct screen_cuda_input *in)
{
	return screen_thread_storage(&in->host);
}

static struct verdict cuda_relocations(struct screen_cuda_input *in)
{
	return screen_relocations(&in->host);
}

static struct verdict cuda_entry(struct screen_cuda_input *in)
{
	return screen_entry(&in->host);
}

static struct verdict cuda_instructions(struct screen_cuda_input *in)
{
	return screen_instructions(&in->host);
}

struct verdict screen_cuda_run(struct screen_cuda_input *in)
{
	static struct verdict (*const asks[])(struct screen_cuda_input *) = {
#define SCREEN(name, reason, text) cuda_##name,
#include "build/screens_cuda.def"
#undef SCREEN
	};
	for (size_t i = 0; i < ARRAY_LEN(asks); i++) {
		struct verdict v = asks[i](in);
		if (v.state != VERDICT_NONE)
			return v;
	}
	return (struct verdict){ 0 };
}
