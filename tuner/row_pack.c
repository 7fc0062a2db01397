#include "tuner/kernel.h"

/* What a region reads of an array is copied, once and in the order of its loops, into a buffer
 * without gaps, which is read instead:
 *	T A_packed[N]; for (kp...) for (jp...) A_packed[kp * 16 + jp] = A[base + kp * m + jp];
 * The copy touches exactly the elements that the region reads: its loops have known trips and no
 * access is under a condition, unless all elements are known to be in the array. Big buffers are
 * asked for and given back in the same place, because a kernel has no writable statics. Lanes are
 * the innermost axis of a buffer; where the array itself is contiguous along another axis, the copy
 * goes by square tiles. */

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "tuner/access.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/polywrite.h"
#include "tuner/rewrite.h"
#include "tuner/row.h"
#include "tuner/span.h"
#include "tuner/walk.h"

/* A frame that any thread's stack has room for; what a kernel may ask for at once; rows of a tile
 * of floats, each one line of the cache. */
enum { STACK_BYTES = 192 << 10, PACK_BYTES = 8 << 20, TILE = 16, LINE = 64 };

/* A loop that the subscript follows: `factor` elements of the array each trip, `stride` elements
 * of the buffer. */
struct axis {
	const struct stmt *loop;
	int64_t trips;
	int64_t factor;
	int64_t stride;
};

struct form {
	struct poly base;
	struct axis axes[ACCESS_LOOPS]; /* the last one is innermost in the buffer */
	size_t nr;
	bool is_wide; /* some of its elements may not be read */
};

struct pack {
	struct kernel *k;
	struct variant *v;
	struct stmt *study;
	const char *array;
	const char *type;
	const char *buffer;
	bool is_front; /* the copy stands in front of the loop, not at the head of its body */
	bool has_jump; /* what looks unconditional may be skipped */
	struct accesses list;
	struct form form;
	int64_t nr_elements;
	struct env env;
};

/* The most iterations of a loop whose end depends on loops around it; -1: not known. */
static int64_t most_trips(struct pack *p, const struct access_loop *l)
{
	struct stmt *loop = kernel_loop(p->v, l->stmt->loop->label);
	struct poly length = poly_subtract(&l->hi, &l->lo);
	struct span s;
	int64_t start;
	if (!loop || !poly_is_number(&l->lo, &start) ||
	    !span_find(&s, &length, &p->env, p->v, loop_around(p->v->body, loop)))
		return -1;
	return s.most > 0 ? (s.most - 1) / l->stmt->loop->step + 1 : -1;
}

/* A loop and where it starts; its counter leaves the subscript for the start. */
static const char *take_axis(struct pack *p, struct form *f, const struct access *x, size_t at)
{
	const struct access_loop *l = &x->loops[at];
	const struct loop *loop = l->stmt->loop;
	int64_t trips = loop_trips(p->v, l->stmt, p->k->a);
	struct poly slope;
	struct poly rest;
	int64_t by;
	if (!poly_split(&f->base, loop->label, &slope, &rest) || !poly_is_number(&slope, &by))
		return "its subscript is not understood";
	if (trips < 1) {
		f->is_wide = true;
		trips = most_trips(p, l);
	}
	if (by == 0)
		return NULL;
	if (trips < 1)
		return "a loop that indexes it has no known number of trips";
	struct poly start = poly_multiply(&slope, &l->lo);
	f->base = poly_add(&rest, &start);
	memmove(f->axes + 1, f->axes, f->nr * sizeof(*f->axes));
	f->axes[0] = (struct axis){ .loop = l->stmt, .trips = trips, .factor = by * loop->step };
	f->nr++;
	return NULL;
}

/* Lanes go to the end; the rest keeps its order. */
static void order_axes(struct form *f)
{
	struct axis sorted[ACCESS_LOOPS];
	size_t nr = 0;
	for (int is_last = 0; is_last < 2; is_last++)
		for (size_t i = 0; i < f->nr; i++)
			if ((f->axes[i].loop->loop->role == LOOP_LANES) == is_last)
				sorted[nr++] = f->axes[i];
	int64_t stride = 1;
	for (size_t i = nr; i > 0; i--) {
		f->axes[i - 1] = sorted[i - 1];
		f->axes[i - 1].stride = stride;
		if (__builtin_mul_overflow(stride, sorted[i - 1].trips, &stride))
			stride = INT64_MAX;
	}
}

static const char *find_form(struct pack *p, const struct access *x, struct form *f)
{
	*f = (struct form){ .base = x->subs[0] };
	if (x->nr_subs != 1)
		return "it has several subscripts";
	for (size_t i = x->nr_loops; i > 0; i--) {
		bool is_outside = x->loops[i - 1].stmt == p->study && !p->is_front;
		const char *why = is_outside ? NULL : take_axis(p, f, x, i - 1);
		if (why)
			return why;
	}
	if (!f->nr)
		return "no loop inside follows its subscript";
	order_axes(f);
	return NULL;
}

static bool same_form(const struct form *a, const struct form *b)
{
	bool is_same = a->nr == b->nr && poly_equal(&a->base, &b->base);
	for (size_t i = 0; is_same && i < a->nr; i++)
		is_same = a->axes[i].trips == b->axes[i].trips &&
			  a->axes[i].factor == b->axes[i].factor;
	return is_same;
}

/* Whether all that would be copied lies in the array, whatever the program really reads of it. */
static bool is_in_bounds(struct pack *p, const struct form *f)
{
	int64_t nr = array_elements(p->k, p->v, p->array);
	struct stmt *around = p->study->kind == STMT_LOOP ? p->study : NULL;
	struct span s;
	if (!span_find(&s, &f->base, &p->env, p->v, around))
		return false;
	for (size_t i = 0; i < f->nr; i++) {
		int64_t way = f->axes[i].factor * (f->axes[i].trips - 1);
		s.least += way < 0 ? way : 0;
		s.most += way > 0 ? way : 0;
	}
	return s.least >= 0 && s.most < nr;
}

static bool has_lanes(const struct form *f)
{
	return f->nr && f->axes[f->nr - 1].loop->loop->role == LOOP_LANES;
}

/* NULL: the form of this access is fit to be the buffer's. */
static const char *add_access(struct pack *p, const struct access *x)
{
	struct form f;
	const char *why = find_form(p, x, &f);
	if (why)
		return why;
	bool is_exact = !x->is_conditional && !p->has_jump && !f.is_wide;
	if (!is_exact && !is_in_bounds(p, &f))
		return p->has_jump ? "a jump leaves or skips a part of it"
		       : f.is_wide ? "a loop around it has no known number of trips"
				   : "it is read under a condition";
	if (!p->form.nr || (has_lanes(&f) && !has_lanes(&p->form)))
		p->form = f;
	return NULL;
}

/* Lanes first, then the first access; others keep reading the array where they differ. */
static const char *find_forms(struct pack *p)
{
	const char *why = "the array is not read there";
	accesses_collect(&p->list, &p->v->view, p->study, p->k->a);
	if (p->list.trouble)
		return p->list.trouble;
	p->has_jump = stmt_has_jump(p->study);
	if (accesses_writes(&p->list, p->array))
		return "the array is written there";
	for (size_t i = 0; i < p->list.nr; i++) {
		const struct access *x = p->list.items[i];
		if (strcmp(x->array, p->array) != 0)
			continue;
		const char *trouble = add_access(p, x);
		why = trouble ? trouble : why;
	}
	return p->form.nr ? NULL : why;
}

static bool is_small(const struct pack *p)
{
	return p->nr_elements * element_bytes(p->type) <= STACK_BYTES;
}

static const char *measure(struct pack *p)
{
	const struct axis *first = &p->form.axes[0];
	p->type = element_type(p->v, p->array);
	if (!p->type || strchr(p->type, '*'))
		return "the type of its element is not known";
	if (__builtin_mul_overflow(first->stride, first->trips, &p->nr_elements) ||
	    p->nr_elements > PACK_BYTES / element_bytes(p->type))
		return "its buffer would be too big";
	if (p->has_jump && !is_small(p))
		return "a jump may leave its buffer behind";
	return NULL;
}

static struct expr *scaled(struct arena *a, struct expr *e, int64_t by)
{
	return expr_binary(a, "*", e, expr_number(a, by));
}

/* The share of one axis in the buffer's subscript at an access. */
static struct expr *axis_place(struct arena *a, const struct axis *x)
{
	const struct loop *l = x->loop->loop;
	struct expr *from = expr_binary(a, "-", expr_name(a, l->var), expr_clone(a, l->lo));
	if (x->stride % l->step == 0)
		return scaled(a, from, x->stride / l->step);
	return scaled(a, expr_binary(a, "/", from, expr_number(a, l->step)), x->stride);
}

static struct expr *buffer_access(struct arena *a, const char *buffer, const struct form *f)
{
	struct expr *at = expr_number(a, 0);
	for (size_t i = 0; i < f->nr; i++)
		at = expr_binary(a, "+", at, axis_place(a, &f->axes[i]));
	return expr_index(a, expr_name(a, buffer), at);
}

static struct expr *replace_access(void *ctx, struct expr *e)
{
	struct pack *p = ctx;
	struct form f;
	for (size_t i = 0; i < p->list.nr; i++) {
		const struct access *x = p->list.items[i];
		if (x->at != e || strcmp(x->array, p->array) != 0)
			continue;
		if (!find_form(p, x, &f) && same_form(&f, &p->form))
			return buffer_access(p->k->a, p->buffer, &f);
	}
	return e;
}

/* Neighbours that are one run both in the array and in the buffer. */
static void merge_axes(struct form *f)
{
	for (size_t i = f->nr - 1; i > 0; i--) {
		struct axis *outer = &f->axes[i - 1];
		struct axis *inner = &f->axes[i];
		if (outer->factor != inner->factor * inner->trips ||
		    outer->stride != inner->stride * inner->trips)
			continue;
		outer->trips *= inner->trips;
		outer->factor = inner->factor;
		outer->stride = inner->stride;
		memmove(inner, inner + 1, (f->nr - i - 1) * sizeof(*inner));
		f->nr--;
	}
}

/* Both subscripts of the copy as they grow loop by loop. */
struct copy {
	struct pack *p;
	struct expr *from;
	struct expr *to;
	struct stmt *top;
	struct stmt *inner; /* innermost loop so far */
};

static const char *copy_label(const struct pack *p, const char *base)
{
	const char *label = arena_printf(p->k->a, "%sp", base);
	while (kernel_loop(p->v, label))
		label = arena_printf(p->k->a, "%sp", label);
	return label;
}

static struct loop *new_loop(const struct pack *p, const struct axis *x, int64_t trips,
			     const char *suffix)
{
	struct arena *a = p->k->a;
	struct loop *l = arena_alloc(a, sizeof(*l));
	const char *name = arena_printf(a, "%sp%s", x->loop->loop->var, suffix);
	*l = (struct loop){
		.type = "int64_t",
		.var = fresh_name(p->k, p->v, name),
		.label = arena_printf(a, "%s%s", copy_label(p, x->loop->loop->label), suffix),
		.lo = expr_number(a, 0),
		.hi = expr_number(a, trips),
		.step = 1,
	};
	return l;
}

static void add_loop(struct copy *c, const struct axis *x, int64_t trips, int64_t step,
		     const char *suffix)
{
	struct arena *a = c->p->k->a;
	struct stmt *s = stmt_new(a, STMT_LOOP);
	s->loop = new_loop(c->p, x, trips, suffix);
	struct expr *at = expr_name(a, s->loop->var);
	bool is_back = x->factor < 0;
	c->from = expr_binary(a, is_back ? "-" : "+", c->from,
			      scaled(a, at, (is_back ? -x->factor : x->factor) * step));
	c->to = expr_binary(a, "+", c->to, scaled(a, expr_clone(a, at), x->stride * step));
	if (c->inner)
		stmt_add(a, c->inner, s);
	else
		c->top = s;
	c->inner = s;
}

/* The axis along which the array is contiguous, when that is not the buffer's own. */
static size_t find_run(const struct form *f)
{
	size_t last = f->nr - 1;
	for (size_t i = 0; i < last; i++)
		if (f->axes[i].factor == 1 && f->axes[last].factor != 1)
			return i;
	return last;
}

static int64_t tile_of(int64_t trips)
{
	for (int64_t n = TILE; n >= TILE / 4; n /= 2)
		if (trips > TILE && trips % n == 0)
			return n;
	return trips;
}

/* Loops of one axis in its tiles, from outside. */
static void add_tiles(struct copy *c, const struct axis *x)
{
	int64_t tile = tile_of(x->trips);
	if (tile < x->trips)
		add_loop(c, x, x->trips / tile, tile, "");
}

static void add_in_tile(struct copy *c, const struct axis *x)
{
	int64_t tile = tile_of(x->trips);
	add_loop(c, x, tile, 1, tile < x->trips ? "s" : "");
}

static struct stmt *copy_nest(struct pack *p)
{
	struct form f = p->form;
	struct arena *a = p->k->a;
	merge_axes(&f);
	size_t last = f.nr - 1;
	size_t run = find_run(&f);
	struct copy c = { .p = p,
			  .from = poly_write(&f.base, &p->env, p->v),
			  .to = expr_number(a, 0) };
	for (size_t i = 0; i < last; i++)
		if (i != run)
			add_loop(&c, &f.axes[i], f.axes[i].trips, 1, "");
	if (run != last) {
		add_tiles(&c, &f.axes[run]);
		add_tiles(&c, &f.axes[last]);
		add_in_tile(&c, &f.axes[run]);
		add_in_tile(&c, &f.axes[last]);
	} else {
		add_loop(&c, &f.axes[last], f.axes[last].trips, 1, "");
	}
	struct expr *to = expr_index(a, expr_name(a, p->buffer), c.to);
	struct expr *from = expr_index(a, expr_name(a, p->array), c.from);
	stmt_add(a, c.inner, stmt_expr(a, expr_assign(a, "=", to, from)));
	return c.top;
}

static struct stmt *buffer_decl(const struct pack *p, bool is_local)
{
	struct arena *a = p->k->a;
	struct stmt *s = stmt_decl(a, p->type, p->buffer, NULL);
	/* A whole number of lines, as the allocation function wants it. */
	int64_t nr = (p->nr_elements + LINE - 1) / LINE * LINE;
	if (is_local) {
		s->decl->is_aligned = true;
		s->decl->nr_dims = 1;
		s->decl->dims = arena_array(a, 1, sizeof(*s->decl->dims));
		s->decl->dims[0] = expr_number(a, p->nr_elements);
		return s;
	}
	struct expr *size = expr_new(a, EXPR_TEXT, arena_printf(a, "sizeof(%s)", p->type), 0);
	s->decl->stars = "*restrict ";
	s->decl->init = expr_call(a, "aligned_alloc", expr_number(a, LINE),
				  expr_binary(a, "*", expr_number(a, nr), size));
	return s;
}

/* The copy, what reads it, and the end of the buffer. */
static struct stmt *surround(struct pack *p, const struct stmt *readers)
{
	struct arena *a = p->k->a;
	bool is_local = is_small(p);
	struct stmt *out = stmt_new(a, STMT_BLOCK);
	stmt_add(a, out, buffer_decl(p, is_local));
	stmt_add(a, out, copy_nest(p));
	for (size_t i = 0; i < readers->nr; i++)
		stmt_add(a, out, readers->items[i]);
	if (!is_local)
		stmt_add(a, out, stmt_expr(a, expr_call(a, "free", expr_name(a, p->buffer), NULL)));
	return out;
}

static void rewrite(struct pack *p)
{
	struct arena *a = p->k->a;
	struct stmt *readers = p->study->kind == STMT_LOOP ? stmt_body(a, p->study) : p->study;
	struct stmt *alone = stmt_new(a, STMT_BLOCK);
	struct place at;
	p->buffer = fresh_name(p->k, p->v, arena_printf(a, "%s_packed", p->array));
	stmt_add(a, alone, p->study);
	struct stmt *out = surround(p, p->is_front ? alone : readers);
	stmt_rewrite(p->study, replace_access, p);
	if (!p->is_front)
		*readers = *out;
	else if (place_find(p->v->body, p->study, &at))
		place_put(a, at, out);
}

static const char *apply_to(struct kernel *k, struct variant *v, struct stmt *loop,
			    const struct row *row)
{
	struct pack *p = arena_alloc(k->a, sizeof(*p));
	const char *place = row_get(row, "place");
	p->k = k;
	p->v = v;
	p->study = loop ? loop : v->body;
	p->array = row_get(row, "array");
	p->is_front = loop && place && strcmp(place, "front") == 0;
	if (place && !p->is_front && strcmp(place, "head") != 0)
		return "place must be head, or front of a loop";
	if (!env_open(&p->env, &v->view, p->study, k->a))
		return "its names are not understood";
	const char *why = find_forms(p);
	if (!why)
		why = measure(p);
	if (!why)
		rewrite(p);
	return why;
}

int row_pack(struct kernel *k, const struct row *row, struct err *e)
{
	return row_apply_each(k, row, apply_to, e);
}
