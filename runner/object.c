#include "runner/object.h"

/* dlopen runs constructors and resolvers of indirect functions while stage one of the filter still
 * lets files be opened. The worker's screens refuse such objects from their source's object file;
 * this second look at the linked object makes sure that no code of a candidate runs before stage
 * two. The file is mapped and every offset checked, as it comes from outside. */

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runner/faults.h"
#include "sys/doorbell.h"

#if defined(__x86_64__)
enum { RELOC_IRELATIVE = R_X86_64_IRELATIVE };
#else
enum { RELOC_IRELATIVE = R_AARCH64_IRELATIVE };
#endif

struct image {
	const unsigned char *at;
	size_t len;
};

/* `len` bytes at a file offset, or NULL. */
static const void *at_offset(const struct image *m, uint64_t offset, uint64_t len)
{
	if (offset > m->len || len > m->len - offset || offset % 8)
		return NULL;
	return m->at + offset;
}

static const Elf64_Phdr *headers(const struct image *m, size_t *nr)
{
	const Elf64_Ehdr *h = at_offset(m, 0, sizeof(*h));
	*nr = 0;
	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	*nr = h->e_phnum;
	return at_offset(m, h->e_phoff, h->e_phnum * sizeof(Elf64_Phdr));
}

/* `len` bytes at a virtual address, or NULL. */
static const void *at_address(const struct image *m, uint64_t address, uint64_t len)
{
	size_t nr = 0;
	const Elf64_Phdr *p = headers(m, &nr);
	for (size_t i = 0; p && i < nr; i++)
		if (p[i].p_type == PT_LOAD && address >= p[i].p_vaddr &&
		    address - p[i].p_vaddr < p[i].p_filesz)
			return at_offset(m, p[i].p_offset + (address - p[i].p_vaddr), len);
	return NULL;
}

static const Elf64_Dyn *dynamic(const struct image *m, size_t *nr)
{
	size_t nr_headers = 0;
	const Elf64_Phdr *p = headers(m, &nr_headers);
	*nr = 0;
	for (size_t i = 0; p && i < nr_headers; i++)
		if (p[i].p_type == PT_DYNAMIC) {
			*nr = p[i].p_filesz / sizeof(Elf64_Dyn);
			return at_offset(m, p[i].p_offset, p[i].p_filesz);
		}
	return NULL;
}

static uint64_t dyn_value(const Elf64_Dyn *d, size_t nr, int64_t tag)
{
	for (size_t i = 0; i < nr && d[i].d_tag != DT_NULL; i++)
		if (d[i].d_tag == tag)
			return d[i].d_un.d_val;
	return 0;
}

static bool calls_a_resolver(const struct image *m, const Elf64_Rela *r, uint64_t symbols)
{
	if (ELF64_R_TYPE(r->r_info) == RELOC_IRELATIVE)
		return true;
	uint64_t index = ELF64_R_SYM(r->r_info);
	const Elf64_Sym *s = at_address(m, symbols + index * sizeof(*s), sizeof(*s));
	return index && (!s || (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC && s->st_shndx));
}

/* Does a relocation table make the loader call code? A table that can not be read counts. */
static bool table_calls_code(const struct image *m, uint64_t address, uint64_t size,
			     uint64_t symbols)
{
	const Elf64_Rela *r = at_address(m, address, size);
	if (!size)
		return false;
	if (!r)
		return true;
	for (size_t i = 0; i < size / sizeof(*r); i++)
		if (calls_a_resolver(m, &r[i], symbols))
			return true;
	return false;
}

/* `registers`: one function may, that by which a host object of nvcc's names its kernels. */
static bool runs_code_at_load(const struct image *m, bool registers)
{
	static const int64_t tags[] = { DT_INIT, DT_FINI, DT_FINI_ARRAYSZ, DT_PREINIT_ARRAYSZ };
	size_t nr = 0;
	const Elf64_Dyn *d = dynamic(m, &nr);
	if (!d || dyn_value(d, nr, DT_INIT_ARRAYSZ) > (registers ? sizeof(void *) : 0))
		return true;
	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++)
		if (dyn_value(d, nr, tags[i]))
			return true;
	uint64_t symbols = dyn_value(d, nr, DT_SYMTAB);
	return table_calls_code(m, dyn_value(d, nr, DT_RELA), dyn_value(d, nr, DT_RELASZ),
				symbols) ||
	       table_calls_code(m, dyn_value(d, nr, DT_JMPREL), dyn_value(d, nr, DT_PLTRELSZ),
				symbols);
}

static bool file_runs_code_at_load(const char *path, bool registers)
{
	struct stat st = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false; /* dlopen will say it better */
	struct image m = { 0 };
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		m.len = (size_t)st.st_size;
		m.at = mmap(NULL, m.len, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	if (!m.len || m.at == MAP_FAILED)
		return true;
	bool result = runs_code_at_load(&m, registers);
	/* munmap takes a non-const pointer and reads nothing through it. */
	munmap((void *)(uintptr_t)m.at, m.len);
	return result;
}

static entry_fn entry_of(void *handle, unsigned copy)
{
	char name[32] = "forge_entry";
	if (copy)
		snprintf(name, sizeof(name), "forge_entry%u", copy);
	/* POSIX's way to turn an object pointer into a function pointer. */
	union {
		void *object;
		entry_fn function;
	} entry = { .object = dlsym(handle, name) };
	return entry.function;
}

static void load(struct object *o, const char *path, bool registers, struct doorbell_reply *reply)
{
	if (file_runs_code_at_load(path, registers))
		faults_give_up(reply, END_REFUSED,
			       "the object has code that runs when it is loaded");
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		faults_give_up(reply, END_UNLOADED, dlerror());
	*o = (struct object){ .nr = 0 };
	while (o->nr < DOORBELL_MAX_COPIES && (o->entries[o->nr] = entry_of(handle, o->nr)))
		o->nr++;
	if (!o->nr)
		faults_give_up(reply, END_UNLOADED, "the object exports no forge_entry");
	reply->nr_copies = o->nr;
}

void object_load(struct object *o, const char *path, struct doorbell_reply *reply)
{
	load(o, path, false, reply);
}

void object_load_registered(struct object *o, const char *path, struct doorbell_reply *reply)
{
	load(o, path, true, reply);
}
