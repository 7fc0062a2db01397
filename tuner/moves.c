#include "tuner/moves.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/cparse.h"
#include "tuner/kernel.h"
#include "tuner/scene.h"
#include "tuner/ttask.h"

#define FAST "-O3,-march=native,-ffast-math"

static const char *const first_builds[] = {
	"build cc=gcc flags=" FAST,
	"build cc=clang flags=" FAST ",-fveclib=libmvec",
	"build cc=gcc flags=-O3,-march=native",
	"build cc=clang flags=-O3,-march=native",
};

static const char *const other_builds[] = {
	"build cc=gcc flags=" FAST ",-fno-associative-math",
	"build cc=gcc flags=" FAST ",-funroll-loops",
	"build cc=gcc flags=" FAST ",-mprefer-vector-width=512",
	"build cc=gcc flags=-O3,-march=native,-fno-math-errno,-fno-trapping-math,-fno-signed-zeros,"
	"-fassociative-math,-freciprocal-math",
	"build cc=clang flags=" FAST,
};

const char *moves_first_build(size_t at)
{
	return at < ARRAY_LEN(first_builds) ? first_builds[at] : NULL;
}

static bool is_banned(const struct ground *g, const struct plan *p)
{
	for (size_t i = 0; g->banned && i < p->nr; i++)
		if (strv_has(g->banned, p->rows[i]))
			return true;
	return false;
}

static void add(const struct ground *g, struct moves *out, const struct plan *p)
{
	if (out->nr < MOVES_MAX && !is_banned(g, p))
		out->items[out->nr++] = *p;
}

static void add_row(const struct ground *g, const struct plan *p, const char *row,
		    struct moves *out)
{
	const struct plan next = plan_with(p, row, g->a);
	if (!plan_equal(&next, p))
		add(g, out, &next);
}

bool plan_renders(const struct ground *g, const struct plan *p)
{
	AUTO_STR struct str text = STR_INIT;
	struct err ignored = { 0 };
	return plan_render(p, g->source, g->task, &text, &ignored) == 0;
}

/* Opens the scene of a plan, or says that there is nothing to see. */
static bool look(const struct ground *g, const struct plan *p, struct scene *s)
{
	struct err ignored = { 0 };
	return scene_open(s, p, g->source, g->task, &ignored) == 0;
}

/* One row for every loop that takes it, all in one plan: what only opens the way is not measured
 * alone. */
void moves_canonical(const struct ground *g, const struct plan *p, struct moves *out)
{
	AUTO_SCENE struct scene s = { 0 };
	struct plan next = *p;
	if (!look(g, p, &s))
		return;
	for (int i = s.nr_loops - 1; i >= 0; i--) {
		const char *row = arena_printf(g->a, "scalarise loop=%s", s.loops[i].label);
		const struct plan with = plan_with(&next, row, g->a);
		if (!plan_equal(&with, &next) && plan_renders(g, &with))
			next = with;
	}
	if (!plan_equal(&next, p))
		add(g, out, &next);
}

void moves_math(const struct ground *g, const struct plan *p, struct moves *out)
{
	static const char *const rows[] = { "math exp=inline", "math tanh=exp",
					    "math exp=inline tanh=exp" };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		add_row(g, p, rows[i], out);
}

/* Rewrites that look for a pattern of their own; the row itself says whether it is there. */
struct idiom {
	const char *kind;
	const char *rest; /* of the row, behind its loop */
};

static const struct idiom idioms[] = {
	{ "guard", " u=32" }, { "guard", " u=64" },      { "fuse", "" },
	{ "cascade", "" },    { "cascade", " block=2" }, { "privatise", " u=4" },
	{ "ifconvert", "" },  { "scan", " u=4" },        { "scan", " u=8 block=2048" },
};

static void add_streams(const struct ground *g, const struct plan *p, const struct scene *s,
			struct moves *out)
{
	const struct function *f = s->body->view.f;
	for (size_t i = 0; i < f->nr_params; i++)
		if (f->params[i].is_pointer && !strstr(f->params[i].type, "const"))
			add_row(g, p, arena_printf(g->a, "stream array=%s", f->params[i].name),
				out);
}

/* Some idioms make loops over parts, which only pay when they are dealt out. */
static const struct idiom in_parts[] = {
	{ "scan", " parts=%u" },
	{ "scan", " parts=%u u=2" },
	{ "scan", " parts=%u u=4" },
	{ "cascade", " parts=%u" },
	{ "privatise", " u=%u layout=block" },
};

static const char *with_number(const struct ground *g, const char *text, unsigned n)
{
	const char *at = strstr(text, "%u");
	return arena_printf(g->a, "%.*s%u%s", (int)(at - text), text, n, at + 2);
}

/* The loops over parts that an idiom made of this one, dealt out: totals and parts. */
static struct plan deal_parts(const struct ground *g, const struct plan *p, const char *label)
{
	static const char *const suffixes[] = { "t", "c" };
	struct plan out = *p;
	for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
		const char *row = arena_printf(g->a, "threads loop=%s%s n=%u layout=block", label,
					       suffixes[i], g->task->threads);
		const struct plan next = plan_with(&out, row, g->a);
		if (plan_renders(g, &next))
			out = next;
	}
	return out;
}

/* A sum within vectors pays once they are vectors, and where what they hold goes past the caches.
 */
static void add_in_vectors(const struct ground *g, const struct plan *p, const struct scene *s,
			   unsigned bits, struct moves *out)
{
	const struct plan next = plan_with(p, arena_printf(g->a, "vectors bits=%u", bits), g->a);
	if (!plan_renders(g, &next))
		return;
	add(g, out, &next);
	add_streams(g, &next, s, out);
}

static void add_sums_in_vectors(const struct ground *g, const struct plan *p, const char *label,
				const struct scene *s, struct moves *out)
{
	static const struct {
		unsigned lanes;
		unsigned bits;
	} ways[] = { { 16, 512 }, { 8, 256 }, { 4, 128 } };
	unsigned n = g->task->threads;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		const char *rest = arena_printf(g->a, "lanes=%u", ways[i].lanes);
		const char *alone = arena_printf(g->a, "scan loop=%s %s", label, rest);
		const char *parts = arena_printf(g->a, "scan loop=%s parts=%u %s", label, n, rest);
		const struct plan one = plan_with(p, alone, g->a);
		if (plan_has(p, alone) || plan_has(p, parts) || !plan_renders(g, &one))
			continue;
		add_in_vectors(g, &one, s, ways[i].bits, out);
		const struct plan cut = plan_with(p, parts, g->a);
		if (n < 2 || !plan_renders(g, &cut))
			continue;
		const struct plan dealt = deal_parts(g, &cut, label);
		add_in_vectors(g, &dealt, s, ways[i].bits, out);
	}
}

static void add_dealt_parts(const struct ground *g, const struct plan *p, const char *label,
			    const struct idiom *i, struct moves *out)
{
	unsigned n = g->task->threads;
	for (unsigned parts = n; n > 1 && parts <= 4 * n; parts *= 4) {
		const char *row = arena_printf(g->a, "%s loop=%s%s", i->kind, label,
					       with_number(g, i->rest, parts));
		const struct plan next = plan_with(p, row, g->a);
		if (!plan_renders(g, &next))
			continue;
		const struct plan dealt = deal_parts(g, &next, label);
		add(g, out, &dealt);
	}
}

void moves_idioms(const struct ground *g, const struct plan *p, struct moves *out)
{
	AUTO_SCENE struct scene s = { 0 };
	if (!look(g, p, &s))
		return;
	for (int i = 0; i < s.nr_loops; i++) {
		const char *label = s.loops[i].label;
		for (size_t n = 0; n < ARRAY_LEN(idioms); n++) {
			const char *row = arena_printf(g->a, "%s loop=%s%s", idioms[n].kind, label,
						       idioms[n].rest);
			const struct plan next = plan_with(p, row, g->a);
			if (!plan_has(p, row) && plan_renders(g, &next))
				add(g, out, &next);
		}
		for (size_t n = 0; n < ARRAY_LEN(in_parts); n++)
			add_dealt_parts(g, p, label, &in_parts[n], out);
		add_sums_in_vectors(g, p, label, &s, out);
	}
}

static bool has_jump(const struct scene *s, int loop)
{
	for (size_t i = 0; i < s->nr_touches; i++) {
		double stride = fabs(s->touches[i].stride[loop]);
		if (s->touches[i].loop != NO_LOOP && scene_is_inside(s, s->touches[i].loop, loop) &&
		    stride > 1)
			return true;
	}
	return false;
}

static void add_tile(const struct ground *g, const struct plan *p, const struct scene_loop *outer,
		     const struct scene_loop *inner, struct moves *out)
{
	static const int sizes[][2] = { { 32, 32 }, { 16, 64 }, { 64, 8 }, { 64, 16 }, { 8, 8 } };
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		add_row(g, p,
			arena_printf(g->a, "tile loop=%s inner=%s u=%d v=%d", outer->label,
				     inner->label, sizes[i][0], sizes[i][1]),
			out);
}

void moves_order(const struct ground *g, const struct plan *p, struct moves *out)
{
	AUTO_SCENE struct scene s = { 0 };
	if (!look(g, p, &s))
		return;
	for (int i = 0; i < s.nr_loops; i++) {
		const struct scene_loop *l = &s.loops[i];
		if (l->nr_below == 1)
			add_row(g, p, arena_printf(g->a, "interchange loop=%s", l->label), out);
		if (!l->is_innermost && !plan_has_kind(p, "sink"))
			add_row(g, p, arena_printf(g->a, "distribute loop=%s", l->label), out);
		if (l->parent != NO_LOOP && l->is_innermost && !plan_has_kind(p, "sink") &&
		    has_jump(&s, i))
			add_tile(g, p, &s.loops[l->parent], l, out);
	}
}

static bool is_worth_sharing(const struct ground *g, const struct scene *s, int loop)
{
	const struct scene_loop *l = &s->loops[loop];
	return l->trips >= g->task->threads && l->starts <= 64 &&
	       scene_work(s, loop) > 0.02 * s->work;
}

/* The outermost loops that can be dealt out and have enough to do. */
static struct plan share_all(const struct ground *g, const struct plan *p, const struct scene *s,
			     const char *how)
{
	struct plan next = *p;
	int above = NO_LOOP;
	for (int i = 0; i < s->nr_loops; i++) {
		bool is_below = above != NO_LOOP && scene_is_inside(s, i, above);
		if (is_below || !is_worth_sharing(g, s, i))
			continue;
		const char *row = arena_printf(g->a, "threads loop=%s n=%u %s", s->loops[i].label,
					       g->task->threads, how);
		const struct plan with = plan_with(&next, row, g->a);
		if (!plan_renders(g, &with))
			continue;
		next = with;
		above = i;
	}
	return next;
}

/* Columns of an innermost loop are worth a thread only when they are long. */
static bool is_worth_cutting(const struct scene_loop *l, unsigned columns)
{
	enum { SHORT_COLUMN = 64 };
	return l->trips >= (l->is_innermost ? SHORT_COLUMN * columns : columns);
}

/* One loop that is dealt out with a loop inside it: fewer rows of threads, more columns. */
static void add_grid(const struct ground *g, const struct plan *p, const struct scene_loop *loop,
		     const struct scene_loop *inner, struct moves *out)
{
	unsigned n = g->task->threads;
	for (unsigned columns = n; columns > 1; columns--) {
		const char *row =
			arena_printf(g->a, "threads loop=%s n=%u layout=grid inner=%s grid=%ux%u",
				     loop->label, n, inner->label, n / columns, columns);
		const struct plan next = plan_with(p, row, g->a);
		if (n % columns == 0 && is_worth_cutting(inner, columns) && plan_renders(g, &next))
			add(g, out, &next);
	}
}

/* Which operands a thread streams depends on which way the plane is cut. */
static void add_grids(const struct ground *g, const struct plan *p, const struct scene *s,
		      struct moves *out)
{
	enum { GRIDS_MAX = 6 };
	size_t most = out->nr + GRIDS_MAX;
	for (int i = 0; i < s->nr_loops; i++) {
		const char *row = arena_printf(g->a, "threads loop=%s n=%u layout=block",
					       s->loops[i].label, g->task->threads);
		for (int j = i + 1; plan_has(p, row) && j < s->nr_loops && out->nr < most; j++)
			if (scene_is_inside(s, j, i) && s->loops[j].is_shared &&
			    s->loops[i].is_shared)
				add_grid(g, p, &s->loops[i], &s->loops[j], out);
	}
}

/* Threads that a plan has already are laid out anew. */
void moves_threads(const struct ground *g, const struct plan *p, struct moves *out)
{
	static const char *const ways[] = { "layout=block", "layout=deal", "layout=dynamic",
					    "layout=block reduce=all" };
	AUTO_SCENE struct scene s = { 0 };
	const struct plan alone = plan_without_kind(p, "threads");
	if (g->task->threads < 2 || !look(g, &alone, &s))
		return;
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		const struct plan next = share_all(g, &alone, &s, ways[i]);
		if (!plan_equal(&next, &alone) && !plan_equal(&next, p))
			add(g, out, &next);
		if (i == 0)
			add_grids(g, &next, &s, out);
	}
}

struct number {
	const char *kind; /* how the row begins */
	const char *key;
	int values[8]; /* ends with 0 */
};

static const struct number numbers[] = {
	{ "sink", "u", { 2, 3, 4, 6, 8, 16, 24, 0 } },
	{ "tile", "u", { 8, 16, 32, 64, 128, 0 } },
	{ "tile", "v", { 8, 16, 32, 64, 128, 0 } },
	{ "guard", "u", { 32, 64, 128, 256, 512, 0 } },
	{ "scan", "parts", { 2, 8, 16, 32, 64, 128, 0 } },
	{ "scan", "u", { 4, 8, 16, 0 } },
	{ "cascade", "block", { 2, 3, 4, 5, 8, 10, 16, 0 } },
	{ "cascade", "parts", { 2, 4, 8, 16, 0 } },
	{ "privatise", "u", { 2, 4, 8, 0 } },
	{ "prefetch", "ahead", { 8, 16, 32, 64, 0 } },
	{ "unroll", "n", { 2, 4, 8, 0 } },
};

static const int lane_values[] = { 8, 16, 24, 32, 48, 64, 0 };

static const int *values_of(const struct number *n, const char *row)
{
	return strstr(row, "as=lanes") ? lane_values : n->values;
}

static void vary(const struct ground *g, const struct plan *p, size_t at, const struct number *n,
		 struct moves *out)
{
	long now = row_text_number(p->rows[at], n->key);
	const int *values = values_of(n, p->rows[at]);
	for (size_t i = 0; now && values[i]; i++) {
		bool is_near = values[i] <= 4 * now && 4 * values[i] >= now;
		struct plan next = *p;
		if (values[i] == now || !is_near)
			continue;
		next.rows[at] = row_text_with(p->rows[at], n->key, values[i], g->a);
		add(g, out, &next);
	}
}

/* Lanes and registers of one tile share the registers: both are moved at once. */
static void vary_tile(const struct ground *g, const struct plan *p, size_t at, struct moves *out)
{
	static const int pairs[][2] = { { 16, 4 }, { 16, 6 }, { 8, 8 },  { 24, 4 },
					{ 32, 2 }, { 32, 4 }, { 32, 6 }, { 32, 8 },
					{ 16, 8 }, { 48, 4 }, { 64, 4 }, { 16, 12 } };
	size_t registers = at + 1;
	while (registers < p->nr && !(row_text_is(p->rows[registers], "sink") &&
				      strstr(p->rows[registers], "as=registers")))
		registers++;
	bool is_pair = registers < p->nr && row_text_is(p->rows[at], "sink") &&
		       strstr(p->rows[at], "as=lanes");
	for (size_t i = 0; is_pair && i < ARRAY_LEN(pairs); i++) {
		struct plan next = *p;
		next.rows[at] = row_text_with(p->rows[at], "u", pairs[i][0], g->a);
		next.rows[registers] = row_text_with(p->rows[registers], "u", pairs[i][1], g->a);
		if (!plan_equal(&next, p))
			add(g, out, &next);
	}
}

void moves_numbers(const struct ground *g, const struct plan *p, struct moves *out)
{
	for (size_t at = 0; at < p->nr; at++) {
		vary_tile(g, p, at, out);
		for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
			if (row_text_is(p->rows[at], numbers[i].kind))
				vary(g, p, at, &numbers[i], out);
	}
}

static void add_prefetch(const struct ground *g, const struct plan *p, const struct scene *s,
			 struct moves *out)
{
	for (size_t i = 0; i < s->nr_touches; i++) {
		const struct touch *t = &s->touches[i];
		if (!t->is_read || !t->is_operand || t->loop == NO_LOOP ||
		    !isnan(t->stride[t->loop]))
			continue;
		add_row(g, p,
			arena_printf(g->a, "prefetch array=%s loop=%s ahead=16", t->array,
				     s->loops[t->loop].label),
			out);
	}
}

void moves_finish(const struct ground *g, const struct plan *p, struct moves *out)
{
	AUTO_SCENE struct scene s = { 0 };
	if (!look(g, p, &s))
		return;
	if (!plan_has_kind(p, "vectors"))
		add_row(g, p, "vectors bits=256", out);
	if (g->task->has_wide_vectors)
		add_row(g, p, "vectors bits=512", out);
	add_streams(g, p, &s, out);
	add_prefetch(g, p, &s, out);
	for (int i = 0; i < s.nr_loops; i++) {
		if (!s.loops[i].is_innermost || scene_work(&s, i) < 0.05 * s.work)
			continue;
		add_row(g, p, arena_printf(g->a, "simd loop=%s", s.loops[i].label), out);
		add_row(g, p, arena_printf(g->a, "unroll loop=%s n=4", s.loops[i].label), out);
	}
}

void moves_builds(const struct ground *g, const struct plan *p, struct moves *out)
{
	for (size_t i = 0; i < ARRAY_LEN(first_builds); i++)
		add_row(g, p, first_builds[i], out);
	for (size_t i = 0; i < ARRAY_LEN(other_builds); i++)
		if (g->task->has_wide_vectors || !strstr(other_builds[i], "512"))
			add_row(g, p, other_builds[i], out);
}

void moves_ablation(const struct ground *g, const struct plan *p, struct moves *out)
{
	for (size_t i = p->nr; i-- > 0;) {
		const struct plan next = plan_without(p, i);
		if (!row_text_is(p->rows[i], "build") && !row_text_is(p->rows[i], "specialise"))
			add(g, out, &next);
	}
}
