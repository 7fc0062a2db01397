#include "tuner/scene.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/env.h"
#include "tuner/ir.h"
#include "tuner/plan.h"
#include "tuner/proof.h"
#include "tuner/rewrite.h"
#include "tuner/walk.h"

/* A loop whose length depends on data or on another counter is taken as this long. */
enum { UNKNOWN_TRIPS = 32 };

struct survey {
	struct scene *s;
	struct arena *a;
};

/* Half of the range of a counter that bounds another loop is a fair guess. */
static double guess_trips(const struct scene *s, const struct stmt *loop)
{
	for (int i = s->nr_loops - 1; i >= 0; i--)
		if (expr_uses(loop->loop->hi, s->loops[i].stmt->loop->var) ||
		    expr_uses(loop->loop->lo, s->loops[i].stmt->loop->var))
			return s->loops[i].trips / 2;
	return UNKNOWN_TRIPS;
}

static int add_loop(struct survey *v, struct stmt *stmt, int parent)
{
	struct scene *s = v->s;
	struct scene_loop *above = parent == NO_LOOP ? NULL : &s->loops[parent];
	if (s->nr_loops == SCENE_LOOPS)
		return parent;
	int at = s->nr_loops;
	int64_t trips = loop_trips(s->body, stmt, v->a);
	s->loops[at] = (struct scene_loop){
		.stmt = stmt,
		.label = stmt->loop->label,
		.parent = parent,
		.top = above ? above->top : at,
		.depth = above ? above->depth + 1 : 0,
		.starts = above ? above->starts * above->trips : 1,
		.is_exact = trips >= 0,
		.is_innermost = true,
		.trips = trips >= 0 ? (double)trips : guess_trips(s, stmt),
		.is_shared = !proof_independent(&s->body->view, stmt, v->a),
	};
	s->nr_loops++;
	if (above) {
		above->nr_below++;
		above->is_innermost = false;
	}
	return at;
}

static void find_loops(struct survey *v, struct stmt *stmt, int parent)
{
	if (stmt->kind == STMT_LOOP)
		parent = add_loop(v, stmt, parent);
	for (size_t i = 0; i < stmt->nr; i++)
		find_loops(v, stmt->items[i], parent);
}

static int loop_of(const struct scene *s, const struct stmt *stmt)
{
	for (int i = 0; i < s->nr_loops; i++)
		if (s->loops[i].stmt == stmt)
			return i;
	return NO_LOOP;
}

static bool is_operand(const struct scene *s, const char *array)
{
	const struct function *f = s->body->view.f;
	for (size_t i = 0; i < f->nr_params; i++)
		if (strcmp(f->params[i].name, array) == 0)
			return true;
	return false;
}

/* Elements the access moves when this loop takes one step: a step of an outer subscript is a long
 * way. */
static double stride_in(const struct access *x, const struct stmt *loop)
{
	double stride = 0;
	for (size_t d = 0; d < x->nr_subs; d++) {
		struct poly slope;
		struct poly rest;
		int64_t n;
		if (!poly_split(&x->subs[d], loop->loop->label, &slope, &rest))
			return NAN;
		if (!poly_is_number(&slope, &n))
			return NAN;
		stride += (double)n * (d + 1 < x->nr_subs ? 4096.0 : 1.0);
	}
	return stride;
}

static struct touch *find_touch(struct scene *s, const struct access *x)
{
	for (size_t i = 0; i < s->nr_touches; i++)
		if (s->touches[i].at == x->at)
			return &s->touches[i];
	return NULL;
}

static struct touch *add_touch(struct scene *s, const struct access *x)
{
	int loop = loop_of(s, x->loops[x->nr_loops - 1].stmt);
	if (s->nr_touches == SCENE_TOUCHES || loop == NO_LOOP)
		return NULL;
	struct touch *t = &s->touches[s->nr_touches++];
	*t = (struct touch){
		.at = x->at,
		.array = x->array,
		.is_operand = is_operand(s, x->array),
		.is_read = x->is_read,
		.is_write = x->is_write,
		.loop = loop,
		.weight = s->loops[loop].starts * s->loops[loop].trips,
	};
	return t;
}

/* Each loop is studied by itself: what an outer loop computes is fixed for an inner one, however it
 * was computed. */
static void study_loop(struct scene *s, int loop)
{
	struct accesses list;
	accesses_collect(&list, &s->body->view, s->loops[loop].stmt, &s->a);
	for (size_t n = 0; n < list.nr; n++) {
		const struct access *x = list.items[n];
		struct touch *t = find_touch(s, x);
		if (!t && x->nr_loops)
			t = add_touch(s, x);
		if (t)
			t->stride[loop] = stride_in(x, s->loops[loop].stmt);
	}
}

static void find_touches(struct scene *s)
{
	s->touches = arena_array(&s->a, SCENE_TOUCHES, sizeof(*s->touches));
	for (int i = 0; i < s->nr_loops; i++)
		study_loop(s, i);
}

double scene_work(const struct scene *s, int loop)
{
	double work = 0;
	for (int i = 0; i < s->nr_loops; i++)
		if (s->loops[i].is_innermost && scene_is_inside(s, i, loop))
			work += s->loops[i].starts * s->loops[i].trips;
	return work;
}

static void survey_body(struct scene *s)
{
	struct survey v = { s, &s->a };
	s->nr_loops = 0;
	find_loops(&v, s->body->body, NO_LOOP);
	s->work = 0;
	for (int i = 0; i < s->nr_loops; i++)
		if (s->loops[i].parent == NO_LOOP)
			s->work += scene_work(s, i);
}

/* Rows that only spell out what the compiler is given hide loops and subscripts. */
static struct plan without_spelling(const struct plan *p)
{
	struct plan out = *p;
	for (size_t i = out.nr; i-- > 0;)
		if (row_text_is(out.rows[i], "vectors") || row_text_is(out.rows[i], "stream"))
			out = plan_without(&out, i);
	return out;
}

int scene_open(struct scene *s, const struct plan *p, const char *source,
	       const struct tuner_task *task, struct err *e)
{
	*s = (struct scene){ 0 };
	const struct plan plain = without_spelling(p);
	if (plan_apply(&plain, source, task, &s->kernel, &s->a, e) < 0)
		return -1;
	if (s->kernel.unread)
		return err_set(e, ERR_INPUT, "%s", s->kernel.unread);
	const struct variant *largest = &s->kernel.variants[0];
	double most = -1;
	for (size_t i = 0; i < s->kernel.nr_variants; i++) {
		s->body = &s->kernel.variants[i];
		survey_body(s);
		if (s->work > most && (s->body->shape || s->kernel.nr_variants == 1)) {
			most = s->work;
			largest = s->body;
		}
	}
	s->body = largest;
	survey_body(s);
	find_touches(s);
	return 0;
}

void scene_release(struct scene *s)
{
	kernel_release(&s->kernel);
	arena_release(&s->a);
}

int scene_find(const struct scene *s, const char *label)
{
	for (int i = 0; i < s->nr_loops; i++)
		if (strcmp(s->loops[i].label, label) == 0)
			return i;
	return NO_LOOP;
}

bool scene_is_inside(const struct scene *s, int inner, int outer)
{
	for (; inner != NO_LOOP; inner = s->loops[inner].parent)
		if (inner == outer)
			return true;
	return false;
}
