#include "tuner/kernel.h"

/* Strips that a sink row left as loops are written out: those over registers as copies, those over
 * lanes as vectors. gcc keeps neither arrays of accumulators in registers nor does it choose the
 * lanes that were meant; vector variables leave it no choice. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/ttask.h"
#include "tuner/vnames.h"
#include "tuner/vstrip.h"
#include "tuner/walk.h"

/* Copies of one strip, and nodes in all of them: more is no register tile any longer. */
enum { COPIES_MAX = 32, NODES_MAX = 20000 };

struct writer {
	struct kernel *k;
	struct variant *v;
	unsigned bits;
	size_t nr_written;
	const char *why; /* of the last strip that stays a loop */
};

static bool see_node(void *ctx, const struct expr *e)
{
	size_t *nr = ctx;
	(void)e;
	++*nr;
	return true;
}

static size_t nr_nodes(const struct stmt *s)
{
	size_t nr = 0;
	walk_stmt(&(struct walk){ .ctx = &nr, .see_expr = see_node }, s);
	return nr;
}

struct strips {
	bool has_lanes;
	bool has_other_loop;
};

static bool see_strip(void *ctx, const struct stmt *s)
{
	struct strips *found = ctx;
	bool is_loop = s->kind == STMT_LOOP || s->kind == STMT_FOR || s->kind == STMT_WHILE ||
		       s->kind == STMT_DO;
	if (is_loop && s->kind == STMT_LOOP && s->loop->role == LOOP_LANES)
		found->has_lanes = true;
	else if (is_loop && (s->kind != STMT_LOOP || s->loop->role == LOOP_PLAIN))
		found->has_other_loop = true;
	return true;
}

static bool has_jump(const struct stmt *s)
{
	if (s->kind == STMT_JUMP || s->kind == STMT_OPAQUE)
		return true;
	for (size_t i = 0; i < s->nr; i++)
		if (has_jump(s->items[i]))
			return true;
	return false;
}

/* Written as copies a strip over registers has only known subscripts. */
static bool is_copied(const struct writer *w, const struct stmt *s)
{
	struct strips found = { 0 };
	if (s->kind != STMT_LOOP || s->loop->role != LOOP_REGISTERS || s->loop->step != 1 ||
	    !s->loop->lo->is_integer || has_jump(s))
		return false;
	int64_t trips = loop_trips(w->v, s, w->k->a);
	walk_stmt(&(struct walk){ &found, NULL, see_strip }, s->items[0]);
	return trips >= 1 && trips <= COPIES_MAX && nr_nodes(s) * (size_t)trips <= NODES_MAX &&
	       (found.has_lanes || !found.has_other_loop);
}

static bool declares(const struct stmt *block)
{
	for (size_t i = 0; i < block->nr; i++)
		if (block->items[i]->kind == STMT_DECL)
			return true;
	return false;
}

static struct stmt *copies(const struct writer *w, const struct stmt *strip)
{
	struct arena *a = w->k->a;
	struct stmt *out = stmt_new(a, STMT_BLOCK);
	int64_t trips = loop_trips(w->v, strip, a);
	for (int64_t i = 0; i < trips; i++) {
		struct stmt *copy = stmt_clone(a, strip->items[0]);
		stmt_fix(a, copy, strip->loop->var, strip->loop->lo->value + i);
		if (i)
			stmt_relabel(a, copy, "c");
		if (copy->kind != STMT_BLOCK || declares(copy)) {
			stmt_add(a, out, copy);
			continue;
		}
		for (size_t j = 0; j < copy->nr; j++)
			stmt_add(a, out, copy->items[j]);
	}
	return out;
}

static struct stmt *written(struct writer *w, struct stmt *s)
{
	struct stmt *out = s;
	if (is_copied(w, s))
		return copies(w, s);
	if (s->kind != STMT_LOOP || s->loop->role != LOOP_LANES)
		return s;
	const char *trouble = vstrip_convert(w->k, w->v, s, w->bits, &out);
	w->why = trouble ? trouble : w->why;
	w->nr_written += !trouble;
	return trouble ? s : out;
}

/* From the outside in, as a copy may hold strips; what stands in a block is put into it. */
static void write_strips(struct writer *w, struct stmt *s)
{
	for (size_t i = 0; i < s->nr;) {
		struct stmt *now = written(w, s->items[i]);
		if (now == s->items[i]) {
			write_strips(w, now);
			i++;
		} else if (s->kind == STMT_BLOCK) {
			stmt_splice(w->k->a, s, i, now);
		} else {
			s->items[i] = now;
		}
	}
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct stmt *before = v->body;
	struct writer w = { .k = k, .v = v, .why = "there is no strip of lanes" };
	(void)loop;
	w.bits = (unsigned)strtoul(row_get(row, "bits"), NULL, 10);
	v->body = stmt_clone(k->a, before);
	v->view.body = v->body;
	write_strips(&w, v->body);
	if (w.nr_written) {
		vnames_introduce(k, v);
		return NULL;
	}
	v->body = before;
	v->view.body = before;
	return w.why;
}

int row_vectors(struct kernel *k, const struct row *row, struct err *e)
{
	const char *bits = row_get(row, "bits");
	bool is_wide = strcmp(bits, "512") == 0;
	if (!is_wide && strcmp(bits, "256") != 0 && strcmp(bits, "128") != 0)
		return err_set(e, ERR_INPUT, "bits must be 128, 256 or 512");
	if (is_wide && !k->task->has_wide_vectors)
		return err_set(e, ERR_INPUT, "the machine has no vectors of 512 bits");
	return row_apply_each(k, row, apply_to, e);
}
