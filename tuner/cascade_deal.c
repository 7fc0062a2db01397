#include "tuner/cascade.h"

/* Parts of the range for threads that never wait for each other: each computes some iterations more
 * on both sides than it owns, as many as all steps of time can reach, on a copy of what it needs.
 * First all copies are made, then each part runs its cascade and writes back what it owns. Wrong
 * values creep in from a copy's ends, but never as far as what is owned. */

#include <string.h>

#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/ir.h"
#include "tuner/kernel.h"
#include "tuner/proof.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

enum { ARRAYS_MAX = 4, LINE_ELEMENTS = 64, LINE_BYTES = 64, COPY_ELEMENTS = 1 << 26 };

/* An array that the sweeps write: element = slope * counter + low ... high. */
struct copy {
	const char *array;
	const char *type;
	const char *own;   /* name of the copies, one behind the other */
	const char *start; /* element of the array that a part's copy begins with */
	int64_t slope;
	int64_t low;
	int64_t high;
	int64_t low_written;
	int64_t high_written;
	int64_t size; /* of one part's copy, in elements */
};

struct deal {
	struct cascade *c;
	struct arena *a;
	struct copy copies[ARRAYS_MAX];
	size_t nr;
	int64_t parts;
	int64_t lo; /* the range of all sweeps */
	int64_t hi;
	int64_t halo;
	const char *part;
	const char *from; /* what a part computes, and what it owns of that */
	const char *to;
	const char *own_from;
	const char *own_to;
};

static struct copy *find_copy(struct deal *d, const char *array)
{
	for (size_t i = 0; i < d->nr; i++)
		if (strcmp(d->copies[i].array, array) == 0)
			return &d->copies[i];
	return NULL;
}

static const char *add_written(struct deal *d, const struct accesses *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		const struct access *x = list->items[i];
		if (!x->is_write || find_copy(d, x->array))
			continue;
		if (d->nr == ARRAYS_MAX)
			return "it writes too many arrays";
		d->copies[d->nr++] = (struct copy){ .array = x->array,
						    .type = element_type(d->c->v, x->array),
						    .low = INT64_MAX,
						    .high = INT64_MIN,
						    .low_written = INT64_MAX,
						    .high_written = INT64_MIN };
	}
	return NULL;
}

static bool runs_surely(const struct access *x)
{
	for (size_t i = 0; i < x->nr_loops; i++) {
		struct poly span = poly_subtract(&x->loops[i].hi, &x->loops[i].lo);
		int64_t trips;
		if (!poly_is_number(&span, &trips) || trips <= 0)
			return false;
	}
	return !x->is_conditional;
}

static bool widen(struct copy *copy, const struct access *x)
{
	int64_t slope;
	int64_t low;
	int64_t high;
	if (!copy->type || !expr_is_name(x->at->items[0], x->array) || !runs_surely(x) ||
	    !proof_reach(x, &slope, &low, &high) || slope <= 0 ||
	    (copy->slope && copy->slope != slope))
		return false;
	copy->slope = slope;
	copy->low = low < copy->low ? low : copy->low;
	copy->high = high > copy->high ? high : copy->high;
	if (x->is_write) {
		copy->low_written = low < copy->low_written ? low : copy->low_written;
		copy->high_written = high > copy->high_written ? high : copy->high_written;
	}
	return true;
}

static const char *study_arrays(struct deal *d)
{
	struct cascade *c = d->c;
	for (size_t q = 0; q < c->nr; q++) {
		const char *why = add_written(d, &c->sweeps[q].list);
		if (why)
			return why;
	}
	for (size_t q = 0; q < c->nr; q++) {
		const struct accesses *list = &c->sweeps[q].list;
		for (size_t i = 0; i < list->nr; i++) {
			struct copy *copy = find_copy(d, list->items[i]->array);
			if (copy && !widen(copy, list->items[i]))
				return arena_printf(d->a, "where it touches %s is not a number",
						    copy->array);
		}
	}
	for (size_t i = 0; i < d->nr; i++)
		if (d->copies[i].high_written - d->copies[i].low_written >= d->copies[i].slope)
			return "two iterations write between each other";
	return NULL;
}

/* The least distance in iterations within which sweep q may read what sweep p writes; -1: none. */
static int64_t reach(const struct sweep *p, const struct sweep *q)
{
	int64_t far = 0;
	for (size_t i = 0; i < p->list.nr; i++) {
		const struct access *x = p->list.items[i];
		for (size_t j = 0; x->is_write && j < q->list.nr; j++) {
			const struct access *y = q->list.items[j];
			if (!y->is_read || strcmp(x->array, y->array) != 0)
				continue;
			while (far <= DELAY_MAX &&
			       !(proof_follows(x, y, far + 1) && proof_follows(y, x, far + 1)))
				far++;
		}
	}
	return far > DELAY_MAX ? -1 : far;
}

static const char *study_halo(struct deal *d, int64_t steps)
{
	struct cascade *c = d->c;
	for (size_t q = 0; q < c->nr; q++) {
		int64_t far = 0;
		for (size_t p = 0; p < c->nr; p++) {
			int64_t own = reach(&c->sweeps[p], &c->sweeps[q]);
			if (own < 0)
				return "a step of time reaches too far";
			far = own > far ? own : far;
		}
		d->halo += far * steps;
	}
	int64_t share = (d->hi - d->lo) / d->parts + 1;
	if (share < 2 * d->halo)
		return "its parts would compute more on their sides than they own";
	for (size_t i = 0; i < d->nr; i++) {
		struct copy *x = &d->copies[i];
		int64_t size = x->slope * (share + 2 * d->halo) + x->high - x->low + 1;
		x->size = (size + LINE_ELEMENTS - 1) / LINE_ELEMENTS * LINE_ELEMENTS;
		if (x->size > COPY_ELEMENTS)
			return "its parts are too large to copy";
	}
	return NULL;
}

static const char *study_range(struct deal *d)
{
	const struct cascade *c = d->c;
	int64_t trips = loop_trips(c->v, c->time, d->a);
	if (trips <= 0 || !poly_is_number(&c->sweeps[0].lo, &d->lo) ||
	    !poly_is_number(&c->sweeps[0].hi, &d->hi))
		return "its sizes are not known numbers";
	for (struct stmt *at = loop_around(c->v->body, c->time); at;
	     at = loop_around(c->v->body, at))
		if (at->loop->threads)
			return "a loop around it is dealt out already";
	for (size_t q = 0; q < c->nr; q++)
		if (c->lo[q] || c->hi[q])
			return "its loops do not all run over the same range";
	const char *why = study_arrays(d);
	return why ? why : study_halo(d, trips);
}

static void choose_names(struct deal *d)
{
	const struct kernel *k = d->c->k;
	const struct variant *v = d->c->v;
	d->part = fresh_name(k, v, "part");
	d->from = fresh_name(k, v, "from");
	d->to = fresh_name(k, v, "to");
	d->own_from = fresh_name(k, v, "own_from");
	d->own_to = fresh_name(k, v, "own_to");
	for (size_t i = 0; i < d->nr; i++) {
		struct copy *x = &d->copies[i];
		x->own = fresh_name(k, v, arena_printf(d->a, "%s_parts", x->array));
		x->start = fresh_name(k, v, arena_printf(d->a, "%s_start", x->array));
	}
}

static struct expr *name(const struct deal *d, const char *text)
{
	return expr_name(d->a, text);
}

static struct expr *pick(const struct deal *d, const char *op, struct expr *x, struct expr *y)
{
	struct expr *e = expr_new(d->a, EXPR_CHOICE, "?", 3);
	e->items[0] = expr_binary(d->a, op, expr_clone(d->a, x), expr_clone(d->a, y));
	e->items[1] = x;
	e->items[2] = y;
	return e;
}

static void declare(const struct deal *d, struct stmt *into, const char *what, struct expr *value)
{
	stmt_add(d->a, into, stmt_decl(d->a, "const int64_t", what, value));
}

/* lo + span * (part + more) / parts */
static struct expr *border(const struct deal *d, int64_t more)
{
	struct arena *a = d->a;
	struct expr *at = expr_plus(a, name(d, d->part), more);
	at = expr_binary(a, "*", expr_number(a, d->hi - d->lo), at);
	at = expr_binary(a, "/", at, expr_number(a, d->parts));
	return expr_binary(a, "+", expr_number(a, d->lo), at);
}

/* slope * (counter) + plus */
static struct expr *element(const struct deal *d, const struct copy *x, const char *counter,
			    int64_t plus)
{
	struct expr *at = expr_binary(d->a, "*", name(d, counter), expr_number(d->a, x->slope));
	return expr_plus(d->a, at, plus);
}

static void declare_range(const struct deal *d, struct stmt *into)
{
	struct arena *a = d->a;
	struct expr *least = expr_plus(a, name(d, d->own_from), -d->halo);
	struct expr *most = expr_plus(a, name(d, d->own_to), d->halo);
	declare(d, into, d->own_from, border(d, 0));
	declare(d, into, d->own_to, border(d, 1));
	declare(d, into, d->from, pick(d, ">", least, expr_number(a, d->lo)));
	declare(d, into, d->to, pick(d, "<", most, expr_number(a, d->hi)));
	for (size_t i = 0; i < d->nr; i++) {
		const struct copy *x = &d->copies[i];
		struct expr *base = expr_binary(a, "*", name(d, d->part), expr_number(a, x->size));
		struct expr *at = expr_plus(a, element(d, x, d->from, 0), x->low);
		declare(d, into, x->start, expr_binary(a, "-", at, base));
	}
}

static struct stmt *new_loop(const struct deal *d, const char *label, const char *var,
			     struct expr *lo, struct expr *hi)
{
	struct stmt *s = stmt_new(d->a, STMT_LOOP);
	s->loop = arena_alloc(d->a, sizeof(*s->loop));
	*s->loop = (struct loop){
		.label = label, .type = "int64_t", .var = var, .lo = lo, .hi = hi, .step = 1
	};
	stmt_add(d->a, s, stmt_new(d->a, STMT_BLOCK));
	return s;
}

/* Elements of one array between two places go to the copies, or back. */
static struct stmt *copy_loop(const struct deal *d, const struct copy *x, bool is_back)
{
	struct arena *a = d->a;
	const char *var = fresh_name(d->c->k, d->c->v, "e");
	const char *label =
		arena_printf(a, "%sc%s%s", d->c->time->loop->label, x->array, is_back ? "b" : "");
	struct expr *lo =
		element(d, x, is_back ? d->own_from : d->from, is_back ? x->low_written : x->low);
	struct expr *hi = element(d, x, is_back ? d->own_to : d->to,
				  (is_back ? x->high_written : x->high) + 1 - x->slope);
	struct stmt *s = new_loop(d, label, var, lo, hi);
	struct expr *array = expr_index(a, name(d, x->array), name(d, var));
	struct expr *own = expr_index(a, name(d, x->own),
				      expr_binary(a, "-", name(d, var), name(d, x->start)));
	struct expr *e =
		is_back ? expr_assign(a, "=", array, own) : expr_assign(a, "=", own, array);
	stmt_add(a, s->items[0], stmt_expr(a, e));
	return s;
}

static struct stmt *part_loop(const struct deal *d, const char *suffix)
{
	const char *label = arena_printf(d->a, "%s%s", d->c->time->loop->label, suffix);
	struct stmt *s =
		new_loop(d, label, d->part, expr_number(d->a, 0), expr_number(d->a, d->parts));
	s->loop->threads = (unsigned)d->parts;
	declare_range(d, s->items[0]);
	return s;
}

static struct expr *to_copies(void *ctx, struct expr *e)
{
	struct deal *d = ctx;
	const struct copy *x = e->kind == EXPR_INDEX && e->items[0]->kind == EXPR_NAME
				       ? find_copy(d, e->items[0]->text)
				       : NULL;
	if (!x)
		return e;
	return expr_index(d->a, name(d, x->own),
			  expr_binary(d->a, "-", e->items[1], name(d, x->start)));
}

static struct stmt *buffer(const struct deal *d, const struct copy *x)
{
	struct arena *a = d->a;
	struct stmt *s = stmt_decl(a, x->type, x->own, expr_new(a, EXPR_CALL, "(", 3));
	struct expr *size = expr_new(a, EXPR_TEXT, arena_printf(a, "sizeof(%s)", x->type), 0);
	s->decl->stars = "*restrict ";
	s->decl->init->items[0] = name(d, "aligned_alloc");
	s->decl->init->items[1] = expr_number(a, LINE_BYTES);
	s->decl->init->items[2] = expr_binary(a, "*", expr_number(a, d->parts * x->size), size);
	return s;
}

static struct stmt *give_back(const struct deal *d, const struct copy *x)
{
	struct expr *e = expr_new(d->a, EXPR_CALL, "(", 2);
	e->items[0] = name(d, "free");
	e->items[1] = name(d, x->own);
	return stmt_expr(d->a, e);
}

/* The cascade over what one part computes, on its copies. */
static struct stmt *own_pass(struct deal *d)
{
	struct cascade *c = d->c;
	struct expr *steps = cascade_steps(c);
	for (size_t q = 0; q < c->nr; q++) {
		c->sweeps[q].loop->loop->lo = name(d, d->from);
		c->sweeps[q].loop->loop->hi = name(d, d->to);
	}
	struct stmt *pass = cascade_pass(c, steps);
	stmt_rewrite(pass, to_copies, d);
	return pass;
}

const char *cascade_deal(struct cascade *c, long parts, struct stmt **out)
{
	struct arena *a = c->k->a;
	struct deal d = { .c = c, .a = a, .parts = parts };
	const char *why = study_range(&d);
	if (why)
		return why;
	choose_names(&d);
	struct stmt *block = stmt_new(a, STMT_BLOCK);
	struct stmt *before = part_loop(&d, "c");
	struct stmt *work = part_loop(&d, "p");
	for (size_t i = 0; i < d.nr; i++) {
		stmt_add(a, block, buffer(&d, &d.copies[i]));
		stmt_add(a, before->items[0], copy_loop(&d, &d.copies[i], false));
	}
	stmt_add(a, work->items[0], own_pass(&d));
	for (size_t i = 0; i < d.nr; i++)
		stmt_add(a, work->items[0], copy_loop(&d, &d.copies[i], true));
	stmt_add(a, block, before);
	stmt_add(a, block, work);
	for (size_t i = 0; i < d.nr; i++)
		stmt_add(a, block, give_back(&d, &d.copies[i]));
	*out = block;
	return NULL;
}
