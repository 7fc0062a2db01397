#include "tuner/moves.h"

/* Register tiles: a loop in vector lanes, another in registers, and a copy of each operand that the
 * lanes would otherwise gather. Its parts alone get slower before the whole gets faster, so a tile
 * is one move. Tiles are ranked by a count of instructions per innermost step. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/ir.h"
#include "tuner/scene.h"
#include "tuner/ttask.h"

enum { TILES_RANKED = 64, TILES_TRIED = 5, VECTOR_ELEMENTS = 8 };

struct tile {
	int lanes;
	int registers; /* NO_LOOP: lanes alone */
	int nr_lanes;
	int nr_registers;
	double cost;
};

struct tiles {
	struct tile items[TILES_RANKED];
	size_t nr;
};

/* Instructions that one access costs for a whole tile. */
static double touch_cost(const struct touch *t, const struct tile *tile)
{
	double copies = 1;
	double stride = t->stride[tile->lanes];
	if (tile->registers != NO_LOOP && t->stride[tile->registers] != 0)
		copies = tile->nr_registers;
	if (stride == 0)
		return copies;
	if (stride == 1)
		return 2 * copies * tile->nr_lanes / VECTOR_ELEMENTS;
	if (t->is_operand && t->is_read && !isnan(stride))
		return (4 * copies * tile->nr_lanes) / VECTOR_ELEMENTS;
	return 2 * copies * tile->nr_lanes;
}

static double tile_cost(const struct scene *s, const struct tile *tile)
{
	double cost = 0;
	double size =
		(double)tile->nr_lanes * (tile->registers == NO_LOOP ? 1 : tile->nr_registers);
	int top = s->loops[tile->lanes].top;
	for (size_t i = 0; i < s->nr_touches; i++) {
		const struct touch *t = &s->touches[i];
		if (t->loop == NO_LOOP || s->loops[t->loop].top != top)
			continue;
		bool is_inside = scene_is_inside(s, t->loop, tile->lanes) &&
				 (tile->registers == NO_LOOP ||
				  scene_is_inside(s, t->loop, tile->registers));
		cost += t->weight * (is_inside ? touch_cost(t, tile) / size : 2);
	}
	return cost;
}

/* Two vectors where there are enough iterations; ranges that grow have short ends. */
static int choose_lanes(double trips, bool is_exact, bool is_wide)
{
	int most = is_wide && is_exact ? 32 : 16;
	while (most > 8 && trips < 3 * most && fmod(trips, most) != 0)
		most /= 2;
	return most;
}

/* Six rows keep two vectors each in sixteen registers; with more registers eight rows do as well,
 * and a number that divides the range leaves nothing over. */
static int choose_registers(double trips, bool is_wide)
{
	if (trips < 24)
		return 4;
	return is_wide && fmod(trips, 6) != 0 && fmod(trips, 8) == 0 ? 8 : 6;
}

static void rank(struct tiles *list, const struct scene *s, bool is_wide, int lanes, int registers)
{
	if (list->nr == TILES_RANKED || s->loops[lanes].trips < 8 ||
	    (registers != NO_LOOP && s->loops[registers].trips < 4))
		return;
	struct tile t = {
		.lanes = lanes,
		.registers = registers,
		.nr_lanes = choose_lanes(s->loops[lanes].trips, s->loops[lanes].is_exact, is_wide),
		.nr_registers = registers == NO_LOOP
					? 4
					: choose_registers(s->loops[registers].trips, is_wide),
	};
	t.cost = tile_cost(s, &t);
	list->items[list->nr++] = t;
}

static int compare_cost(const void *a, const void *b)
{
	double x = ((const struct tile *)a)->cost;
	double y = ((const struct tile *)b)->cost;
	return (x > y) - (x < y);
}

/* Whether a row of the plan sinks this loop, as lanes or in any way. */
static bool is_sunk(const struct plan *p, const char *label, const char *as)
{
	size_t len = strlen(label);
	for (size_t i = 0; i < p->nr; i++) {
		const char *at = strstr(p->rows[i], "loop=");
		if (row_text_is(p->rows[i], "sink") && strstr(p->rows[i], as) &&
		    strncmp(at + 5, label, len) == 0 && (at[5 + len] == ' ' || !at[5 + len]))
			return true;
	}
	return false;
}

/* Lanes are laid once on a path from the outermost loop to an innermost one. */
static bool has_lanes(const struct plan *p, const struct scene *s, int loop)
{
	for (int i = 0; i < s->nr_loops; i++) {
		bool is_related = scene_is_inside(s, i, loop) || scene_is_inside(s, loop, i);
		bool is_lanes = s->loops[i].stmt->loop->role == LOOP_LANES ||
				is_sunk(p, s->loops[i].label, "as=lanes");
		if (is_related && is_lanes && (i == loop || s->loops[i].depth > 0))
			return true;
	}
	return false;
}

/* So are registers: a second strip around the first multiplies the code. */
static bool has_registers(const struct plan *p, const struct scene *s, int loop)
{
	for (int i = 0; i < s->nr_loops; i++)
		if ((scene_is_inside(s, i, loop) || scene_is_inside(s, loop, i)) &&
		    (s->loops[i].stmt->loop->role == LOOP_REGISTERS ||
		     is_sunk(p, s->loops[i].label, "as=registers")))
			return true;
	return false;
}

/* Loops of one nest that carry a fair share of the work and are no strips already. */
static void rank_nest(struct tiles *list, const struct ground *g, const struct plan *p,
		      const struct scene *s, int top)
{
	bool is_wide = g->task->has_wide_vectors;
	for (int v = 0; v < s->nr_loops; v++) {
		if (s->loops[v].top != top || s->loops[v].stmt->loop->role != LOOP_PLAIN ||
		    scene_work(s, v) < 0.25 * scene_work(s, top) || has_lanes(p, s, v))
			continue;
		rank(list, s, is_wide, v, NO_LOOP);
		for (int r = 0; r < s->nr_loops; r++)
			if (r != v && s->loops[r].top == top && !has_registers(p, s, r) &&
			    s->loops[r].stmt->loop->role == LOOP_PLAIN &&
			    (scene_is_inside(s, r, v) || scene_is_inside(s, v, r)))
				rank(list, s, is_wide, v, r);
	}
}

/* Not every compiler keeps arrays of lanes in registers; both keep explicit vectors. */
static struct plan spelled(const struct ground *g, const struct plan *p)
{
	const char *row = g->task->has_wide_vectors ? "vectors bits=512" : "vectors bits=256";
	const struct plan next = plan_with(p, row, g->a);
	return !plan_has_kind(p, "vectors") && plan_renders(g, &next) ? next : *p;
}

static struct plan apply_tile(const struct ground *g, const struct plan *p, const struct scene *s,
			      const struct tile *t)
{
	struct plan next = plan_with(p,
				     arena_printf(g->a, "sink loop=%s u=%d as=lanes",
						  s->loops[t->lanes].label, t->nr_lanes),
				     g->a);
	if (t->registers == NO_LOOP)
		return next;
	return plan_with(&next,
			 arena_printf(g->a, "sink loop=%s u=%d as=registers",
				      s->loops[t->registers].label, t->nr_registers),
			 g->a);
}

static bool is_gathered(const struct scene *s, const struct tile *t, size_t at)
{
	const struct touch *x = &s->touches[at];
	double stride = x->stride[t->lanes];
	return x->is_operand && x->is_read && !x->is_write && x->loop != NO_LOOP &&
	       scene_is_inside(s, x->loop, t->lanes) && !isnan(stride) && stride != 0 &&
	       stride != 1;
}

/* Operands that move by one element in the lanes but are read again for every step of another loop:
 * a packed copy is read in one stream. */
static bool is_reread(const struct scene *s, const struct tile *t, size_t at)
{
	const struct touch *x = &s->touches[at];
	if (!x->is_operand || !x->is_read || x->is_write || x->loop == NO_LOOP ||
	    t->registers == NO_LOOP || x->stride[t->lanes] != 1)
		return false;
	return x->stride[t->registers] == 0 && x->weight >= 4.0 * s->loops[t->lanes].trips;
}

enum place_of_copy { COPY_AT_ENTRY, COPY_BEFORE_REUSE, COPY_IN_LANES };

struct packing {
	enum place_of_copy place;
	bool also_reread;
};

/* The outermost loop that uses the same elements again in every step. */
static int reuse_loop(const struct scene *s, const struct touch *t)
{
	int found = NO_LOOP;
	for (int i = t->loop; i != NO_LOOP; i = s->loops[i].parent)
		if (t->stride[i] == 0)
			found = i;
	return found;
}

static const char *pack_row(const struct ground *g, const struct scene *s, const struct tile *t,
			    const struct packing *how, const struct touch *x)
{
	int loop = how->place == COPY_BEFORE_REUSE ? reuse_loop(s, x) : NO_LOOP;
	if (loop != NO_LOOP)
		return arena_printf(g->a, "pack array=%s loop=%s place=front", x->array,
				    s->loops[loop].label);
	bool is_in_lanes = how->place == COPY_IN_LANES;
	return arena_printf(g->a, "pack array=%s loop=%s", x->array,
			    is_in_lanes ? s->loops[t->lanes].label : "entry");
}

static struct plan pack_all(const struct ground *g, const struct plan *p, const struct scene *s,
			    const struct tile *t, const struct packing *how)
{
	struct plan next = *p;
	for (size_t i = 0; i < s->nr_touches; i++)
		if (is_gathered(s, t, i) || (how->also_reread && is_reread(s, t, i)))
			next = plan_with(&next, pack_row(g, s, t, how, &s->touches[i]), g->a);
	return next;
}

static void add_once(struct moves *out, const struct plan *p)
{
	for (size_t i = 0; i < out->nr; i++)
		if (plan_equal(&out->items[i], p))
			return;
	if (out->nr < MOVES_MAX)
		out->items[out->nr++] = *p;
}

static void add_spelled(const struct ground *g, const struct plan *p, struct moves *out)
{
	const struct plan next = spelled(g, p);
	if (plan_renders(g, &next))
		add_once(out, &next);
}

static bool add_tile(const struct ground *g, const struct plan *p, const struct scene *s,
		     const struct tile *t, struct moves *out)
{
	const struct plan plain = apply_tile(g, p, s, t);
	if (!plan_renders(g, &plain))
		return false;
	static const struct packing ways[] = {
		{ COPY_AT_ENTRY, false },
		{ COPY_BEFORE_REUSE, false },
		{ COPY_BEFORE_REUSE, true },
		{ COPY_IN_LANES, true },
	};
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		const struct plan next = pack_all(g, &plain, s, t, &ways[i]);
		add_spelled(g, &next, out);
	}
	return true;
}

static void add_best(const struct ground *g, const struct plan *p, const struct scene *s,
		     struct tiles *list, struct moves *out)
{
	size_t nr = 0;
	qsort(list->items, list->nr, sizeof(*list->items), compare_cost);
	for (size_t i = 0; i < list->nr && nr < TILES_TRIED; i++)
		nr += add_tile(g, p, s, &list->items[i], out);
}

void moves_tiles(const struct ground *g, const struct plan *p, struct moves *out)
{
	AUTO_SCENE struct scene s = { 0 };
	struct err ignored = { 0 };
	if (scene_open(&s, p, g->source, g->task, &ignored) < 0)
		return;
	for (int i = 0; i < s.nr_loops; i++) {
		struct tiles list = { .nr = 0 };
		if (s.loops[i].parent != NO_LOOP || scene_work(&s, i) < 0.1 * s.work)
			continue;
		rank_nest(&list, g, p, &s, i);
		add_best(g, p, &s, &list, out);
	}
}

void moves_retiles(const struct ground *g, const struct plan *p, struct moves *out)
{
	static const char *const kinds[] = { "tile", "strip", "sink", "pack", "vectors", "stream" };
	struct plan bare = *p;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		bare = plan_without_kind(&bare, kinds[i]);
	if (plan_has_kind(p, "sink") || plan_has_kind(p, "tile"))
		moves_tiles(g, &bare, out);
}

static struct plan without_packs(const struct plan *p, const char *array, struct arena *a)
{
	struct plan next = *p;
	const char *start = arena_printf(a, "pack array=%s ", array);
	for (size_t i = next.nr; i-- > 0;)
		if (strncmp(next.rows[i], start, strlen(start)) == 0)
			next = plan_without(&next, i);
	return next;
}

static void add_place(const struct ground *g, const struct plan *base, const char *row,
		      struct moves *out)
{
	const struct plan next = plan_with(base, row, g->a);
	add_once(out, &next);
}

/* Every place where one operand could be packed instead, or none. */
static void add_places(const struct ground *g, const struct plan *p, const struct scene *s,
		       const struct touch *t, struct moves *out)
{
	const struct plan base = without_packs(p, t->array, g->a);
	add_place(g, &base, arena_printf(g->a, "pack array=%s loop=entry", t->array), out);
	for (int i = t->loop; i != NO_LOOP; i = s->loops[i].parent)
		add_place(g, &base,
			  arena_printf(g->a, "pack array=%s loop=%s%s", t->array, s->loops[i].label,
				       t->stride[i] == 0 ? " place=front" : ""),
			  out);
	if (base.nr < p->nr)
		add_once(out, &base);
}

void moves_packs(const struct ground *g, const struct plan *p, struct moves *out)
{
	AUTO_SCENE struct scene s = { 0 };
	struct err ignored = { 0 };
	struct moves all = { .nr = 0 };
	if (!plan_has_kind(p, "sink") || scene_open(&s, p, g->source, g->task, &ignored) < 0)
		return;
	for (size_t i = 0; i < s.nr_touches; i++) {
		const struct touch *t = &s.touches[i];
		if (t->is_operand && t->is_read && !t->is_write && t->weight > 0.01 * s.work)
			add_places(g, p, &s, t, &all);
	}
	for (size_t i = 0; i < all.nr; i++)
		if (plan_renders(g, &all.items[i]))
			add_once(out, &all.items[i]);
}

/* The plan whose sinks of this kind let their last strip overlap, where they can. */
static struct plan overlap_rests(const struct ground *g, const struct plan *p, const char *as)
{
	struct plan out = *p;
	for (size_t i = 0; i < out.nr; i++) {
		struct plan next = out;
		if (!row_text_is(out.rows[i], "sink") || !strstr(out.rows[i], as) ||
		    strstr(out.rows[i], "rest="))
			continue;
		next.rows[i] = arena_printf(g->a, "%s rest=overlap", out.rows[i]);
		if (plan_renders(g, &next))
			out = next;
	}
	return out;
}

/* Strips that go beyond an end: the loop may have to be rid of its reductions first. */
static void add_beyond(const struct ground *g, const struct plan *p, size_t at, struct moves *out)
{
	struct plan next = *p;
	next.rows[at] = arena_printf(g->a, "%s rest=beyond", p->rows[at]);
	if (plan_renders(g, &next))
		add_once(out, &next);
	const char *loop = strstr(p->rows[at], "loop=");
	if (!loop)
		return;
	const char *cut = arena_printf(g->a, "distribute %.*s", (int)strcspn(loop, " "), loop);
	const struct plan apart = plan_with(&next, cut, g->a);
	if (apart.nr > next.nr && plan_renders(g, &apart))
		add_once(out, &apart);
}

void moves_rests(const struct ground *g, const struct plan *p, struct moves *out)
{
	static const char *const kinds[] = { "as=", "as=lanes", "as=registers" };
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const struct plan next = overlap_rests(g, p, kinds[i]);
		if (!plan_equal(&next, p))
			add_once(out, &next);
	}
	for (size_t i = 0; i < p->nr; i++)
		if (row_text_is(p->rows[i], "sink") && strstr(p->rows[i], "as=lanes") &&
		    !strstr(p->rows[i], "rest="))
			add_beyond(g, p, i, out);
}
