#include "report/plot.h"

/* Milestones are columns because they are ordered; needs are arrows from left to right, or around
 * the left side within a column. Every box says its fate in words. */

#include "base/mem.h"
#include "report/svg.h"
#include "report/text.h"
#include "report/view.h"

enum {
	BOX_WIDTH = 246,
	BOX_HEIGHT = 58,
	COLUMN = 320,
	ROW = 74,
	LEFT = 40,
	TOP = 64,
	MARGIN = 16,
};

struct graph_plot {
	const struct view *v;
	const struct state_curriculum *c;
	struct str *out;
};

static struct point box_at(size_t column, size_t row)
{
	return (struct point){ LEFT + COLUMN * (double)column, TOP + ROW * (double)row };
}

static bool find_box(const struct graph_plot *p, const char *id, size_t *column, size_t *row)
{
	for (size_t i = 0; i < p->c->nr_milestones; i++)
		for (size_t j = 0; j < p->c->milestones[i].nr_decisions; j++)
			if (str_equal(p->c->milestones[i].decisions[j].id, id)) {
				*column = i;
				*row = j;
				return true;
			}
	return false;
}

static void draw_edge(struct graph_plot *p, const char *id, size_t column, size_t row)
{
	size_t from_column;
	size_t from_row;
	if (!find_box(p, id, &from_column, &from_row))
		return;
	struct point to = box_at(column, row);
	struct point from = box_at(from_column, from_row);
	to.y += BOX_HEIGHT / 2.0;
	from.y += BOX_HEIGHT / 2.0;
	if (from_column != column) {
		from.x += BOX_WIDTH;
		svg_arrow(p->out, from, to, "edge");
		return;
	}
	str_addf(p->out, "<path class=\"edge\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f",
		 from.x, from.y + 10, from.x - 24, from.y + 10, to.x - 24, to.y - 10, to.x,
		 to.y - 10);
	str_add(p->out, "m-6 -4l6 4l-6 4\"/>\n");
}

static const char *fate_class(enum decision_fate fate)
{
	static const char *const classes[FATE_NO_CANDIDATE + 1] = {
		[FATE_PENDING] = "none",      [FATE_NOT_APPLICABLE] = "none",
		[FATE_KEPT] = "kept",         [FATE_KEPT_SLOWER] = "slow",
		[FATE_BEST] = "best",         [FATE_ROLLED_BACK] = "wrong",
		[FATE_NO_CANDIDATE] = "none",
	};
	return classes[fate];
}

static void add_fate(const struct graph_plot *p, const struct state_decision *d, struct str *out)
{
	const struct state_round *r = d->round ? run_state_round(&p->v->state, d->round) : NULL;
	text_words(decision_fate_name(d->fate), out);
	if (!r)
		return;
	str_addf(out, ", round %u", r->number);
	if (state_round_estimate(r)->call) {
		str_add(out, ", ");
		text_ratio(state_round_estimate(r)->speedup, out);
	}
}

static void draw_line(struct graph_plot *p, struct point where, const char *class, const char *text)
{
	AUTO_STR struct str fitted = STR_INIT;
	bool is_bold = str_equal(class, "strong");
	svg_fit(text, is_bold ? (BOX_WIDTH - 16) * 0.88 : BOX_WIDTH - 16, &fitted);
	svg_text(p->out, where, SVG_START, class, fitted.text);
}

static void draw_box(struct graph_plot *p, const struct state_decision *d, struct point at)
{
	AUTO_FREE char *class = xasprintf("box %s", fate_class(d->fate));
	AUTO_FREE char *title = xasprintf("%s %s", d->id, d->what ? d->what : "");
	AUTO_STR struct str fate = STR_INIT;
	add_fate(p, d, &fate);
	AUTO_FREE char *whole = xasprintf("%s = %s", title, d->value ? d->value : "");
	svg_group_open(p->out, d->value && *d->value ? whole : title);
	svg_rect(p->out, at, (struct point){ BOX_WIDTH, BOX_HEIGHT }, class);
	draw_line(p, (struct point){ at.x + 8, at.y + 17 }, "strong", title);
	draw_line(p, (struct point){ at.x + 8, at.y + 33 }, "", d->value ? d->value : "");
	draw_line(p, (struct point){ at.x + 8, at.y + 50 }, "dim", fate.text);
	svg_group_close(p->out);
}

static const struct state_gate *find_gate(const struct graph_plot *p, const char *milestone)
{
	const struct run_state *s = &p->v->state;
	for (size_t i = s->nr_gates; i-- > 0;)
		if (str_equal(s->gates[i].milestone, milestone) &&
		    s->gates[i].curriculum == p->c->version)
			return &s->gates[i];
	return NULL;
}

static void draw_heading(struct graph_plot *p, const struct state_milestone *m, size_t column)
{
	const struct state_gate *gate = find_gate(p, m->id);
	AUTO_FREE char *title = xasprintf("%s %s", m->id, m->title ? m->title : "");
	AUTO_FREE char *state =
		xasprintf("gate: %s", gate ? gate_result_name(gate->result) : "open");
	double x = LEFT + COLUMN * (double)column;
	draw_line(p, (struct point){ x, TOP - 32 }, "strong", title);
	draw_line(p, (struct point){ x, TOP - 14 }, "dim", state);
}

static void draw_edges(struct graph_plot *p)
{
	for (size_t i = 0; i < p->c->nr_milestones; i++)
		for (size_t j = 0; j < p->c->milestones[i].nr_decisions; j++) {
			const struct state_decision *d = &p->c->milestones[i].decisions[j];
			for (size_t k = 0; k < d->needs.nr; k++)
				draw_edge(p, d->needs.items[k], i, j);
		}
}

static void draw_boxes(struct graph_plot *p)
{
	for (size_t i = 0; i < p->c->nr_milestones; i++) {
		const struct state_milestone *m = &p->c->milestones[i];
		draw_heading(p, m, i);
		for (size_t j = 0; j < m->nr_decisions; j++)
			draw_box(p, &m->decisions[j], box_at(i, j));
	}
}

static size_t most_rows(const struct state_curriculum *c)
{
	size_t most = 1;
	for (size_t i = 0; i < c->nr_milestones; i++)
		if (c->milestones[i].nr_decisions > most)
			most = c->milestones[i].nr_decisions;
	return most;
}

bool plot_graph(const struct view *v, struct str *out)
{
	struct graph_plot p = { v, run_state_curriculum(&v->state), out };
	if (!p.c || !p.c->nr_milestones)
		return false;
	double width = LEFT + COLUMN * (double)(p.c->nr_milestones - 1) + BOX_WIDTH + MARGIN;
	double height = TOP + ROW * (double)most_rows(p.c) + MARGIN;
	svg_open(out, width, height, "Milestones and decisions",
		 "A column a milestone, a box a decision with its fate, an arrow from what a "
		 "decision needs; the table of decisions has the same facts.");
	draw_edges(&p);
	draw_boxes(&p);
	svg_close(out);
	return true;
}
