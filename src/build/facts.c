#include "build/facts.h"
/*
 * Whole-object sums, the deepest stack frame, and the mix of the dominant loop: the innermost loop
 * with the most arithmetic, weighed by its nesting depth. A main vector body so wins over its
 * scalar remainder (fewer bits), and a deep loop over a wide one further out. Without any
 * arithmetic the loop that moves most data is taken.
 */

#include <elf.h>

#include "base/str.h"
#include "build/disasm.h"
#include "build/loops.h"
#include "build/mix.h"
#include "build/leaf.h"

/* One level of nesting stands for this many iterations when loops are compared. */
enum { DEPTH_WEIGHT = 8, DEPTH_MAX = 8 };

/* Arithmetic decides; data moved only between loops without it. */
enum { ARITH_WEIGHT = 1024 };

static bool insn_is(const struct insn *in, const char *mnemonic, const char *operands)
{
	return str_equal(in->mnemonic, mnemonic) && str_equal(in->operands, operands);
}

static bool function_has_frame(const struct disasm *d, const struct function *f)
{
	for (size_t i = f->first; i < f->first + f->nr; i++) {
		if (insn_is(&d->insns[i], "mov", "%rsp,%rbp"))
			return true;
	}
	return false;
}

static bool has_frame(const bool *frames, const struct disasm *d, size_t i)
{
	return d->nr_functions && frames[d->insns[i].function];
}

/* Bytes that "sub $0x88,%rsp" or "add $0xffffffffffffff80,%rsp" takes; 0 for anything else. */
static int64_t stack_taken(const struct insn *in)
{
	if (in->operands[0] != '$' || !str_ends(in->operands, ",%rsp"))
		return 0;
	int64_t amount = (int64_t)strtoull(in->operands + 1, NULL, 0);
	if (str_equal(in->mnemonic, "sub"))
		return amount > 0 ? amount : 0;
	return str_equal(in->mnemonic, "add") && amount < 0 ? -amount : 0;
}

/* How far below %rsp an operand "-0x18(%rsp)" reaches: the red zone. */
static int64_t red_zone(const struct insn *in)
{
	const char *at = strstr(in->operands, "(%rsp)");
	if (!at)
		return 0;
	const char *start = at;
	while (start > in->operands && start[-1] != ',')
		start--;
	int64_t offset = strtoll(start, NULL, 0);
	return offset < 0 ? -offset : 0;
}

static int64_t frame_bytes(const struct disasm *d, const struct function *f)
{
	int64_t fixed = 0;
	int64_t zone = 0;
	for (size_t i = f->first; i < f->first + f->nr; i++) {
		const struct insn *in = &d->insns[i];
		fixed += stack_taken(in);
		fixed += str_equal(in->mnemonic, "push") ? 8 : 0;
		if (red_zone(in) > zone)
			zone = red_zone(in);
	}
	return fixed + zone;
}

static int64_t deepest_frame(const struct disasm *d)
{
	int64_t most = 0;
	for (size_t i = 0; i < d->nr_functions; i++) {
		int64_t bytes = frame_bytes(d, &d->functions[i]);
		if (bytes > most)
			most = bytes;
	}
	return most;
}

static uint64_t code_bytes(const struct leaf *o)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < o->nr_sections; i++) {
		if (o->sections[i].flags & SHF_EXECINSTR)
			sum += o->sections[i].size;
	}
	return sum;
}

static struct mix loop_mix(const struct disasm *d, const struct loop *loop, const bool *frames)
{
	struct mix m = { 0 };
	for (size_t i = 0; i < loop->nr_body; i++)
		mix_add(&m, &d->insns[loop->body[i]], has_frame(frames, d, loop->body[i]));
	return m;
}

static double loop_weight(const struct loop *loop, const struct mix *m)
{
	double weight = (double)m->arith_bits * ARITH_WEIGHT + (double)m->moved_bits;
	for (unsigned i = 1; i < loop->depth && i < DEPTH_MAX; i++)
		weight *= DEPTH_WEIGHT;
	return weight;
}

static const struct loop *dominant_loop(const struct loops *l, const struct disasm *d,
					const bool *frames, struct mix *out)
{
	const struct loop *best = NULL;
	double most = 0;
	for (size_t i = 0; i < l->nr; i++) {
		if (!l->items[i].is_innermost)
			continue;
		struct mix m = loop_mix(d, &l->items[i], frames);
		double weight = loop_weight(&l->items[i], &m);
		if (best && weight <= most)
			continue;
		best = &l->items[i];
		most = weight;
		*out = m;
	}
	return best;
}

static void put_int(json_t *facts, const char *name, uint64_t value)
{
	json_object_set_new(facts, name, json_integer((json_int_t)value));
}

/* part / whole; left out when there is no whole. */
static void put_share(json_t *facts, const char *name, uint64_t part, uint64_t whole)
{
	if (whole)
		json_object_set_new(facts, name, json_real((double)part / (double)whole));
}

static void put_loop(json_t *facts, const struct loop *loop, const struct mix *m)
{
	put_int(facts, "loop_depth", loop->depth);
	put_int(facts, "loop_instructions", m->nr_insns);
	put_int(facts, "loop_loads", m->nr_loads);
	put_int(facts, "loop_stores", m->nr_stores);
	put_int(facts, "loop_spill_loads", m->nr_spill_loads);
	put_int(facts, "loop_spill_stores", m->nr_spill_stores);
	put_int(facts, "loop_flops_instr", m->nr_float);
	put_int(facts, "loop_fma_instr", m->nr_fma);
	put_int(facts, "loop_vector_bits", m->vector_bits);
	put_int(facts, "loop_move_bits", m->move_bits);
	put_int(facts, "loop_calls", m->nr_calls);
	put_share(facts, "loop_vector_share", m->nr_vector, m->nr_arith);
	put_share(facts, "loop_fma_share", m->nr_fma, m->nr_float);
	put_share(facts, "loop_loads_per_fma", m->nr_loads, m->nr_fma);
	put_share(facts, "loop_loads_per_flop", m->nr_loads, m->nr_float);
}

json_t *facts_of(const struct leaf *o, const struct disasm *d)
{
	AUTO_FREE bool *frames = xcalloc(d->nr_functions, sizeof(*frames));
	for (size_t i = 0; i < d->nr_functions; i++)
		frames[i] = function_has_frame(d, &d->functions[i]);
	struct mix all = { 0 };
	for (size_t i = 0; i < d->nr_insns; i++)
		mix_add(&all, &d->insns[i], has_frame(frames, d, i));
	AUTO_LOOPS struct loops loops;
	loops_find(&loops, d);
	json_t *facts = json_object();
	put_int(facts, "vector_bits", all.vector_bits);
	put_int(facts, "move_bits", all.move_bits);
	put_share(facts, "vector_share", all.nr_vector, all.nr_arith);
	put_share(facts, "fma_share", all.nr_fma, all.nr_float);
	put_int(facts, "stack_bytes", (uint64_t)deepest_frame(d));
	put_int(facts, "spill_loads", all.nr_spill_loads);
	put_int(facts, "spill_stores", all.nr_spill_stores);
	put_int(facts, "code_bytes", code_bytes(o));
	put_int(facts, "nr_calls", all.nr_calls);
	put_int(facts, "nr_loops", loops.nr);
	struct mix m = { 0 };
	const struct loop *loop = dominant_loop(&loops, d, frames, &m);
	if (loop)
		put_loop(facts, loop, &m);
	return facts;
}
