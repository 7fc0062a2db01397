#include "build/facts.h"

#include "base/json.h"
#include "build/disasm.h"
#include "build/loops.h"
#include "build/mix.h"
#include "fixture.h"

static double fact(const struct build *b, const char *name)
{
	return json_real_or(b->facts, name, -1);
}

static void built(struct fixture *f, const char *flags, const char *source, struct build *b)
{
	fixture_build(f, flags, source, b);
	if (b->verdict.state != VERDICT_NONE)
		printf("# %s: %s\n%s", flags, b->verdict.detail, b->log);
	CHECK_INT(b->verdict.state, VERDICT_NONE);
	AUTO_FREE char *line = json_line(b->facts);
	printf("# %s: %s\n", flags, line);
}

#define DOT                                                                                        \
	HEAD KERNEL "{ float a = 0; for (int64_t i = 0; i < n; i++) a += x[i] * x[i]; y[0] = a * " \
		    "s; }\n"

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

TEST(a_vectorised_reduction_shows_its_width_and_fma)
{
	static const char *const flags[] = {
		"gcc -O3 -mavx2 -mfma -ffast-math",
		"clang -O3 -mavx2 -mfma -ffast-math",
	};
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (!has_program(i ? "clang" : "gcc"))
			continue;
		struct fixture f;
		fixture_init(&f, 1);
		AUTO_BUILD struct build b;
		built(&f, flags[i], DOT, &b);
		CHECK_INT(fact(&b, "vector_bits"), 256);
		CHECK_INT(fact(&b, "loop_vector_bits"), 256);
		CHECK_INT(fact(&b, "loop_vector_share"), 1);
		CHECK(fact(&b, "loop_fma_instr") >= 1);
		CHECK(fact(&b, "loop_loads_per_fma") <= 1);
		CHECK(fact(&b, "fma_share") > 0);
		CHECK_INT(fact(&b, "loop_stores"), 0);
		CHECK_INT(fact(&b, "loop_depth"), 1);
		CHECK(fact(&b, "code_bytes") > 32);
		fixture_release(&f);
	}
}

TEST(scalar_code_shows_its_scalar_width_and_no_fma)
{
	static const char *const flags[] = { "gcc -O2", "clang -O2 -fno-vectorize" };
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (!has_program(i ? "clang" : "gcc"))
			continue;
		struct fixture f;
		fixture_init(&f, 1);
		AUTO_BUILD struct build b;
		built(&f, flags[i], DOT, &b);
		CHECK_INT(fact(&b, "vector_bits"), 32);
		CHECK_INT(fact(&b, "vector_share"), 0);
		CHECK_INT(fact(&b, "fma_share"), 0);
		CHECK_INT(fact(&b, "loop_loads_per_fma"), -1);
		CHECK(fact(&b, "loop_loads") >= 1);
		CHECK_INT(fact(&b, "spill_stores"), 0);
		fixture_release(&f);
	}
}

TEST(the_inner_loop_of_a_nest_is_the_dominant_one)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	built(&f, "gcc -O2",
	      HEAD KERNEL "{ for (int64_t i = 0; i < n; i++) { float a = 0;\n"
			  "for (int64_t j = 0; j < n; j++) for (int64_t k = 0; k < n; k++)\n"
			  "a += x[i * n + k] * x[k * n + j] * s; y[i] = a; } }\n",
	      &b);
	CHECK_INT(fact(&b, "nr_loops"), 3);
	CHECK_INT(fact(&b, "loop_depth"), 3);
	CHECK_INT(fact(&b, "loop_loads"), 2);
	CHECK_INT(fact(&b, "loop_flops_instr"), 3);
	CHECK_INT(fact(&b, "loop_stores"), 0);
	fixture_release(&f);
}

TEST(a_copy_has_a_dominant_loop_without_arithmetic)
{
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	built(&f, "gcc -O3 -fno-tree-loop-distribute-patterns",
	      HEAD KERNEL "{ (void)s; for (int64_t i = 0; i < n; i++) y[i] = x[i]; }\n", &b);
	CHECK_INT(fact(&b, "loop_loads"), 1);
	CHECK_INT(fact(&b, "loop_stores"), 1);
	CHECK_INT(fact(&b, "loop_flops_instr"), 0);
	CHECK_INT(fact(&b, "loop_move_bits"), 128);
	CHECK_INT(fact(&b, "vector_bits"), 0);
	CHECK_INT(fact(&b, "fma_share"), -1);
	fixture_release(&f);
}

TEST(too_many_accumulators_spill_and_the_facts_say_so)
{
	static const char *const flags[] = { "gcc -O2", "clang -O2 -fno-slp-vectorize" };
	AUTO_STR struct str source = STR_INIT;
	str_add(&source, HEAD KERNEL "{ (void)s;\n");
	for (int i = 0; i < 24; i++)
		str_addf(&source, "float a%d = %d;\n", i, i);
	str_add(&source, "for (int64_t i = 0; i < n; i++) { float v = x[i];\n");
	for (int i = 0; i < 24; i++)
		str_addf(&source, "a%d = a%d * v + a%d;\n", i, i, (i * 7 + 5) % 24);
	str_add(&source, "}\n");
	for (int i = 0; i < 24; i++)
		str_addf(&source, "y[%d] = a%d;\n", i, i);
	str_add(&source, "}\n");
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (!has_program(i ? "clang" : "gcc"))
			continue;
		struct fixture f;
		fixture_init(&f, 1);
		AUTO_BUILD struct build b;
		built(&f, flags[i], source.text, &b);
		CHECK(fact(&b, "loop_spill_loads") >= 4);
		CHECK(fact(&b, "loop_spill_stores") >= 4);
		CHECK(fact(&b, "stack_bytes") >= 32);
		fixture_release(&f);
	}
}

TEST(a_vector_math_call_counts_as_vector_work)
{
	if (!has_avx2())
		SKIP("no AVX2");
	struct fixture f;
	fixture_init(&f, 1);
	AUTO_BUILD struct build b;
	built(&f, "gcc -O3 -march=x86-64-v3 -ffast-math",
	      HEAD "#include <math.h>\n" KERNEL
		   "{ for (int64_t i = 0; i < n; i++) y[i] = expf(x[i] * s); }\n",
	      &b);
	CHECK_INT(fact(&b, "loop_calls"), 1);
	CHECK_INT(fact(&b, "loop_vector_bits"), 256);
	fixture_release(&f);
}

static struct insn_class classified(const char *mnemonic, const char *operands)
{
	struct insn in = { .mnemonic = mnemonic, .operands = operands, .prefixes = "" };
	return insn_classify(&in, false);
}

TEST(instructions_are_classified_by_their_names)
{
	static const struct {
		const char *mnemonic;
		const char *operands;
		struct insn_class want;
	} rows[] = {
		{ "vfmadd231ps",
		  "(%rdi,%rax,1),%ymm1,%ymm0",
		  { .is_float = true,
		    .is_vector = true,
		    .is_fma = true,
		    .bits = 256,
		    .loads = true } },
		{ "addss", "%xmm1,%xmm0", { .is_float = true, .bits = 32 } },
		{ "mulsd",
		  "0x8(%rsp),%xmm0",
		  { .is_float = true, .bits = 64, .loads = true, .is_stack = true } },
		{ "vmulpd",
		  "%zmm1,%zmm2,%zmm0",
		  { .is_float = true, .is_vector = true, .bits = 512 } },
		{ "vmovups", "%ymm0,(%rsi,%rax,1)", { .stores = true } },
		{ "vmovaps", "0x0(%rip),%ymm3", { .loads = true } },
		{ "addl", "$0x1,(%rdi)", { .loads = true, .stores = true } },
		{ "cmp", "%rax,(%rdi)", { .loads = true } },
		{ "vucomiss", "(%rdi),%xmm0", { .is_float = true, .bits = 32, .loads = true } },
		{ "vpaddd", "%ymm0,%ymm1,%ymm1", { .is_vector = true, .bits = 256 } },
		{ "vpxor", "%xmm0,%xmm0,%xmm0", { .is_call = false } },
		{ "vshufps", "$0x1,%xmm0,%xmm0,%xmm0", { .is_call = false } },
		{ "vandps", "%ymm0,%ymm1,%ymm1", { .is_call = false } },
		{ "cvtsi2ss", "%eax,%xmm0", { .is_call = false } },
		{ "lea", "0x0(,%rax,4),%rdx", { .is_call = false } },
		{ "nopw", "0x0(%rax,%rax,1)", { .is_call = false } },
		{ "prefetcht0", "0x40(%rdi)", { .is_call = false } },
		{ "movss", "%xmm0,-0x4(%rsp)", { .stores = true, .is_stack = true } },
		{ "vextractf128", "$0x1,%ymm0,(%rdi)", { .stores = true } },
		{ "call", "10 <f>", { .is_call = true } },
		{ "cmpltps", "%xmm1,%xmm0", { .is_float = true, .is_vector = true, .bits = 128 } },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct insn_class got = classified(rows[i].mnemonic, rows[i].operands);
		got.moved_bits = 0;
		if (memcmp(&got, &rows[i].want, sizeof(got)) != 0)
			printf("# %s %s: float %d vector %d fma %d loads %d stores %d bits %u\n",
			       rows[i].mnemonic, rows[i].operands, got.is_float, got.is_vector,
			       got.is_fma, got.loads, got.stores, got.bits);
		CHECK_INT(got.bits, rows[i].want.bits);
		CHECK(got.is_float == rows[i].want.is_float);
		CHECK(got.is_vector == rows[i].want.is_vector);
		CHECK(got.is_fma == rows[i].want.is_fma);
		CHECK(got.loads == rows[i].want.loads && got.stores == rows[i].want.stores);
		CHECK(got.is_stack == rows[i].want.is_stack);
		CHECK(got.is_call == rows[i].want.is_call);
	}
}

TEST(a_block_that_stands_behind_its_successor_is_no_loop)
{
	static const char listing[] = "\nDisassembly of section .text:\n\n"
				      "0000000000000000 <f>:\n"
				      "   0:\ttest   %rdi,%rdi\n"
				      "   3:\tje     a <f+0xa>\n"
				      "   5:\tinc    %eax\n"
				      "   7:\tret\n"
				      "   8:\txchg   %ax,%ax\n"
				      "   a:\tmulss  %xmm0,%xmm1\n"
				      "   e:\tjmp    5 <f+0x5>\n"
				      "0000000000000010 <g>:\n"
				      "  10:\taddss  %xmm0,%xmm0\n"
				      "  14:\tdec    %rdi\n"
				      "  17:\tjne    10 <g>\n"
				      "  19:\tret\n";
	AUTO_DISASM struct disasm d;
	disasm_parse(&d, listing);
	CHECK_INT(d.nr_functions, 2);
	CHECK_INT(d.nr_insns, 11);
	AUTO_LOOPS struct loops loops;
	loops_find(&loops, &d);
	CHECK_INT(loops.nr, 1);
	CHECK_INT(loops.items[0].nr_body, 3);
	CHECK_INT(loops.items[0].depth, 1);
	CHECK_INT(d.insns[loops.items[0].header].addr, 0x10);
}

TEST(lines_of_the_listing_are_taken_apart)
{
	static const char listing[] = "\nDisassembly of section .text:\n\n0000000000000000 <f>:\n"
				      "   0:\tlock cmpxchg %ecx,(%rdx)\n"
				      "   4:\tcall   9 <f+0x9>\t5: R_X86_64_PLT32\texpf-0x4\n"
				      "   9:\tvmovaps 0x0(%rip),%ymm0        # 11 <f+0x11>\td: "
				      "R_X86_64_PC32\t.rodata-0x4\n"
				      "  11:\tcs nopw 0x0(%rax,%rax,1)\n"
				      "  1b:\trex.W\n"
				      "  1c:\tnotrack jmp *%rax\n";
	AUTO_DISASM struct disasm d;
	disasm_parse(&d, listing);
	CHECK_INT(d.nr_insns, 6);
	CHECK_TEXT(d.insns[0].prefixes, "lock");
	CHECK_TEXT(d.insns[0].mnemonic, "cmpxchg");
	CHECK_TEXT(d.insns[0].operands, "%ecx,(%rdx)");
	CHECK_TEXT(d.insns[1].callee, "expf");
	CHECK_INT(d.insns[1].target, INSN_NO_TARGET);
	CHECK_TEXT(d.insns[2].operands, "0x0(%rip),%ymm0");
	CHECK_TEXT(d.insns[3].mnemonic, "nopw");
	CHECK_TEXT(d.insns[4].mnemonic, "");
	CHECK_TEXT(d.insns[5].operands, "*%rax");
}

/* Bodies of loops around loops add up to more than anybody wants to hold. */
TEST(deep_nesting_in_large_code_is_left_without_loops)
{
	enum { HEADS = 1500, MIDDLE = 20000 };
	AUTO_STR struct str text = STR_INIT;
	str_add(&text, "\nDisassembly of section .text:\n\n0000000000000000 <kernel>:\n");
	unsigned at = 0;
	for (; at < HEADS + MIDDLE; at++)
		str_addf(&text, "%6x:\tnop\n", at);
	for (unsigned i = HEADS; i-- > 0; at++)
		str_addf(&text, "%6x:\tjne    %x <kernel+0x%x>\n", at, i, i);
	str_addf(&text, "%6x:\tret\n", at);
	AUTO_DISASM struct disasm d;
	disasm_parse(&d, text.text);
	AUTO_LOOPS struct loops l;
	loops_find(&l, &d);
	CHECK_INT(l.nr, 0);
}

TEST_MAIN()
