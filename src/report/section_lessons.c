#include "report/sections.h"

/* What the best kernel rests on: the rows it holds, from its own back to the start, and the lessons
 * that each of them cites. */

#include "base/mem.h"
#include "report/page.h"
#include "report/view.h"

/* The row as it stood in the version that the round was about. */
static const struct state_decision *row_of(const struct run_state *s, const struct state_round *r)
{
	for (size_t i = 0; i < s->nr_curricula; i++) {
		const struct state_curriculum *c = &s->curricula[i];
		for (size_t m = 0; c->version == r->curriculum && m < c->nr_milestones; m++)
			for (size_t k = 0; k < c->milestones[m].nr_decisions; k++)
				if (str_equal(c->milestones[m].decisions[k].id, r->decision))
					return &c->milestones[m].decisions[k];
	}
	return NULL;
}

/* Kernels stand on one another: each round names the one that its row was applied to, which is
 * always an earlier one. */
static const struct state_round *before(const struct run_state *s, const struct state_round *r)
{
	return r->base && r->base < r->number ? run_state_round(s, r->base) : NULL;
}

static void add_row(struct table *t, const struct state_round *r, const struct state_decision *d)
{
	AUTO_STR struct str cited = STR_INIT;
	for (size_t i = 0; i < d->lessons.nr; i++)
		str_addf(&cited, "%s%s", i ? ", " : "", d->lessons.items[i]);
	table_addf(t, "%u", r->number);
	table_add(t, d->id);
	table_add(t, d->what ? d->what : "-");
	table_add(t, cited.text);
}

static size_t nr_cited(const struct run_state *s, const struct state_round *r)
{
	size_t nr = 0;
	for (; r; r = before(s, r)) {
		const struct state_decision *d = row_of(s, r);
		nr += d ? d->lessons.nr : 0;
	}
	return nr;
}

void section_lessons(const struct view *v, struct page *p)
{
	const struct run_state *s = &v->state;
	if (!nr_cited(s, v->head_round))
		return;
	page_add(p, BLOCK_HEADING, "Lessons");
	page_add(p, BLOCK_TEXT,
		 "Entries of the knowledge base that rows of the best kernel cite; what each said "
		 "is "
		 "in knowledge.json of the run, as it was certified on this machine.");
	struct table *t = page_table(p, "rlll", "round\tdecision\twhat\tlessons");
	for (const struct state_round *r = v->head_round; r; r = before(s, r)) {
		const struct state_decision *d = row_of(s, r);
		if (d && d->lessons.nr)
			add_row(t, r, d);
	}
}
