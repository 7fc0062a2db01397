#include "report/plot.h"

/* Ratios live on a logarithmic axis: 2x faster and 2x slower are equally far from 1. Rounds
 * without a number (wrong, no candidate) get a lane of their own below the plot. */

#include <math.h>

#include "base/mem.h"
#include "report/axis.h"
#include "report/svg.h"
#include "report/text.h"
#include "report/view.h"

enum {
	WIDTH = 1040,
	HEIGHT = 400,
	LEFT = 64,
	RIGHT = 150,
	TOP = 46,
	BOTTOM = 84,
	LANE_BELOW = 18,
	NUMBERS_BELOW = 42,
	IDS_BELOW = 58,
	LABEL_GAP = 15,
	LABEL_PX = 34, /* room that one "D1.2" takes */
};

struct rounds_plot {
	const struct view *v;
	struct axis x; /* 0: left edge, n + 1: confirm */
	struct axis y;
	struct str *out;
};

static double bottom_px(void)
{
	return HEIGHT - BOTTOM;
}

static void widen(struct axis *y, double value)
{
	if (value <= 0 || !isfinite(value))
		return;
	y->low = value < y->low ? value : y->low;
	y->high = value > y->high ? value : y->high;
}

static void widen_by(struct axis *y, const struct state_estimate *estimate)
{
	if (!estimate->call)
		return;
	widen(y, estimate->low);
	widen(y, estimate->high);
}

static void fit_axes(struct rounds_plot *p)
{
	const struct run_state *s = &p->v->state;
	p->x = (struct axis){ .low = 0.4,
			      .high = (double)s->nr_rounds + 1.6,
			      .from_px = LEFT,
			      .to_px = WIDTH - RIGHT };
	p->y = (struct axis){
		.is_log = true, .low = 0.95, .high = 1.05, .from_px = bottom_px(), .to_px = TOP
	};
	for (size_t i = 0; i < s->nr_rounds; i++)
		widen_by(&p->y, state_round_estimate(&s->rounds[i]));
	widen_by(&p->y, &s->confirm.estimate);
	widen(&p->y, s->reference.ratio);
	double margin = pow(p->y.high / p->y.low, 0.06);
	p->y.low /= margin;
	p->y.high *= margin;
}

static struct point at(const struct rounds_plot *p, double round, double ratio)
{
	return (struct point){ axis_px(&p->x, round), axis_px(&p->y, ratio) };
}

static void draw_grid(struct rounds_plot *p)
{
	double ticks[AXIS_MAX_TICKS];
	size_t nr = axis_ticks(&p->y, ticks);
	for (size_t i = 0; i < nr; i++) {
		AUTO_STR struct str label = STR_INIT;
		double y = axis_px(&p->y, ticks[i]);
		text_ratio(ticks[i], &label);
		svg_line(p->out, (struct point){ LEFT, y }, (struct point){ WIDTH - RIGHT, y },
			 "grid");
		svg_text(p->out, (struct point){ LEFT - 8, y + 4 }, SVG_END, "dim", label.text);
	}
}

static void draw_level(struct rounds_plot *p, double y, const char *class)
{
	svg_line(p->out, (struct point){ LEFT, y }, (struct point){ WIDTH - RIGHT, y }, class);
}

static void label_level(struct rounds_plot *p, double y, const char *class, const char *label)
{
	svg_text(p->out, (struct point){ WIDTH - RIGHT + 8, y + 4 }, SVG_START, class, label);
}

/* Reference and goal share the right margin; where the axis is long their labels move apart. */
static void draw_levels(struct rounds_plot *p)
{
	double ratio = p->v->state.reference.ratio;
	double reference = axis_px(&p->y, 1);
	double goal = ratio > 0 ? axis_px(&p->y, ratio) : reference - LABEL_GAP;
	double middle = (reference + goal) / 2;
	bool is_tight = fabs(reference - goal) < LABEL_GAP;
	double step = (ratio < 1 ? -LABEL_GAP : LABEL_GAP) / 2.0;
	draw_level(p, reference, "axis");
	label_level(p, is_tight ? middle + step : reference, "dim", "reference, 1×");
	if (ratio <= 0)
		return;
	AUTO_STR struct str label = STR_INIT;
	str_add(&label, "goal, ");
	text_ratio(ratio, &label);
	draw_level(p, goal, "goal");
	label_level(p, is_tight ? middle - step : goal, "goal", label.text);
}

static void draw_interval(struct rounds_plot *p, double x, const struct state_estimate *estimate,
			  const char *class)
{
	AUTO_FREE char *bar = xasprintf("bar %s", class);
	double low = axis_px(&p->y, estimate->low);
	double high = axis_px(&p->y, estimate->high);
	svg_line(p->out, (struct point){ x, low }, (struct point){ x, high }, bar);
	svg_line(p->out, (struct point){ x - 4, low }, (struct point){ x + 4, low }, bar);
	svg_line(p->out, (struct point){ x - 4, high }, (struct point){ x + 4, high }, bar);
}

static void draw_measured(struct rounds_plot *p, const struct state_round *r)
{
	const struct state_estimate *estimate = state_round_estimate(r);
	struct point where = at(p, r->number, estimate->speedup);
	bool is_slower = !r->is_best && round_fate(&p->v->state, r) == FATE_KEPT_SLOWER;
	const char *class = r->is_best ? "best" : is_slower ? "slow" : "kept";
	draw_interval(p, where.x, estimate, class);
	if (is_slower)
		svg_diamond(p->out, where, 6, class);
	else
		svg_circle(p->out, where, 5, class);
}

static void draw_in_lane(struct rounds_plot *p, const struct state_round *r)
{
	struct point where = { axis_px(&p->x, r->number), bottom_px() + LANE_BELOW };
	if (r->outcome == ROUND_ROLLED_BACK)
		svg_cross(p->out, where, 5, "wrong");
	else
		svg_circle(p->out, where, 3, "none");
}

static void draw_round(struct rounds_plot *p, const struct state_round *r, bool has_id)
{
	AUTO_FREE char *number = xasprintf("%u", r->number);
	double x = axis_px(&p->x, r->number);
	if (state_round_estimate(r)->call && r->outcome != ROUND_ROLLED_BACK)
		draw_measured(p, r);
	else
		draw_in_lane(p, r);
	svg_text(p->out, (struct point){ x, bottom_px() + NUMBERS_BELOW }, SVG_MIDDLE, "dim",
		 number);
	if (has_id)
		svg_text(p->out, (struct point){ x, bottom_px() + IDS_BELOW }, SVG_MIDDLE, "small",
			 r->decision);
}

static void draw_rounds(struct rounds_plot *p)
{
	const struct run_state *s = &p->v->state;
	double slot = axis_px(&p->x, 2) - axis_px(&p->x, 1);
	bool has_ids = slot >= LABEL_PX;
	for (size_t i = 0; i < s->nr_rounds; i++)
		draw_round(p, &s->rounds[i], has_ids);
}

static void draw_best_line(struct rounds_plot *p)
{
	const struct run_state *s = &p->v->state;
	for (size_t i = 0; i < s->nr_bests; i++) {
		const struct state_best *b = &s->bests[i];
		bool is_last = i + 1 == s->nr_bests;
		double until = is_last ? (double)s->nr_rounds + 1 : s->bests[i + 1].round;
		double level = b->estimate.speedup;
		svg_line(p->out, at(p, b->round, level), at(p, until, level), "step");
		if (!is_last)
			svg_line(p->out, at(p, until, level),
				 at(p, until, s->bests[i + 1].estimate.speedup), "step");
	}
}

static void draw_confirm(struct rounds_plot *p)
{
	const struct run_state *s = &p->v->state;
	const struct state_estimate *estimate = &s->confirm.estimate;
	double x = (double)s->nr_rounds + 1;
	if (!estimate->call)
		return;
	struct point where = at(p, x, estimate->speedup);
	draw_interval(p, where.x, estimate, "best");
	svg_rect(p->out, (struct point){ where.x - 5, where.y - 5 }, (struct point){ 10, 10 },
		 "best");
	svg_text(p->out, (struct point){ where.x, bottom_px() + NUMBERS_BELOW }, SVG_MIDDLE,
		 "strong", "confirm");
}

static void draw_legend(struct rounds_plot *p)
{
	static const struct {
		void (*draw)(struct str *out, struct point at, double radius, const char *class);
		double radius;
		const char *class;
		const char *text;
	} rows[] = {
		{ svg_circle, 5, "best", "new best" },
		{ svg_circle, 5, "kept", "correct" },
		{ svg_diamond, 6, "slow", "correct, slower than its base" },
		{ svg_cross, 5, "wrong", "wrong, rolled back" },
		{ svg_circle, 3, "none", "no candidate" },
	};
	double x = LEFT + 8;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		rows[i].draw(p->out, (struct point){ x, 18 }, rows[i].radius, rows[i].class);
		svg_text(p->out, (struct point){ x + 12, 22 }, SVG_START, "", rows[i].text);
		x += 46 + 7.0 * (double)strlen(rows[i].text);
	}
}

bool plot_rounds(const struct view *v, struct str *out)
{
	struct rounds_plot p = { .v = v, .out = out };
	if (!v->state.nr_rounds)
		return false;
	fit_axes(&p);
	svg_open(out, WIDTH, HEIGHT, "Speed-up per round",
		 "Reference time divided by candidate time for each round, with the interval over "
		 "replicates; the table of rounds has the numbers.");
	draw_grid(&p);
	draw_levels(&p);
	draw_best_line(&p);
	draw_rounds(&p);
	draw_confirm(&p);
	draw_legend(&p);
	svg_text(out, (struct point){ LEFT - 8, bottom_px() + NUMBERS_BELOW }, SVG_END, "dim",
		 "round");
	svg_close(out);
	return true;
}
