#include "report/plot.h"

/* The roofline model (Williams, Waterman, Patterson 2009). Intensity comes from the task's [work]
 * and is the same for both kernels, so a shape is one vertical step from the reference up to the
 * best. Shapes often share an intensity: their labels are pushed apart. */

#include <math.h>

#include "base/mem.h"
#include "report/axis.h"
#include "report/svg.h"
#include "report/text.h"
#include "report/view.h"

enum {
	WIDTH = 1040,
	HEIGHT = 460,
	LEFT = 84,
	RIGHT = 330,
	TOP = 30,
	BOTTOM = 56,
	LABEL_GAP = 14,
	LABEL_NEAR = 30,
};

struct roof_point {
	const struct state_shape *shape;
	double intensity; /* flop per byte */
	double reference; /* flop/s */
	double best;
};

struct roof_plot {
	const struct view *v;
	struct roof_point *points;
	size_t nr;
	struct axis x;
	struct axis y;
	struct str *out;
};

static void collect(struct roof_plot *p)
{
	const struct state_estimate *head = p->v->head;
	p->points = xcalloc(head->nr_shapes + 1, sizeof(*p->points));
	for (size_t i = 0; i < head->nr_shapes; i++) {
		const struct state_shape *shape = &head->shapes[i];
		const struct result_shape *work = view_shape(p->v, shape->name);
		bool is_known = work && work->flops > 0 && work->bytes > 0;
		if (!is_known || shape->reference_ns <= 0 || shape->candidate_ns <= 0)
			continue;
		p->points[p->nr++] = (struct roof_point){
			.shape = shape,
			.intensity = work->flops / work->bytes,
			.reference = work->flops / (shape->reference_ns * 1e-9),
			.best = work->flops / (shape->candidate_ns * 1e-9),
		};
	}
}

static void widen(struct axis *a, double value)
{
	a->low = value < a->low ? value : a->low;
	a->high = value > a->high ? value : a->high;
}

static void fit_axes(struct roof_plot *p)
{
	const struct view *v = p->v;
	double ridge = v->flops_per_s / v->bytes_per_s;
	p->x = (struct axis){ true, ridge, ridge, LEFT, WIDTH - RIGHT };
	p->y = (struct axis){ true, v->flops_per_s, v->flops_per_s, HEIGHT - BOTTOM, TOP };
	for (size_t i = 0; i < p->nr; i++) {
		widen(&p->x, p->points[i].intensity);
		widen(&p->y, p->points[i].reference);
		widen(&p->y, p->points[i].best);
	}
	p->x.low /= 3;
	p->x.high *= 3;
	p->y.low /= 3;
	p->y.high *= 2;
}

static struct point at(const struct roof_plot *p, double intensity, double flops)
{
	return (struct point){ axis_px(&p->x, intensity), axis_px(&p->y, flops) };
}

static void draw_grid(struct roof_plot *p)
{
	double ticks[AXIS_MAX_TICKS];
	size_t nr = axis_ticks(&p->y, ticks);
	for (size_t i = 0; i < nr; i++) {
		AUTO_STR struct str label = STR_INIT;
		double y = axis_px(&p->y, ticks[i]);
		str_addf(&label, "%g", ticks[i] * 1e-9);
		svg_line(p->out, (struct point){ LEFT, y }, (struct point){ WIDTH - RIGHT, y },
			 "grid");
		svg_text(p->out, (struct point){ LEFT - 8, y + 4 }, SVG_END, "dim", label.text);
	}
	nr = axis_ticks(&p->x, ticks);
	for (size_t i = 0; i < nr; i++) {
		AUTO_STR struct str label = STR_INIT;
		double x = axis_px(&p->x, ticks[i]);
		str_addf(&label, "%g", ticks[i]);
		svg_line(p->out, (struct point){ x, TOP }, (struct point){ x, HEIGHT - BOTTOM },
			 "grid");
		svg_text(p->out, (struct point){ x, HEIGHT - BOTTOM + 18 }, SVG_MIDDLE, "dim",
			 label.text);
	}
}

static void draw_ceilings(struct roof_plot *p)
{
	const struct view *v = p->v;
	double ridge = v->flops_per_s / v->bytes_per_s;
	double start = p->y.low / v->bytes_per_s; /* where memory's ceiling enters the picture */
	start = start > p->x.low ? start : p->x.low;
	AUTO_FREE char *memory = xasprintf("memory, %.1f GB/s", v->bytes_per_s * 1e-9);
	AUTO_FREE char *compute = xasprintf(
		"%s, %.1f Gflop/s", view_is_gpu(v) ? "arithmetic" : "f32", v->flops_per_s * 1e-9);
	svg_line(p->out, at(p, start, start * v->bytes_per_s), at(p, ridge, v->flops_per_s),
		 "ceiling");
	svg_line(p->out, at(p, ridge, v->flops_per_s), at(p, p->x.high, v->flops_per_s), "ceiling");
	struct point top = at(p, p->x.high, v->flops_per_s);
	svg_text(p->out, (struct point){ top.x - 4, top.y - 7 }, SVG_END, "strong", compute);
	struct point middle = at(p, sqrt(start * ridge), sqrt(start * ridge) * v->bytes_per_s);
	svg_text(p->out, (struct point){ middle.x - 10, middle.y - 6 }, SVG_END, "strong", memory);
}

/* Where a label may stand so that it keeps off the labels before it. */
static double free_y(const struct point *taken, size_t nr, struct point want)
{
	bool moved = true;
	while (moved) {
		moved = false;
		for (size_t i = 0; i < nr; i++) {
			bool is_near = fabs(taken[i].x - want.x) < LABEL_NEAR &&
				       fabs(taken[i].y - want.y) < LABEL_GAP;
			if (is_near) {
				/* A hair more than the gap, or rounding would find it near again.
				 */
				want.y = taken[i].y + LABEL_GAP + 0.01;
				moved = true;
			}
		}
	}
	return want.y;
}

/* Labels stand to the right of their point unless another shape's step is drawn there. */
static bool is_crowded(const struct roof_plot *p, size_t i, double x)
{
	for (size_t k = 0; k < p->nr; k++) {
		double other = axis_px(&p->x, p->points[k].intensity);
		if (k != i && other > x + 2 && other < x + LABEL_NEAR)
			return true;
	}
	return false;
}

static void draw_label(struct roof_plot *p, struct point *labels, size_t i, struct point to)
{
	AUTO_FREE char *number = xasprintf("%zu", i + 1);
	bool is_left = is_crowded(p, i, to.x);
	labels[i] = (struct point){ is_left ? to.x - 10 : to.x + 10, to.y + 4 };
	labels[i].y = free_y(labels, i, labels[i]);
	svg_text(p->out, labels[i], is_left ? SVG_END : SVG_START, "strong", number);
}

static void draw_points(struct roof_plot *p)
{
	AUTO_FREE struct point *labels = xcalloc(p->nr + 1, sizeof(*labels));
	for (size_t i = 0; i < p->nr; i++) {
		const struct roof_point *point = &p->points[i];
		struct point from = at(p, point->intensity, point->reference);
		struct point to = at(p, point->intensity, point->best);
		svg_line(p->out, from, to, "step");
		svg_circle(p->out, from, 4, "none");
		svg_circle(p->out, to, 5, "best");
		draw_label(p, labels, i, to);
	}
}

static void draw_legend_row(struct roof_plot *p, size_t i, double y)
{
	const struct roof_point *point = &p->points[i];
	AUTO_STR struct str name = STR_INIT;
	AUTO_FREE char *title = xasprintf("%zu  %s%s", i + 1, point->shape->name,
					  point->shape->held_out ? " (held out)" : "");
	AUTO_FREE char *numbers =
		xasprintf("%.2f → %.2f Gflop/s", point->reference * 1e-9, point->best * 1e-9);
	svg_fit(title, RIGHT - 40, &name);
	svg_text(p->out, (struct point){ WIDTH - RIGHT + 28, y }, SVG_START, "", name.text);
	svg_text(p->out, (struct point){ WIDTH - RIGHT + 42, y + 15 }, SVG_START, "dim", numbers);
}

static void draw_legend(struct roof_plot *p)
{
	double x = WIDTH - RIGHT + 34;
	svg_circle(p->out, (struct point){ x, TOP + 6 }, 4, "none");
	svg_text(p->out, (struct point){ x + 12, TOP + 10 }, SVG_START, "", "reference");
	svg_circle(p->out, (struct point){ x + 96, TOP + 6 }, 5, "best");
	svg_text(p->out, (struct point){ x + 108, TOP + 10 }, SVG_START, "", "best");
	for (size_t i = 0; i < p->nr; i++) {
		double y = TOP + 40 + 38 * (double)i;
		if (y > HEIGHT - BOTTOM)
			break;
		draw_legend_row(p, i, y);
	}
}

static void draw(struct roof_plot *p)
{
	fit_axes(p);
	svg_open(p->out, WIDTH, HEIGHT, "Roofline",
		 "Throughput against arithmetic intensity for the reference and the best kernel at "
		 "each shape, under the machine's measured ceilings; the table per shape has the "
		 "numbers.");
	draw_grid(p);
	draw_ceilings(p);
	draw_points(p);
	draw_legend(p);
	svg_text(p->out, (struct point){ (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14 }, SVG_MIDDLE,
		 "", "arithmetic intensity, flop / byte");
	svg_text(p->out, (struct point){ LEFT, TOP - 12 }, SVG_MIDDLE, "", "Gflop/s");
	svg_close(p->out);
}

bool plot_roofline(const struct view *v, struct str *out)
{
	struct roof_plot p = { .v = v, .out = out };
	if (!v->head || v->bytes_per_s <= 0 || v->flops_per_s <= 0)
		return false;
	collect(&p);
	if (p.nr)
		draw(&p);
	free(p.points);
	return p.nr > 0;
}
