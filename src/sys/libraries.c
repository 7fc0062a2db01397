#include "sys/libraries.h"

/* All programs of the project are linked in one build against one C library, so the caller's own
 * loader and libc tell where the runner's are. The list of names is closed on purpose: the runner
 * links nothing else. */

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

static const char *const names[] = {
	"libc.so.6", "libm.so.6", "libmvec.so.1", "libdl.so.2", "libpthread.so.0",
};

/* libdl and libpthread are empty since glibc 2.34; older ones are what runners link. */

static void add_loader(struct strv *out, const struct dl_phdr_info *info)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_INTERP)
			strv_add(out, (const char *)(uintptr_t)(info->dlpi_addr + p->p_vaddr));
	}
}

static void add_siblings(struct strv *out, const char *libc_path)
{
	AUTO_FREE char *dir = path_dir(libc_path);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO_FREE char *path = path_join(dir, names[i]);
		if (access(path, R_OK) == 0)
			strv_add(out, path);
	}
}

static int visit(struct dl_phdr_info *info, size_t len, void *data)
{
	struct strv *out = data;
	(void)len;
	/* The program itself comes first and has no name. */
	if (!info->dlpi_name || !info->dlpi_name[0])
		add_loader(out, info);
	else if (str_equal(path_base(info->dlpi_name), names[0]))
		add_siblings(out, info->dlpi_name);
	return 0;
}

void libraries_list(struct strv *out)
{
	dl_iterate_phdr(visit, out);
}
