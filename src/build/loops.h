/*
 * Loops of disassembled code: natural loops of back edges, found by a depth-first walk of each
 * function's control flow, so that a block which merely stands behind its successor is no loop.
 */
#ifndef FORGE_BUILD_LOOPS_H
#define FORGE_BUILD_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct disasm;

struct loop {
	size_t header; /* instruction indices of the disasm */
	size_t *body;  /* ascending, header included */
	size_t nr_body;
	unsigned depth; /* 1: outermost */
	bool is_innermost;
};

struct loops {
	struct arena arena;
	struct loop *items;
	size_t nr;
};

void loops_find(struct loops *l, const struct disasm *d);
void loops_release(struct loops *l);
#define AUTO_LOOPS __attribute__((cleanup(loops_release)))

#endif
