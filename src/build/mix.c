#include "build/mix.h"
/*
 * SSE and AVX names are regular: an optional v, a root, and for floats a suffix (s or p for scalar
 * or packed, then h, s or d for the type). Packed integer arithmetic starts with p. Memory operands
 * have parentheses; the last operand is the destination.
 */

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "build/disasm.h"
#include "build/import.h"

/* What a call of a math function is worth against one arithmetic instruction. */
enum { MATH_CALL_WEIGHT = 16 };

static bool starts_with_any(const char *text, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (str_starts(text, list[i]))
			return true;
	}
	return false;
}

#define STARTS(text, ...)                                                                          \
	starts_with_any(text, (const char *const[]){ __VA_ARGS__ },                                \
			ARRAY_LEN(((const char *const[]){ __VA_ARGS__ })))

static unsigned register_bits(const char *operands)
{
	if (strstr(operands, "%zmm"))
		return 512;
	if (strstr(operands, "%ymm"))
		return 256;
	return strstr(operands, "%xmm") ? 128 : 0;
}

static bool is_fma_root(const char *root)
{
	return STARTS(root, "fmadd", "fmsub", "fnmadd", "fnmsub");
}

static bool is_float_root(const char *root, size_t len)
{
	static const char *const roots[] = { "add",    "sub",     "mul",   "div",   "sqrt",
					     "min",    "max",     "rcp",   "hadd",  "rsqrt",
					     "addsub", "rsqrt14", "hsub",  "rcp14", "rndscale",
					     "dp",     "comi",    "ucomi", "round", "scalef",
					     "range" };
	if (is_fma_root(root) || STARTS(root, "cmp"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		if (strlen(roots[i]) == len && memcmp(root, roots[i], len) == 0)
			return true;
	}
	return false;
}

static unsigned scalar_bits(char type)
{
	return type == 'd' ? 64 : type == 's' ? 32 : 16;
}

static void classify_float(struct insn_class *c, const char *name, const char *operands)
{
	size_t len = strlen(name);
	if (len < 4 || !strchr("sp", name[len - 2]) || !strchr("sdh", name[len - 1]) ||
	    !is_float_root(name, len - 2) || !register_bits(operands))
		return;
	c->is_float = true;
	c->is_fma = is_fma_root(name);
	c->is_vector = name[len - 2] == 'p';
	c->bits = c->is_vector ? register_bits(operands) : scalar_bits(name[len - 1]);
}

static void classify_arith(struct insn_class *c, const struct insn *in)
{
	const char *name = in->mnemonic;
	if (STARTS(name, "fadd", "fsub", "fmul", "fdiv", "fsqrt", "fiadd", "fisub", "fimul")) {
		c->is_float = true;
		c->bits = 64;
		return;
	}
	name += *name == 'v';
	classify_float(c, name, in->operands);
	if (!c->is_float && register_bits(in->operands) &&
	    STARTS(name, "padd", "psub", "pmul", "pmadd", "pmin", "pmax", "pcmp", "psll", "psrl",
		   "psra", "pabs", "pavg", "psad", "phadd", "phsub", "psign", "pdp")) {
		c->is_vector = true;
		c->bits = register_bits(in->operands);
	}
}

/* Start of the last operand: after the last comma outside parentheses. */
static const char *last_operand(const char *operands)
{
	const char *last = operands;
	int depth = 0;
	for (const char *p = operands; *p; p++) {
		depth += (*p == '(') - (*p == ')');
		if (*p == ',' && depth == 0)
			last = p + 1;
	}
	return last;
}

static bool touches_no_memory(const char *name)
{
	return STARTS(name, "lea", "nop", "prefetch", "j", "call", "push", "pop", "ret", "leave",
		      "endbr", "loop");
}

static bool writes_without_reading(const char *name)
{
	return STARTS(name, "mov", "vmov", "vextract", "extract", "pextr", "vpextr", "set", "vpmov",
		      "vcompress", "vpcompress", "stos", "vmaskmov", "vpmaskmov", "vscatter",
		      "vpscatter", "fst", "fist", "vcvtps2ph");
}

static bool only_reads(const char *name)
{
	return STARTS(name, "cmp", "test", "ucomi", "vucomi", "comi", "vcomi", "bt", "mul", "imul",
		      "div", "idiv", "fld", "fild", "fadd", "fsub", "fmul", "fdiv", "fcom");
}

/* Width of a move through general registers: by the register beside the memory operand, else by
 * the suffix that an immediate needs ("movl $0x0,(%rdi)"). */
static unsigned general_width(const struct insn *in)
{
	const char *last = last_operand(in->operands);
	const char *other = strchr(last, '(') ? in->operands : last;
	if (other[0] == '%' && other[1] == 'r')
		return 64;
	if (other[0] == '%' && other[1] == 'e')
		return 32;
	size_t len = strlen(in->mnemonic);
	switch (len ? in->mnemonic[len - 1] : 0) {
	case 'q':
		return 64;
	case 'w':
		return 16;
	case 'b':
		return 8;
	default:
		return 32;
	}
}

static unsigned moved_width(const struct insn *in)
{
	unsigned bits = register_bits(in->operands);
	size_t len = strlen(in->mnemonic);
	const char *tail = in->mnemonic + (len < 2 ? len : len - 2);
	if (bits && (str_equal(tail, "ss") || str_equal(tail, "sd")))
		return scalar_bits(tail[1]);
	return bits ? bits : general_width(in);
}

static void classify_memory(struct insn_class *c, const struct insn *in, bool has_frame)
{
	const char *memory = strchr(in->operands, '(');
	if (!memory || touches_no_memory(in->mnemonic))
		return;
	const char *last = last_operand(in->operands);
	bool is_last = strchr(last, '(') != NULL;
	bool is_source = strchr(in->operands, '(') < last;
	bool is_read_only = is_last && only_reads(in->mnemonic);
	bool is_written = is_last && !is_read_only;
	c->stores = is_written;
	c->loads =
		is_source || is_read_only || (is_written && !writes_without_reading(in->mnemonic));
	c->is_stack = str_starts(memory, "(%rsp") || (has_frame && str_starts(memory, "(%rbp"));
	c->moved_bits = moved_width(in);
}

struct insn_class insn_classify(const struct insn *in, bool has_frame)
{
	struct insn_class c = { .is_call = str_starts(in->mnemonic, "call") };
	classify_arith(&c, in);
	classify_memory(&c, in, has_frame);
	return c;
}

static void mix_add_call(struct mix *m, const struct insn *in)
{
	m->nr_calls++;
	if (!in->callee || import_kind_of(in->callee) != IMPORT_MATH)
		return;
	unsigned bits = import_vector_bits(in->callee);
	if (bits > m->vector_bits)
		m->vector_bits = bits;
	size_t len = strlen(in->callee);
	unsigned scalar = in->callee[len - 1] == 'f' ? 32 : 64;
	m->arith_bits += MATH_CALL_WEIGHT * (bits ? bits : scalar);
}

void mix_add(struct mix *m, const struct insn *in, bool has_frame)
{
	struct insn_class c = insn_classify(in, has_frame);
	m->nr_insns++;
	m->nr_float += c.is_float;
	m->nr_fma += c.is_fma;
	m->nr_arith += c.bits > 0;
	m->nr_vector += c.is_vector;
	m->nr_loads += c.loads;
	m->nr_stores += c.stores;
	m->nr_spill_loads += c.loads && c.is_stack;
	m->nr_spill_stores += c.stores && c.is_stack;
	m->arith_bits += (uint64_t)c.bits * (c.is_fma ? 2 : 1);
	m->moved_bits += c.moved_bits;
	if (c.moved_bits > m->move_bits)
		m->move_bits = c.moved_bits;
	if (c.bits > m->vector_bits)
		m->vector_bits = c.bits;
	if (c.is_call)
		mix_add_call(m, in);
}
