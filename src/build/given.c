#include "build/given.h"

/* A trial links the same code at many addresses (layout.h). That is why an object is wanted and a
 * shared object will not do: it is linked already. */

#include <elf.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "build/compile.h"
#include "build/toolbox.h"
#include "model/verdict.h"
#include "sys/proc.h"

enum { TOOL_LOG_BYTES = 16 << 10 };

bool given_is_object(const struct str *bytes)
{
	return bytes->len >= EI_NIDENT && memcmp(bytes->text, ELFMAG, SELFMAG) == 0;
}

static int elf_type(const struct str *bytes)
{
	Elf64_Ehdr head = { 0 };
	if (bytes->len < sizeof(head))
		return ET_NONE;
	memcpy(&head, bytes->text, sizeof(head));
	return head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == EM_X86_64 ? head.e_type
										   : ET_NONE;
}

static void argv_fill(struct strv *argv, const struct toolbox *t, const char *symbol,
		      const char *entry)
{
	strv_add(argv, "objcopy");
	strv_add(argv, "--strip-debug");
	if (symbol && !str_equal(symbol, entry)) {
		strv_add(argv, "--redefine-sym");
		strv_addf(argv, "%s=%s", symbol, entry);
	}
	strv_add(argv, COMPILE_SOURCE_NAME);
	strv_addf(argv, "%s/%s", t->out, COMPILE_OBJECT_NAME);
}

int given_take(const struct toolbox *t, const struct str *bytes, const char *symbol,
	       const char *entry, struct verdict *v, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_PROC_RESULT struct proc_result r = { 0 };
	if (elf_type(bytes) == ET_DYN)
		*v = verdict_make(REASON_compile_failed,
				  "a shared object can not be linked at other addresses; give the "
				  "relocatable object (gcc -c -fPIC)");
	else if (elf_type(bytes) != ET_REL)
		*v = verdict_make(REASON_compile_failed,
				  "not a relocatable x86-64 object (gcc -c -fPIC)");
	if (v->state != VERDICT_NONE)
		return 0;
	argv_fill(&argv, t, symbol, entry);
	if (toolbox_run(t, &argv, TOOL_LOG_BYTES, &r, e) < 0)
		return err_wrap(e, "objcopy");
	if (!proc_result_is_ok(&r))
		*v = verdict_make(REASON_compile_failed, "objcopy: %.200s", r.err.text);
	return 0;
}
