#include "tuner/again.h"

/* A read is the iteration's own where a write in front of it, under no condition, goes to the same
 * element: the loops around both are the same, or they run over the same range one behind the
 * other. Accesses are listed in the order in which the program has them. */

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/access.h"
#include "tuner/ir.h"
#include "tuner/rewrite.h"

/* A write and a read, and which of the read's loops stand for those of the write. */
struct match {
	const struct access *w;
	const struct access *r;
	size_t at[ACCESS_LOOPS];
};

/* With the read's counters in the place of the write's first `nr`; unknown where labels clash. */
static struct poly translated(const struct match *m, const struct poly *p, size_t nr)
{
	struct poly out = *p;
	for (size_t i = 0; i < nr; i++) {
		const struct stmt *from = m->w->loops[i].stmt;
		const struct stmt *to = m->r->loops[m->at[i]].stmt;
		struct poly counter = poly_name(to->loop->label);
		if (from == to)
			continue;
		if (poly_uses(&out, to->loop->label))
			return poly_unknown();
		out = poly_replace(&out, from->loop->label, &counter);
	}
	return out;
}

static bool is_same(const struct match *m, const struct poly *of_w, const struct poly *of_r,
		    size_t nr)
{
	struct poly p = translated(m, of_w, nr);
	return !p.is_unknown && !of_r->is_unknown && poly_equal(&p, of_r);
}

/* Loop i of the write by the one that was chosen for it. */
static bool fits(const struct match *m, size_t i)
{
	const struct access_loop *w = &m->w->loops[i];
	const struct access_loop *r = &m->r->loops[m->at[i]];
	return w->stmt == r->stmt ||
	       (w->stmt->loop->step == r->stmt->loop->step && w->cap.is_unknown &&
		r->cap.is_unknown && is_same(m, &w->lo, &r->lo, i) &&
		is_same(m, &w->hi, &r->hi, i));
}

static bool same_element(const struct match *m)
{
	for (size_t i = 0; i < m->w->nr_subs; i++)
		if (!is_same(m, &m->w->subs[i], &m->r->subs[i], m->w->nr_loops))
			return false;
	return true;
}

/* Loops around both stand for themselves; others keep their order, and the read may have more. */
static bool find_match(struct match *m, size_t i)
{
	if (i == m->w->nr_loops)
		return same_element(m);
	size_t from = i ? m->at[i - 1] + 1 : 0;
	for (size_t j = from; j < m->r->nr_loops; j++) {
		m->at[i] = j;
		if (fits(m, i) && find_match(m, i + 1))
			return true;
		if (m->w->loops[i].stmt == m->r->loops[j].stmt)
			return false;
	}
	return false;
}

static bool covers(const struct access *w, const struct access *r)
{
	struct match m = { .w = w, .r = r };
	bool is_plain = w->is_write && !w->is_read && !w->is_conditional;
	return is_plain && strcmp(w->array, r->array) == 0 && w->nr_subs == r->nr_subs &&
	       find_match(&m, 0);
}

static bool is_own(const struct accesses *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (covers(list->items[i], list->items[at]))
			return true;
	return false;
}

const char *again_trouble(const struct view *view, const struct stmt *loop, struct arena *a)
{
	struct accesses list;
	accesses_collect(&list, view, loop, a);
	bool has_jump = stmt_has_jump(loop);
	if (list.trouble || list.has_exit)
		return list.trouble ? list.trouble : "it may be left early";
	if (list.nr_scalars)
		return arena_printf(a, "what runs twice would count twice in %s", list.scalars[0]);
	for (size_t i = 0; i < list.nr; i++) {
		const struct access *x = list.items[i];
		bool is_kept = !x->is_read || !accesses_writes(&list, x->array);
		if (!is_kept && (has_jump || !is_own(&list, i)))
			return arena_printf(a, "what runs twice would read %s as it left it",
					    x->array);
	}
	return NULL;
}
