#include "tuner/compose.h"

#include <string.h>

#include "base/mem.h"
#include "tuner/campaign.h"
#include "tuner/draft.h"
#include "tuner/propose.h"
#include "tuner/study.h"
#include "tuner/ttask.h"

/* Kinds of rows that make one decision together, in order. */
struct part {
	const char *kinds; /* separated by spaces */
	unsigned milestone;
	const char *covers;
	const char *what;
	const char *why;
	const char *wrong_when;
	const char *no_metric; /* why no metric of the profile can show it */
};

/* Time compares what the object code can not tell. */
static const char only_time[] = "it may move any metric or none; only time compares";

static const struct part parts[] = {
	{ "build specialise", 0, "tile_shapes",
	  "what the compiler knows: the machine and the sizes",
	  "constants make every stride and trip count known; a general body serves other sizes",
	  "the largest size is slower than the reference",
	  "what a compiler makes of flags and constants may move any metric or none" },
	{ "math ifconvert scalarise", 0, "register_budget",
	  "what is kept in registers and how functions are computed",
	  "values that every step updates stay in registers, and calls become arithmetic that runs "
	  "in lanes",
	  "the error leaves the tolerance, or stores in the dominant loop stay as many as before",
	  "the profile looks at one loop, and the compiler may have kept those values there "
	  "before" },
	{ "guard scan privatise distribute fuse cascade interchange", 0, "order",
	  "the order of the pieces",
	  "the same elements are visited fewer times or in the order in which they lie in memory",
	  "time at the largest size does not fall",
	  "the profile counts instructions in the object, not how often an element is visited" },
	{ "tile strip sink pack", 0, "residency",
	  "tiles in lanes and registers, and copies for them",
	  "each element that is loaded is used several times before it is dropped",
	  "loads in the dominant loop stay as many as before, or registers spill",
	  "the dominant loop becomes another one, so its counts before and after do not compare" },
	{ "threads", 0, "work_split", "how the work is split over cores",
	  "the iterations are proved independent and there are enough of them",
	  "the largest size gains less than a fifth from the second core",
	  "object code does not tell how many cores run it" },
	{ "vectors simd unroll", 1, NULL, "how lanes are written for the compiler",
	  "explicit vectors stay in registers where a compiler would spill an array",
	  "the dominant loop has more stack traffic than before", only_time },
	{ "prefetch stream", 1, NULL, "what hides behind what",
	  "data arrives before it is needed, and results do not pass through the caches",
	  "time at the largest size stays within the noise floor", only_time },
};

/* The row itself, or what it is to leave out. */
static bool is_about(const char *row, const char *kind)
{
	static const char drop[] = "drop row=";
	return row_text_is(str_starts(row, drop) ? row + strlen(drop) : row, kind);
}

static bool has_kind(const struct part *part, const char *row)
{
	AUTO_STRV struct strv kinds = { 0 };
	strv_split(&kinds, part->kinds, " ");
	for (size_t i = 0; i < kinds.nr; i++)
		if (is_about(row, kinds.items[i]))
			return true;
	return false;
}

static const struct part *part_of(const char *row)
{
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (has_kind(&parts[i], row))
			return &parts[i];
	return &parts[ARRAY_LEN(parts) - 1];
}

static const char *expectation(const struct study *s, double before, double after)
{
	if (after <= 0)
		return "";
	return arena_printf(s->a,
			    "; timed in the workspace, the kernel runs at %.2f times the "
			    "reference's speed with it and %.2f without",
			    after, before > 0 ? before : 1.0);
}

static struct decision decide(const struct study *s, const struct part *part, const char *value,
			      double before, double after)
{
	return (struct decision){
		.covers = part->covers,
		.what = part->what,
		.value = value,
		.why = arena_printf(s->a, "%s%s", part->why, expectation(s, before, after)),
		.wrong_when = part->wrong_when,
		.mechanism.none_reason = part->no_metric,
		.predicts = after,
	};
}

/* A row after M0 rests on the first one of M0, which says what the compiler knows. */
static void add_decision(struct draft *d, unsigned milestone, const struct decision *row)
{
	struct decision *own = draft_add(d, milestone, row);
	const struct decision *root = milestone && d->parts[0].nr ? &d->parts[0].items[0] : NULL;
	if (!root || root->is_not_applicable)
		return;
	own->needs = arena_array(d->a, 1, sizeof(*own->needs));
	own->needs[own->nr_needs++] = root->id;
}

/* Rows of the changes that make one decision. */
struct run {
	const struct part *part;
	const char *value;
	size_t begin;
	size_t end;
};

/* Rows that belong to one part; with those behind it where the kernel can not be written without
 * them. */
static struct run next_run(const struct study *s, const struct discovery *f, size_t begin)
{
	const struct plan *p = &f->changes;
	struct run r = { .part = part_of(p->rows[begin]),
			 .value = p->rows[begin],
			 .begin = begin,
			 .end = begin + 1 };
	for (; r.end < p->nr && (part_of(p->rows[r.end]) == r.part || !f->is_whole[r.end - 1]);
	     r.end++)
		r.value = arena_printf(s->a, "%s | %s", r.value, p->rows[r.end]);
	return r;
}

static void add_plan(struct draft *d, const struct study *s, const struct discovery *f)
{
	double before = 1;
	for (size_t i = 0; i < f->changes.nr;) {
		const struct run r = next_run(s, f, i);
		const struct decision row = decide(s, r.part, r.value, before, f->steps[r.end - 1]);
		add_decision(d, r.part->milestone, &row);
		before = f->steps[r.end - 1];
		i = r.end;
	}
}

static bool is_covered(const struct draft *d, const char *topic)
{
	for (size_t i = 0; i < d->parts[0].nr; i++)
		if (strcmp(d->parts[0].items[i].covers, topic) == 0)
			return true;
	return false;
}

/* Rows of the start that settle the topic; NULL: there are none. */
static const char *settled_by(const struct study *s, const char *topic)
{
	const char *list = NULL;
	for (size_t i = 0; i < s->start.nr; i++) {
		const struct part *part = part_of(s->start.rows[i]);
		if (!part->covers || strcmp(part->covers, topic) != 0)
			continue;
		list = list ? arena_printf(s->a, "%s | %s", list, s->start.rows[i])
			    : s->start.rows[i];
	}
	return list;
}

struct decision compose_kept(const struct study *s, const char *topic, const char *why)
{
	const char *rows = settled_by(s, topic);
	return propose_absent(
		topic, rows ? arena_printf(s->a, "kept as the source has it, by %s", rows) : why);
}

/* What the structure leaves as it is, with the reason: nothing that was tried there paid. */
static void add_absent(struct draft *d, const struct study *s, const struct discovery *f)
{
	const char *topic;
	for (size_t i = 0; (topic = propose_topic(i)); i++) {
		if (is_covered(d, topic))
			continue;
		struct decision row = compose_kept(s, topic, NULL);
		row.why = arena_printf(s->a, "%s; %zu kernels were timed in the workspace", row.why,
				       f->evaluations);
		draft_add(d, 0, &row);
	}
}

/* The row of `p` that the best plan does not have. */
static const char *differing_row(const struct plan *p, const struct plan *best)
{
	for (size_t i = 0; i < p->nr; i++)
		if (!plan_has(best, p->rows[i]))
			return p->rows[i];
	return NULL;
}

static void add_near(struct draft *d, const struct study *s, const struct discovery *f,
		     unsigned most)
{
	static const struct part near = {
		.milestone = 1,
		.what = "an alternative that came close",
		.why = "in the workspace it was as fast up to noise, so the judge's clock decides",
		.wrong_when = "it is slower than the best so far",
		.no_metric = only_time,
	};
	for (size_t i = 0; i < f->nr_near && most; i++) {
		const char *value = differing_row(&f->near[i].plan, &f->best.plan);
		if (!value || plan_has(&s->start, value) || draft_find_value(d, value) ||
		    strv_has(&d->tried, value))
			continue;
		const struct decision row =
			decide(s, &near, value, f->best.ratio, f->near[i].ratio);
		add_decision(d, 1, &row);
		most--;
	}
}

enum { NEAR_AT_FIRST = 1 };

void compose_course(struct draft *d, const struct study *s, const struct discovery *f)
{
	add_plan(d, s, f);
	add_absent(d, s, f);
	add_near(d, s, f, NEAR_AT_FIRST);
}

/* Whether a value holds this row, alone or among others. */
static bool is_within(const char *value, const char *row)
{
	const char *at = value ? strstr(value, row) : NULL;
	const char *end = at ? at + strlen(row) : NULL;
	return at && (at == value || at[-2] == '|') && (!*end || end[1] == '|');
}

static bool is_known_row(const struct draft *d, const char *row)
{
	for (size_t m = 0; m < DRAFT_MILESTONES; m++)
		for (size_t i = 0; i < d->parts[m].nr; i++)
			if (is_within(d->parts[m].items[i].value, row))
				return true;
	for (size_t i = 0; i < d->tried.nr; i++)
		if (is_within(d->tried.items[i], row))
			return true;
	return false;
}

static bool is_known_run(const struct draft *d, const struct discovery *f, const struct run *r)
{
	for (size_t i = r->begin; i < r->end; i++)
		if (!is_known_row(d, f->changes.rows[i]))
			return false;
	return true;
}

void compose_more(struct draft *d, const struct study *s, const struct discovery *f, double before,
		  unsigned most)
{
	for (size_t i = 0; i < f->changes.nr && most;) {
		const struct run r = next_run(s, f, i);
		struct decision row = decide(s, r.part, r.value, before, f->steps[r.end - 1]);
		before = f->steps[r.end - 1];
		i = r.end;
		if (is_known_run(d, f, &r))
			continue;
		row.covers = NULL;
		add_decision(d, 1, &row);
		most--;
	}
	add_near(d, s, f, most);
}
