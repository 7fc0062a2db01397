#include "tuner/propose.h"

/* The order within a course matters: a row is kept when it is correct, even if slower, so cheap and
 * certain rows come first and the one that is most likely the best of its kind comes last. */

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tuner/study.h"
#include "tuner/walk.h"

/* A team of threads costs a few microseconds to wake. A region that takes the reference less than
 * this can not pay: a faster body leaves it a fraction. Where the reference's time is not told,
 * innermost steps stand for it. */
enum { THREADS_MIN_WORK = 20000, THREADS_MIN_NS = 40000 };
/* Fewer steps than this do not fill two vectors, and a remainder eats the gain. */
enum { LANES_MIN_TRIPS = 16, LANES_MAX_ROWS = 4, UNROLL_MIN_TRIPS = 16 };

static const char flags_plain[] = "-O3,-march=native";
static const char flags_relaxed[] = "-O3,-march=native,-fno-math-errno,-fno-trapping-math,"
				    "-fno-signed-zeros,-fassociative-math,-freciprocal-math";
static const char flags_fast[] = "-O3,-march=native,-ffast-math";
static const char flags_unrolled[] = "-O3,-march=native,-ffast-math,-funroll-loops,"
				     "-fvariable-expansion-in-unroller";
static const char flags_clang[] = "-O3,-march=native,-ffast-math,-fveclib=libmvec";

static struct proposal *add(struct proposals *out, const struct study *s, size_t milestone)
{
	if (out->nr == out->cap) {
		size_t cap = out->cap ? 2 * out->cap : 32;
		struct proposal *items = arena_array(s->a, cap, sizeof(*items));
		if (out->nr)
			memcpy(items, out->items, out->nr * sizeof(*items));
		out->items = items;
		out->cap = cap;
	}
	struct proposal *p = &out->items[out->nr++];
	*p = (struct proposal){ .milestone = milestone, .is_first_choice = true };
	return p;
}

struct topic {
	const char *name;
	const char *what;
	const char *usual; /* why nothing is done about it */
};

static const struct topic topics[] = {
	{ "work_split", "how the work is split over cores",
	  "no way of dealing out loops that are proved independent was faster" },
	{ "tile_shapes", "sizes of tiles", "no tile was faster than the loops as they are" },
	{ "thread_roles", "roles of the cores",
	  "every core runs the same body on its own part of the range" },
	{ "register_budget", "what registers hold over a loop",
	  "what lives in registers is the compiler's choice" },
	{ "residency", "what stays in which level of memory",
	  "operands are used where the caller put them" },
	{ "order", "the order of the pieces", "loops keep the order of the reference" },
	{ "overlap", "what hides behind what",
	  "one core overlaps loads with arithmetic by itself" },
};

const char *propose_topic(size_t at)
{
	return at < ARRAY_LEN(topics) ? topics[at].name : NULL;
}

struct decision propose_absent(const char *name, const char *why)
{
	const struct topic *topic = topics;
	while (strcmp(topic->name, name) != 0)
		if (++topic == topics + ARRAY_LEN(topics))
			BUG("no topic %s", name);
	return (struct decision){ .covers = topic->name,
				  .what = topic->what,
				  .why = why ? why : topic->usual,
				  .is_not_applicable = true };
}

static void add_absent(struct proposals *out, const struct study *s, const char *topic,
		       const char *why)
{
	add(out, s, 0)->row = propose_absent(topic, why);
}

static bool has_sizes(const struct study *s)
{
	return !s->kernel.unread && s->kernel.nr_variants > 1;
}

static void propose_sizes(struct proposals *out, const struct study *s)
{
	static const char what[] = "what the compiler knows of the sizes";
	if (s->kernel.unread) {
		add_absent(out, s, "tile_shapes",
			   arena_printf(s->a,
					"the reference could not be read (%s), so its text "
					"stays as it is",
					s->kernel.unread));
		return;
	}
	add(out, s, 0)->row = (struct decision){
		.covers = "tile_shapes",
		.what = what,
		.value = has_sizes(s) ? "specialise shapes=all" : "specialise shapes=none",
		.why = arena_printf(
			s->a,
			"%zu visible sizes: constants make every stride and trip "
			"count known, and operands that are promised not to overlap can "
			"stay in registers; a general body serves all other sizes",
			s->task.nr_shapes),
		.wrong_when =
			"the largest size is slower than the base by more than the noise floor",
		.mechanism.none_reason = "what a compiler makes of constants may move any metric "
					 "or none",
	};
}

static const char *trips_text(const struct study *s, const struct nest_loop *l)
{
	if (l->most == 0)
		return "a number of steps that depends on data";
	if (l->least == l->most)
		return arena_printf(s->a, "%.0f steps", l->most);
	return arena_printf(s->a, "%.0f to %.0f steps", l->least, l->most);
}

static const char *threads_value(const struct study *s, const struct nest_loop *l,
				 const char *layout)
{
	return arena_printf(s->a, "threads loop=%s n=%u layout=%s", l->label, s->task.threads,
			    layout);
}

static bool has_enough_work(const struct study *s, const struct nest_loop *l)
{
	if (s->ns > 0 && s->nest.work > 0)
		return s->ns * l->work / s->nest.work >= THREADS_MIN_NS;
	return l->work >= THREADS_MIN_WORK;
}

static bool is_worth_threads(const struct study *s, const struct nest_loop *l)
{
	bool is_long = l->most == 0 || l->most >= s->task.threads;
	return !l->shared && is_long && has_enough_work(s, l) &&
	       study_applies(s, threads_value(s, l, "block"));
}

/* The outermost loops that can be dealt out, each nest by itself. Calls `use` for each. */
static size_t each_shared_loop(struct proposals *out, const struct study *s,
			       void (*use)(struct proposals *out, const struct study *s,
					   const struct nest_loop *l))
{
	const char *above = NULL;
	size_t nr = 0;
	for (size_t i = 0; i < s->nest.nr; i++) {
		const struct nest_loop *l = &s->nest.items[i];
		if ((above && label_is_inside(l->label, above)) || !is_worth_threads(s, l))
			continue;
		above = l->label;
		use(out, s, l);
		nr++;
	}
	return nr;
}

static void add_threads(struct proposals *out, const struct study *s, const struct nest_loop *l)
{
	add(out, s, 0)->row = (struct decision){
		.covers = "work_split",
		.what = arena_printf(s->a, "how loop %s is split over cores", l->label),
		.value = threads_value(s, l, "block"),
		.why = arena_printf(
			s->a,
			"it is the outermost loop here whose iterations are proved "
			"independent; it runs %s and does about %.0f innermost steps in "
			"all, enough to pay for waking a team",
			trips_text(s, l), l->work),
		.wrong_when = "the largest size gains less than a fifth from the second core",
		.mechanism.none_reason = "object code does not tell how many cores run it",
	};
}

static const char *why_no_threads(const struct study *s)
{
	if (s->kernel.unread)
		return "the reference could not be read, so no loop is proved independent";
	if (s->task.threads < 2)
		return "the task allows one thread";
	if (s->ns > 0 && s->ns < THREADS_MIN_NS)
		return "a call is shorter than waking a team takes";
	for (size_t i = 0; i < s->nest.nr; i++)
		if (s->nest.items[i].depth == 0 && s->nest.items[i].shared)
			return arena_printf(
				s->a, "no loop with enough work is proved independent; of %s: %s",
				s->nest.items[i].label, s->nest.items[i].shared);
	return "no loop has enough work for a team";
}

static bool may_use_threads(const struct study *s)
{
	bool is_short = s->ns > 0 && s->ns < THREADS_MIN_NS;
	return !s->kernel.unread && s->task.threads > 1 && !is_short;
}

static size_t propose_threads(struct proposals *out, const struct study *s)
{
	size_t nr = may_use_threads(s) ? each_shared_loop(out, s, add_threads) : 0;
	if (!nr)
		add_absent(out, s, "work_split", why_no_threads(s));
	add_absent(out, s, "thread_roles", nr ? NULL : "one core does everything");
	return nr;
}

static void propose_registers(struct proposals *out, const struct study *s)
{
	size_t nr = 0;
	for (size_t i = 0; i < s->nest.nr; i++) {
		const struct nest_loop *l = &s->nest.items[i];
		const char *value = arena_printf(s->a, "scalarise loop=%s", l->label);
		if (!l->is_innermost || !study_applies(s, value))
			continue;
		add(out, s, 0)->row = (struct decision){
			.covers = "register_budget",
			.what = arena_printf(s->a, "where the element that loop %s updates lives",
					     l->label),
			.value = value,
			.why = "every step updates the same element: kept in a register it is "
			       "loaded and stored once for the loop, and the loop is a reduction",
			.wrong_when = "stores in the dominant loop stay as many as before",
			.mechanism.none_reason =
				"the profile looks at the dominant loop, which may be another one, "
				"and the compiler may have kept that element before",
		};
		nr++;
	}
	if (!nr)
		add_absent(out, s, "register_budget",
			   "no innermost loop keeps updating one element of an array; what else "
			   "lives in registers is the compiler's choice");
}

static void propose_rest_of_structure(struct proposals *out, const struct study *s)
{
	add_absent(out, s, "residency",
		   "operands are used where the caller put them; this course copies nothing");
	add_absent(out, s, "order",
		   "loops keep the order of the reference; what the compiler changes inside a "
		   "nest is covered by the build rows");
	add_absent(out, s, "overlap",
		   "one core overlaps loads with arithmetic by itself, and there are no "
		   "asynchronous copies to place");
}

static const char *build_value(const struct study *s, const char *cc, const char *flags)
{
	return arena_printf(s->a, "build cc=%s flags=%s", cc, flags);
}

/* Whether the compiler can widen some loop without being allowed to reorder sums. */
static bool has_plain_lanes(const struct study *s)
{
	for (size_t i = 0; i < s->nest.nr; i++) {
		const struct nest_loop *l = &s->nest.items[i];
		if (l->is_innermost && !l->lanes && !l->has_call && !l->is_reduction && l->is_unit)
			return true;
	}
	return false;
}

static void propose_plain_build(struct proposals *out, const struct study *s)
{
	struct decision row = {
		.what = "compiler and flags: optimise for this machine",
		.value = build_value(s, "gcc", flags_plain),
		.why = "vectors of the machine's full width and fused multiply-add, with exact "
		       "rounding rules kept",
		.wrong_when = "no size gains more than the noise floor",
	};
	if (has_plain_lanes(s))
		row.mechanism = (struct mechanism){ .metric = "vector_bits",
						    .direction = "up",
						    .at_least = 1.5 };
	else
		row.mechanism.none_reason = "no loop is known to be free of carried values, so "
					    "the width may stay; only time can tell";
	add(out, s, 1)->row = row;
}

/* A loop with calls has to wait for the build that may replace them by vector forms. */
static bool is_worth_lanes(const struct nest_loop *l)
{
	bool is_long = l->least == 0 || l->least >= LANES_MIN_TRIPS;
	return l->is_innermost && !l->lanes && !l->has_call && l->is_reduction && l->is_unit &&
	       is_long;
}

static void propose_lanes(struct proposals *out, const struct study *s)
{
	size_t nr = 0;
	for (size_t i = 0; i < s->nest.nr && nr < LANES_MAX_ROWS; i++) {
		const struct nest_loop *l = &s->nest.items[i];
		if (!is_worth_lanes(l))
			continue;
		add(out, s, 1)->row = (struct decision){
			.what = arena_printf(s->a, "vector lanes for the reduction of loop %s",
					     l->label),
			.value = arena_printf(s->a, "simd loop=%s", l->label),
			.why = arena_printf(
				s->a,
				"it runs %s over neighbouring elements and carries only "
				"a reduction: partial results in lanes break the chain "
				"of dependent operations",
				trips_text(s, l)),
			.wrong_when = "the part of packed arithmetic does not rise, or the error "
				      "leaves the tolerance",
			.mechanism = { .metric = "vector_share", .direction = "up" },
		};
		nr++;
	}
}

/* Flags that assume finite numbers are riskier where the source itself uses others. */
static bool uses_special_values(const struct study *s)
{
	static const char *const words[] = { "INFINITY", "NAN",   "HUGE_VAL", "HUGE_VALF",
					     "isnan",    "isinf", "isfinite", "signbit" };
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (text_has_name(s->source, words[i]))
			return true;
	return false;
}

static struct decision relaxed_build(const struct study *s)
{
	return (struct decision){
		.what = "compiler and flags: sums may be reordered",
		.value = build_value(s, "gcc", flags_relaxed),
		.why = "lets reductions run in lanes while infinities and NaN keep their meaning",
		.wrong_when =
			"the error leaves the tolerance, or time stays within the noise floor",
		.mechanism.none_reason = "what was widened before stays wide; only time can tell",
	};
}

static struct decision fast_build(const struct study *s)
{
	return (struct decision){
		.what = "compiler and flags: all liberties with rounding",
		.value = build_value(s, "gcc", flags_fast),
		.why = "reductions in lanes, reciprocals for divisions and the vector math library "
		       "for calls inside loops",
		.wrong_when = "a case with special values or cancellation fails, or a branch that "
			      "was well predicted gets slower",
		.mechanism.none_reason = "which loops change depends on the compiler; only time "
					 "can tell",
	};
}

static void propose_builds(struct proposals *out, const struct study *s)
{
	bool is_special = uses_special_values(s);
	struct proposal *p = add(out, s, 1);
	p->row = relaxed_build(s);
	p->is_first_choice = is_special;
	add(out, s, 1)->row = fast_build(s);
}

static void add_deal(struct proposals *out, const struct study *s, const struct nest_loop *l)
{
	struct proposal *p = add(out, s, 2);
	p->is_first_choice = l->is_triangular;
	p->builds_on = threads_value(s, l, "block");
	p->row = (struct decision){
		.what = arena_printf(s->a, "how the range of loop %s is dealt out", l->label),
		.value = threads_value(s, l, "deal"),
		.why = l->is_triangular
			       ? "the work of an iteration grows along the range, so halves "
				 "are uneven; small chunks dealt in turn even it out"
			       : "small chunks dealt in turn even out what halves do not",
		.wrong_when = "time at the largest size stays within the noise floor",
		.mechanism.none_reason = "balance between cores does not show in object code",
	};
}

static const struct nest_loop *heaviest_plain(const struct study *s)
{
	const struct nest_loop *best = NULL;
	for (size_t i = 0; i < s->nest.nr; i++) {
		const struct nest_loop *l = &s->nest.items[i];
		bool is_long = l->most == 0 || l->most >= UNROLL_MIN_TRIPS;
		double weight = l->work * l->starts;
		if (l->is_innermost && is_long && !is_worth_lanes(l) &&
		    (!best || weight > best->work * best->starts))
			best = l;
	}
	return best;
}

static void propose_unroll(struct proposals *out, const struct study *s)
{
	static const unsigned factors[] = { 4, 8, 2 };
	const struct nest_loop *l = heaviest_plain(s);
	for (size_t i = 0; l && i < ARRAY_LEN(factors); i++) {
		struct proposal *p = add(out, s, 2);
		p->is_first_choice = i == 0;
		p->row = (struct decision){
			.what = arena_printf(s->a, "how often loop %s is unrolled", l->label),
			.value = arena_printf(s->a, "unroll loop=%s n=%u", l->label, factors[i]),
			.why = "fewer branches, and more independent operations in flight",
			.wrong_when = "code grows and time does not fall",
			.mechanism = { .metric = "code_bytes", .direction = "up" },
		};
	}
}

static void propose_unrolled_build(struct proposals *out, const struct study *s)
{
	struct proposal *p = add(out, s, 2);
	p->builds_on = build_value(s, "gcc", flags_fast);
	p->row = (struct decision){
		.what = "compiler and flags: unroll all loops, several partial results each",
		.value = build_value(s, "gcc", flags_unrolled),
		.why = "one partial result waits for its own addition; several of them keep the "
		       "units busy",
		.wrong_when = "code grows and time does not fall",
		.mechanism = { .metric = "code_bytes", .direction = "up" },
	};
}

static void propose_clang(struct proposals *out, const struct study *s)
{
	if (!s->task.has_clang)
		return;
	struct proposal *p = add(out, s, 2);
	p->row = (struct decision){
		.what = "compiler and flags: the other compiler",
		.value = build_value(s, "clang", flags_clang),
		.why = "it keeps several partial results of a reduction by itself and ranks loop "
		       "structures differently",
		.wrong_when = "it is slower than the best build of the first compiler",
		.mechanism.none_reason =
			"another compiler changes every metric; only time compares",
	};
}

/* Builds for later versions, when the first choices are measured. */
static void propose_other_builds(struct proposals *out, const struct study *s)
{
	static const char *const others[] = {
		"-O3,-march=native,-ffast-math,-fno-tree-loop-distribute-patterns,-fsplit-loops",
		"-O2,-march=native,-ffast-math,-ftree-vectorize,-fvect-cost-model=dynamic",
		"-O3,-march=native,-ffast-math,-mprefer-vector-width=128",
		"-O3,-march=native,-ffast-math,-mprefer-vector-width=512",
	};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (strstr(others[i], "512") && !s->task.has_wide_vectors)
			continue;
		struct proposal *p = add(out, s, 2);
		p->is_first_choice = false;
		p->row = (struct decision){
			.what = "compiler and flags: another set",
			.value = build_value(s, "gcc", others[i]),
			.why = "the sets tried so far differ by less than they might",
			.wrong_when = "it is slower than the best build so far",
			.mechanism.none_reason = "a change of flags may move any metric; only time "
						 "compares",
		};
	}
}

void propose_all(struct proposals *out, const struct study *s)
{
	propose_sizes(out, s);
	bool has_threads = propose_threads(out, s) > 0;
	propose_registers(out, s);
	propose_rest_of_structure(out, s);
	propose_plain_build(out, s);
	propose_lanes(out, s);
	propose_builds(out, s);
	if (has_threads)
		each_shared_loop(out, s, add_deal);
	propose_unroll(out, s);
	propose_unrolled_build(out, s);
	propose_clang(out, s);
	propose_other_builds(out, s);
}
