/*
 * Instructions of an object, from the text of `objdump -drwz --no-show-raw-insn`. Screens and facts
 * read this list. Linear disassembly sees what the assembler was told, not what hidden bytes could
 * do: it is advice, and the runner's system call filter is the enforcement.
 */
#ifndef FORGE_BUILD_DISASM_H
#define FORGE_BUILD_DISASM_H

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"

enum { INSN_NO_TARGET = -1 };

struct insn {
	uint64_t addr;        /* within its section */
	unsigned section;     /* counts "Disassembly of section" headings, from 1 */
	unsigned function;    /* index into functions */
	const char *mnemonic; /* without prefixes: "vmovups", "call" */
	const char *operands; /* AT&T order, "" if none */
	const char *prefixes; /* "lock", "rep", "notrack", "" */
	const char *callee;   /* name in the relocation of a call or jump, or NULL */
	int64_t target;       /* of a direct branch inside the section, or INSN_NO_TARGET */
};

struct function {
	const char *name;
	size_t first;
	size_t nr; /* instructions */
};

struct disasm {
	struct arena arena;
	struct insn *insns;
	size_t nr_insns;
	size_t cap_insns;
	struct function *functions;
	size_t nr_functions;
	size_t cap_functions;
};

void disasm_parse(struct disasm *d, const char *listing);
void disasm_release(struct disasm *d);
#define AUTO_DISASM __attribute__((cleanup(disasm_release)))

#endif
