#include "stats/paired.h"

/* Replicates are the unit of inference: rounds of one replicate share a process and a memory
 * layout, and layout alone moves a kernel by several percent. So each replicate gives one number
 * per shape (a median, which noise of less than half of the rounds can not move far) and the rule
 * asks all of them. Rounds are dropped only by what was seen beside them (preemption, steal); when
 * that would leave less than KEEP_SHARE of a replicate, all are kept: the machine was busy all
 * along, and picking the few quiet rounds would be picking by value through a back door. */

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "stats/summary.h"

/* The smallest gain worth a claim; DESIGN.md 8. */
#define MARGIN 0.01
#define KEEP_SHARE 0.4
/* A reference that lost more than this and BESIDE_FLOORS floors beside a candidate was held up; the
 * same bounds as between the two clocks (measurement notes 2.3). */
#define BESIDE_MIN 0.05
#define BESIDE_FLOORS 3
/* Two-sided 99 % for the diagnostic interval of a replicate. */
#define ROUND_ALPHA 0.005

/* What one shape gave in one replicate. */
struct cell {
	double theta;
	double phi;
	double drift;
	double carry_over; /* NaN: R ran always first or never */
	double round_low;
	double round_high;
	size_t nr_used;
	size_t nr_dropped;
};

/* The used rounds of one cell, as parallel columns. */
struct columns {
	double *gain; /* ln(R/C) */
	double *null; /* ln(R/R') */
	double *round;
	bool *is_reference_first;
	size_t nr;
};

static void columns_init(struct columns *c, size_t room)
{
	c->gain = xcalloc(room, sizeof(double));
	c->null = xcalloc(room, sizeof(double));
	c->round = xcalloc(room, sizeof(double));
	c->is_reference_first = xcalloc(room, sizeof(bool));
	c->nr = 0;
}

static void columns_release(struct columns *c)
{
	free(c->gain);
	free(c->null);
	free(c->round);
	free(c->is_reference_first);
}
#define AUTO_COLUMNS __attribute__((cleanup(columns_release)))

/* The rounds of a cell, contiguous and in order. */
struct span {
	const struct paired_round *rounds;
	size_t nr;
};

static size_t cell_count(const struct paired_spec *spec)
{
	return size_mul(spec->nr_shapes, spec->nr_replicates);
}

static bool time_is_usable(double ns)
{
	return isfinite(ns) && ns > 0;
}

static int check_round(const struct paired_spec *spec, const struct paired_round *r, struct err *e)
{
	if (r->shape >= spec->nr_shapes || r->replicate >= spec->nr_replicates)
		return err_set(e, ERR_INPUT, "round %u: no such shape (%u) or replicate (%u)",
			       r->round, r->shape, r->replicate);
	if (!time_is_usable(r->reference_ns) || !time_is_usable(r->candidate_ns) ||
	    !time_is_usable(r->again_ns))
		return err_set(e, ERR_INPUT, "shape %u, replicate %u, round %u: time is not usable",
			       r->shape, r->replicate, r->round);
	return 0;
}

static bool floor_is_usable(double floor)
{
	return floor >= 0 && isfinite(floor);
}

static int check_floors(const struct paired_spec *spec, struct err *e)
{
	bool is_usable = floor_is_usable(spec->historic_floor);
	for (unsigned s = 0; spec->shape_floors && s < spec->nr_shapes; s++)
		is_usable = is_usable && floor_is_usable(spec->shape_floors[s]);
	if (!is_usable)
		return err_set(e, ERR_INPUT, "historic noise floor is not a fraction");
	for (size_t i = 0; i < spec->nr_beside; i++)
		if (!isfinite(spec->beside[i]))
			return err_set(e, ERR_INPUT, "the reference beside the candidate: no time");
	return 0;
}

static int check_spec(const struct paired_spec *spec, struct err *e)
{
	if (spec->nr_shapes == 0 || spec->nr_replicates == 0)
		return err_set(e, ERR_INPUT, "no shapes or no replicates to evaluate");
	if (check_floors(spec, e) < 0)
		return -1;
	for (size_t i = 0; i < spec->nr_rounds; i++) {
		if (check_round(spec, &spec->rounds[i], e) < 0)
			return -1;
	}
	return 0;
}

static int by_unsigned(unsigned a, unsigned b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *a, const void *b)
{
	const struct paired_round *x = a;
	const struct paired_round *y = b;
	int order = by_unsigned(x->shape, y->shape);
	if (order == 0)
		order = by_unsigned(x->replicate, y->replicate);
	return order ? order : by_unsigned(x->round, y->round);
}

/* Yours. */
static struct paired_round *sorted_rounds(const struct paired_spec *spec)
{
	struct paired_round *rounds = xcalloc(spec->nr_rounds + 1, sizeof(*rounds));
	for (size_t i = 0; i < spec->nr_rounds; i++)
		rounds[i] = spec->rounds[i];
	qsort(rounds, spec->nr_rounds, sizeof(*rounds), by_place);
	return rounds;
}

static size_t count_dropped(const struct span *s)
{
	size_t nr = 0;
	for (size_t i = 0; i < s->nr; i++)
		nr += s->rounds[i].is_dropped;
	return nr;
}

/* Median gain of the rounds in which R ran first (or did not); NaN when there is none. */
static double median_when(const struct columns *c, bool is_reference_first)
{
	AUTO_FREE double *gain = xcalloc(c->nr, sizeof(*gain));
	size_t nr = 0;
	for (size_t i = 0; i < c->nr; i++) {
		if (c->is_reference_first[i] == is_reference_first)
			gain[nr++] = c->gain[i];
	}
	return summary_median(gain, nr);
}

static void collect(struct columns *c, const struct span *s, bool keep_all)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct paired_round *r = &s->rounds[i];
		if (r->is_dropped && !keep_all)
			continue;
		c->gain[c->nr] = log(r->reference_ns / r->candidate_ns);
		c->null[c->nr] = log(r->reference_ns / r->again_ns);
		c->is_reference_first[c->nr] = r->is_reference_first;
		c->round[c->nr++] = (double)r->round;
	}
}

static void measure_cell(struct cell *cell, const struct span *s)
{
	AUTO_COLUMNS struct columns c;
	columns_init(&c, s->nr);
	size_t nr_dropped = count_dropped(s);
	bool keep_all = (double)(s->nr - nr_dropped) < KEEP_SHARE * (double)s->nr;
	collect(&c, s, keep_all);
	struct median_interval interval = summary_median_interval(c.gain, c.nr, ROUND_ALPHA);
	*cell = (struct cell){
		.theta = summary_median(c.gain, c.nr),
		.phi = summary_median(c.null, c.nr),
		.drift = summary_spearman(c.round, c.gain, c.nr),
		.carry_over = median_when(&c, true) - median_when(&c, false),
		.round_low = interval.low,
		.round_high = interval.high,
		.nr_used = c.nr,
		.nr_dropped = s->nr - c.nr,
	};
}

/* The next span of equal shape and replicate. */
static struct span next_span(const struct paired_round *rounds, size_t nr, size_t from)
{
	struct span s = { .rounds = rounds + from, .nr = 0 };
	while (from + s.nr < nr && s.rounds[s.nr].shape == s.rounds->shape &&
	       s.rounds[s.nr].replicate == s.rounds->replicate)
		s.nr++;
	return s;
}

/* Cells are [shape][replicate]. */
static int measure_cells(const struct paired_spec *spec, const struct paired_round *rounds,
			 struct cell *cells, struct err *e)
{
	size_t at = 0;
	for (size_t i = 0; i < cell_count(spec); i++) {
		size_t shape = i / spec->nr_replicates;
		size_t replicate = i % spec->nr_replicates;
		struct span s = next_span(rounds, spec->nr_rounds, at);
		if (s.nr == 0 || s.rounds->shape != shape || s.rounds->replicate != replicate)
			return err_set(e, ERR_INPUT, "shape %zu has no round in replicate %zu",
				       shape, replicate);
		measure_cell(&cells[i], &s);
		at += s.nr;
	}
	return 0;
}

static double smallest(const double *values, size_t nr)
{
	return summary_quantile(values, nr, 0);
}

static double largest(const double *values, size_t nr)
{
	return summary_quantile(values, nr, 1);
}

static double noise_floor(const double *phi, size_t nr, double historic)
{
	double floor = historic;
	for (size_t i = 0; i < nr; i++)
		floor = fmax(floor, fabs(phi[i]));
	return floor;
}

static enum call decide(const double *theta, size_t nr, double delta)
{
	if (smallest(theta, nr) > delta)
		return CALL_FASTER;
	if (largest(theta, nr) < -delta)
		return CALL_SLOWER;
	return CALL_UNDECIDED;
}

/* Of one shape, or of the mean over all. */
static double historic_floor(const struct paired_spec *spec, unsigned shape)
{
	return spec->shape_floors ? spec->shape_floors[shape] : spec->historic_floor;
}

static double historic_floor_of_all(const struct paired_spec *spec)
{
	double sum = 0;
	for (unsigned s = 0; s < spec->nr_shapes; s++)
		sum += historic_floor(spec, s);
	return sum / spec->nr_shapes;
}

/* See struct estimate: marked beyond delta, counted beyond what no noise explains. */
static void look_beside(struct estimate *out, const struct paired_spec *spec)
{
	if (spec->nr_beside == 0)
		return;
	double least = smallest(spec->beside, spec->nr_beside);
	out->beside = summary_median(spec->beside, spec->nr_beside);
	out->is_reference_slowed = least > out->delta;
	if (least > log1p(fmax(BESIDE_MIN, BESIDE_FLOORS * out->floor)))
		out->floor = fmax(out->floor, expm1(out->beside));
	out->delta = log1p(fmax(MARGIN, out->floor));
}

/* One number of each replicate. */
struct replicate_columns {
	const double *theta;
	const double *phi;
	double historic;
};

static void apply_rule(struct estimate *out, const struct replicate_columns *c,
		       const struct paired_spec *spec)
{
	unsigned nr = spec->nr_replicates;
	const double *theta = c->theta;
	out->replicates = nr;
	out->floor = noise_floor(c->phi, nr, c->historic);
	out->delta = log1p(fmax(MARGIN, out->floor));
	look_beside(out, spec);
	out->call = decide(theta, nr, out->delta);
	out->speedup = exp(summary_median(theta, nr));
	out->low = exp(smallest(theta, nr));
	out->high = exp(largest(theta, nr));
	out->confidence = 1 - ldexp(1, 1 - (int)nr);
	out->alpha = ldexp(1, -(int)nr);
}

/* Diagnostics are means over cells; a cell without a carry-over gives none. */
static void diagnose(struct estimate *out, const struct cell *cells, size_t nr)
{
	double low = 0;
	double high = 0;
	size_t nr_carry = 0;
	for (size_t i = 0; i < nr; i++) {
		out->drift += cells[i].drift / (double)nr;
		low += cells[i].round_low / (double)nr;
		high += cells[i].round_high / (double)nr;
		out->nr_used += cells[i].nr_used;
		out->nr_dropped += cells[i].nr_dropped;
		if (isnan(cells[i].carry_over))
			continue;
		out->carry_over += cells[i].carry_over;
		nr_carry++;
	}
	out->carry_over = nr_carry ? out->carry_over / (double)nr_carry : 0;
	out->round_low = exp(low);
	out->round_high = exp(high);
}

static void estimate_shape(struct estimate *out, const struct paired_spec *spec, unsigned shape,
			   const struct cell *cells)
{
	AUTO_FREE double *theta = xcalloc(spec->nr_replicates, sizeof(*theta));
	AUTO_FREE double *phi = xcalloc(spec->nr_replicates, sizeof(*phi));
	for (unsigned k = 0; k < spec->nr_replicates; k++) {
		theta[k] = cells[k].theta;
		phi[k] = cells[k].phi;
	}
	apply_rule(out, &(struct replicate_columns){ theta, phi, historic_floor(spec, shape) },
		   spec);
	diagnose(out, cells, spec->nr_replicates);
}

static void estimate_all(struct estimate *out, const struct paired_spec *spec,
			 const struct cell *cells)
{
	AUTO_FREE double *theta = xcalloc(spec->nr_replicates, sizeof(*theta));
	AUTO_FREE double *phi = xcalloc(spec->nr_replicates, sizeof(*phi));
	for (size_t i = 0; i < cell_count(spec); i++) {
		theta[i % spec->nr_replicates] += cells[i].theta / spec->nr_shapes;
		phi[i % spec->nr_replicates] += cells[i].phi / spec->nr_shapes;
	}
	apply_rule(out, &(struct replicate_columns){ theta, phi, historic_floor_of_all(spec) },
		   spec);
	diagnose(out, cells, cell_count(spec));
	out->reference_ns = NAN;
	out->candidate_ns = NAN;
}

/* Median times of a shape over all its rounds, dropped ones too: for people, not for the rule. */
static void shape_times(struct estimate *out, const struct paired_spec *spec, unsigned shape)
{
	AUTO_FREE double *reference = xcalloc(spec->nr_rounds, sizeof(*reference));
	AUTO_FREE double *candidate = xcalloc(spec->nr_rounds, sizeof(*candidate));
	size_t nr = 0;
	for (size_t i = 0; i < spec->nr_rounds; i++) {
		if (spec->rounds[i].shape != shape)
			continue;
		reference[nr] = spec->rounds[i].reference_ns;
		candidate[nr++] = spec->rounds[i].candidate_ns;
	}
	out->reference_ns = summary_median(reference, nr);
	out->candidate_ns = summary_median(candidate, nr);
}

int paired_evaluate(struct paired *p, const struct paired_spec *spec, struct err *e)
{
	*p = (struct paired){ 0 };
	if (check_spec(spec, e) < 0)
		return -1;
	AUTO_FREE struct paired_round *rounds = sorted_rounds(spec);
	AUTO_FREE struct cell *cells = xcalloc(cell_count(spec), sizeof(*cells));
	if (measure_cells(spec, rounds, cells, e) < 0)
		return -1;
	p->shapes = xcalloc(spec->nr_shapes, sizeof(*p->shapes));
	p->nr_shapes = spec->nr_shapes;
	for (unsigned s = 0; s < spec->nr_shapes; s++) {
		estimate_shape(&p->shapes[s], spec, s, cells + (size_t)s * spec->nr_replicates);
		shape_times(&p->shapes[s], spec, s);
	}
	estimate_all(&p->all, spec, cells);
	return 0;
}

void paired_release(struct paired *p)
{
	free(p->shapes);
	*p = (struct paired){ 0 };
}

const char *call_name(enum call c)
{
	static const char *const names[] = {
		[CALL_UNDECIDED] = "undecided",
		[CALL_FASTER] = "faster",
		[CALL_SLOWER] = "slower",
	};
	return names[c];
}
