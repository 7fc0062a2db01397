/*
 * Machine instructions of a GPU, from the text of `nvdisasm -c` or `cuobjdump -sass`: counts of
 * what mechanism rows of a curriculum cite (sass_metrics.def).
 */
#ifndef FORGE_BUILD_SASS_H
#define FORGE_BUILD_SASS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* "LDG.E.128.CONSTANT": the opcode and the length of the whole word. */
struct sass_insn {
	const char *word;
	size_t word_len;
	size_t opcode_len;
	const char *operands; /* up to the ';' */
	size_t operands_len;
};

/* The instruction of a line; false when it holds none. */
bool sass_line(const char *line, size_t len, struct sass_insn *out);
bool sass_is(const struct sass_insn *in, const char *opcode, const char *modifier);
/* All counts, also those that are 0, as flat metrics; none at all without an instruction. */
void sass_facts(const char *listing, json_t *facts);
/* What a kernel may not do, as seen here: the special register of a clock. The instruction's line
 * in *at and *len. */
bool sass_reads_clock(const char *listing, const char **at, size_t *len);

#endif
