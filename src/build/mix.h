/*
 * What instructions do: one instruction's class and the sums over a range of them, the instruction
 * mix. Facts are built from it. It knows mnemonics of AT&T syntax as objdump prints them.
 */
#ifndef FORGE_BUILD_MIX_H
#define FORGE_BUILD_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct insn;

struct insn_class {
	bool is_float;  /* floating-point arithmetic: add, mul, div, sqrt, min, max, compare, fma */
	bool is_vector; /* on packed data, also integer arithmetic on vector registers */
	bool is_fma;
	bool is_call;
	bool loads; /* reads memory; literals (%rip) included */
	bool stores;
	bool is_stack;       /* its memory operand is on the stack */
	unsigned bits;       /* width of the arithmetic: 32/64 scalar float, 128..512; 0: none */
	unsigned moved_bits; /* width of what it loads or stores */
};

/* `has_frame`: the function keeps its frame in %rbp, so that %rbp too means stack. */
struct insn_class insn_classify(const struct insn *in, bool has_frame);

struct mix {
	uint64_t nr_insns;
	uint64_t nr_float;
	uint64_t nr_fma;
	uint64_t nr_arith;  /* floating point and packed integer */
	uint64_t nr_vector; /* of them packed */
	uint64_t nr_calls;
	uint64_t nr_loads;
	uint64_t nr_stores;
	uint64_t nr_spill_loads; /* loads from the stack */
	uint64_t nr_spill_stores;
	unsigned vector_bits; /* widest arithmetic */
	unsigned move_bits;   /* widest load or store */
	uint64_t arith_bits;  /* sum of widths; an fma counts twice, a math call 16 times */
	uint64_t moved_bits;
};

void mix_add(struct mix *m, const struct insn *in, bool has_frame);

#endif
