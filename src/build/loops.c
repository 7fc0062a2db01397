#include "build/loops.h"
/*
 * Nodes are instructions; edges are fall-through and direct branches. An edge to a node that is on
 * the walk's stack is a back edge, its target a loop header; edges to one header make one loop. The
 * body is what reaches the back edge without passing the header. Code is small (the object is one
 * kernel), so plain arrays do; very large code is left without loops rather than slow.
 */

#include <stdint.h>

#include "base/str.h"
#include "build/disasm.h"

enum { LOOPS_MAX_INSNS = 1 << 17, LOOPS_MAX = 2048 };
/* Of all loops together: deep nesting in large code is left without loops too. */
enum { LOOPS_MAX_BODIES = 1 << 21 };

enum mark { MARK_NEW, MARK_ON_STACK, MARK_DONE };

static const size_t none = SIZE_MAX;

struct edge {
	size_t from;
	size_t to;
};

struct walk {
	const struct disasm *d;
	struct arena arena;
	size_t (*next)[2]; /* successors of each instruction, `none` where there is none */
	unsigned char *marks;
	size_t *stack;
	unsigned char *taken; /* how many successors of a stack entry were followed */
	struct edge back[LOOPS_MAX];
	size_t nr_back;
};

static size_t insn_at(const struct disasm *d, const struct function *f, uint64_t addr)
{
	size_t low = f->first;
	size_t high = f->first + f->nr;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (d->insns[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->first + f->nr && d->insns[low].addr == addr ? low : none;
}

static bool falls_through(const struct insn *in)
{
	return !str_starts(in->mnemonic, "jmp") && !str_starts(in->mnemonic, "ret") &&
	       !str_starts(in->mnemonic, "ud2");
}

static void edges_of(struct walk *w, const struct function *f, size_t i)
{
	const struct insn *in = &w->d->insns[i];
	w->next[i][0] = none;
	w->next[i][1] = none;
	if (falls_through(in) && i + 1 < f->first + f->nr)
		w->next[i][0] = i + 1;
	if (in->target != INSN_NO_TARGET && !str_starts(in->mnemonic, "call"))
		w->next[i][1] = insn_at(w->d, f, (uint64_t)in->target);
}

static void walk_from(struct walk *w, size_t start)
{
	size_t depth = 0;
	w->stack[0] = start;
	w->taken[0] = 0;
	w->marks[start] = MARK_ON_STACK;
	for (;;) {
		size_t at = w->stack[depth];
		if (w->taken[depth] == 2) {
			w->marks[at] = MARK_DONE;
			if (!depth--)
				return;
			continue;
		}
		size_t to = w->next[at][w->taken[depth]++];
		if (to == none || w->marks[to] == MARK_DONE)
			continue;
		if (w->marks[to] == MARK_NEW) {
			w->marks[to] = MARK_ON_STACK;
			w->stack[++depth] = to;
			w->taken[depth] = 0;
		} else if (w->nr_back < LOOPS_MAX) {
			w->back[w->nr_back++] = (struct edge){ at, to };
		}
	}
}

static void walk_all(struct walk *w)
{
	for (size_t k = 0; k < w->d->nr_functions; k++) {
		const struct function *f = &w->d->functions[k];
		for (size_t i = f->first; i < f->first + f->nr; i++)
			edges_of(w, f, i);
		/* Blocks behind an indirect jump are reached by nothing: they start anew. */
		for (size_t i = f->first; i < f->first + f->nr; i++) {
			if (w->marks[i] == MARK_NEW)
				walk_from(w, i);
		}
	}
}

/* Who jumps to an instruction: lists in one array, by counting sort. */
struct preds {
	size_t *first; /* nr_insns + 1 */
	size_t *items;
};

static void preds_fill(struct preds *p, struct walk *w)
{
	size_t n = w->d->nr_insns;
	p->first = arena_array(&w->arena, n + 2, sizeof(*p->first));
	p->items = arena_array(&w->arena, 2 * n + 1, sizeof(*p->items));
	for (size_t i = 0; i < 2 * n; i++) {
		if (w->next[i / 2][i % 2] != none)
			p->first[w->next[i / 2][i % 2] + 2]++;
	}
	for (size_t i = 2; i < n + 2; i++)
		p->first[i] += p->first[i - 1];
	for (size_t i = 0; i < 2 * n; i++) {
		if (w->next[i / 2][i % 2] != none)
			p->items[p->first[w->next[i / 2][i % 2] + 1]++] = i / 2;
	}
}

/* Mark in `in_body` what reaches `from` without passing the header. */
static void flood(struct walk *w, const struct preds *p, size_t from, unsigned char *in_body)
{
	size_t nr = 0;
	if (!in_body[from]) {
		in_body[from] = 1;
		w->stack[nr++] = from;
	}
	while (nr) {
		size_t at = w->stack[--nr];
		for (size_t k = p->first[at]; k < p->first[at + 1]; k++) {
			size_t before = p->items[k];
			if (in_body[before])
				continue;
			in_body[before] = 1;
			w->stack[nr++] = before;
		}
	}
}

static void loop_fill(struct loops *l, struct walk *w, const struct preds *p, size_t header)
{
	size_t n = w->d->nr_insns;
	AUTO_FREE unsigned char *in_body = xcalloc(n, 1);
	in_body[header] = 1;
	for (size_t k = 0; k < w->nr_back; k++) {
		if (w->back[k].to == header)
			flood(w, p, w->back[k].from, in_body);
	}
	struct loop *loop = &l->items[l->nr++];
	*loop = (struct loop){ .header = header };
	for (size_t i = 0; i < n; i++)
		loop->nr_body += in_body[i];
	loop->body = arena_array(&l->arena, loop->nr_body, sizeof(*loop->body));
	size_t at = 0;
	for (size_t i = 0; i < n; i++) {
		if (in_body[i])
			loop->body[at++] = i;
	}
}

static bool body_has(const struct loop *loop, size_t insn)
{
	size_t low = 0;
	size_t high = loop->nr_body;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (loop->body[mid] < insn)
			low = mid + 1;
		else
			high = mid;
	}
	return low < loop->nr_body && loop->body[low] == insn;
}

static void loops_nest(struct loops *l)
{
	for (size_t i = 0; i < l->nr; i++) {
		struct loop *loop = &l->items[i];
		loop->is_innermost = true;
		for (size_t k = 0; k < l->nr; k++) {
			loop->depth += body_has(&l->items[k], loop->header);
			if (k != i && body_has(loop, l->items[k].header))
				loop->is_innermost = false;
		}
	}
}

static bool header_is_known(const struct loops *l, size_t header)
{
	for (size_t i = 0; i < l->nr; i++) {
		if (l->items[i].header == header)
			return true;
	}
	return false;
}

static void loops_fill(struct loops *l, struct walk *w, const struct preds *p)
{
	size_t nr_bodies = 0;
	for (size_t k = 0; k < w->nr_back && nr_bodies <= LOOPS_MAX_BODIES; k++) {
		if (header_is_known(l, w->back[k].to))
			continue;
		loop_fill(l, w, p, w->back[k].to);
		nr_bodies += l->items[l->nr - 1].nr_body;
	}
	if (nr_bodies > LOOPS_MAX_BODIES)
		l->nr = 0;
}

void loops_find(struct loops *l, const struct disasm *d)
{
	*l = (struct loops){ 0 };
	size_t n = d->nr_insns;
	if (!n || n > LOOPS_MAX_INSNS)
		return;
	AUTO_FREE struct walk *w = xcalloc(1, sizeof(*w));
	w->d = d;
	w->next = arena_array(&w->arena, n, sizeof(*w->next));
	w->marks = arena_array(&w->arena, n, 1);
	w->stack = arena_array(&w->arena, n, sizeof(*w->stack));
	w->taken = arena_array(&w->arena, n, 1);
	for (size_t i = 0; i < 2 * n; i++)
		w->next[i / 2][i % 2] = none;
	walk_all(w);
	struct preds p;
	preds_fill(&p, w);
	l->items = arena_array(&l->arena, w->nr_back + 1, sizeof(*l->items));
	loops_fill(l, w, &p);
	arena_release(&w->arena);
	loops_nest(l);
}

void loops_release(struct loops *l)
{
	arena_release(&l->arena);
}
