#include "worker/twin.h"

/* What the times of a trial's twins say once all are there. */

#include <stdlib.h>

#include "base/mem.h"
#include "stats/summary.h"

enum { MIN_TWINS = 3, MIN_TWINS_OF_REPLICATE = 4, MANY_TWINS = 6, MIN_SUSPECTS = 2 };

/* An honest kernel takes as long for the twin of an input as for the input; the rest is noise. */
static const double suspect_factor = 1.5;
/* Where nearly all waited for a core. */
static const double suspect_when_contended = 3;
/* That all of many twins but one were disturbed so much, and their rounds were not, is no accident.
 */
static const double suspect_many_when_contended = 2;

/* Of a window; more of it spent waiting for a core says nothing about the kernel. */
static const double max_waited = 0.05;

/* Below, a late wake-up would be measured. */
static const double min_window_ns = 20e3;

/* Every twin counts, the short ones as innocent: were they left out, those of a short kernel that
 * something held up would be all that is left. */
double twin_factor(double ns, double ns_in_round)
{
	const double factor = ns / ns_in_round;
	return ns < min_window_ns && factor > 1 ? 1 : factor;
}

bool twin_waits(uint64_t wait_ns, double ns)
{
	return (double)wait_ns > max_waited * ns;
}

void twins_release(struct twins *x)
{
	free(x->items);
	*x = (struct twins){ 0 };
}

/* How much more a twin cost the candidate than it cost the reference, by the rule that a kernel
 * which remembers pays for every one of them, and what disturbs an honest one only ever adds time:
 * so seven of eight must have cost as much. */
struct excess {
	double factor; /* 1 for too few */
	size_t nr;     /* twins that were looked at */
	bool is_clean; /* none of them waited for a core, nor did their rounds */
};

/* Which twins: of a shape, in all replicates (ALL) or in one, from a pass on. */
enum { ALL };
struct pool {
	unsigned shape;
	unsigned series;
	unsigned from_pass;
};

/* Who works in the first passes and remembers in later ones gains by it only where all replicates
 * have later ones. */
static size_t nr_needed(const struct pool *p)
{
	if (p->from_pass)
		return MANY_TWINS;
	return p->series == ALL ? MIN_TWINS : MIN_TWINS_OF_REPLICATE;
}

static size_t collect(const struct twins *x, const struct pool *p, bool is_clean, double *candidate,
		      double *reference)
{
	size_t nr = 0;
	for (size_t i = 0; i < x->nr; i++) {
		const struct twin *t = &x->items[i];
		if (t->shape != p->shape || t->pass < p->from_pass ||
		    (p->series != ALL && t->series != p->series) || (is_clean && t->has_waited))
			continue;
		candidate[nr] = t->candidate;
		reference[nr++] = t->reference;
	}
	return nr;
}

/* One twin that disturbed the reference alone excuses nobody: its median counts. */
static struct excess excess_of(const struct twins *x, const struct pool *p, bool is_clean)
{
	AUTO_FREE double *candidate = xcalloc(x->nr + 1, sizeof(*candidate));
	AUTO_FREE double *reference = xcalloc(x->nr + 1, sizeof(*reference));
	struct excess of = { .factor = 1, .is_clean = is_clean };
	of.nr = collect(x, p, is_clean, candidate, reference);
	if (of.nr < nr_needed(p))
		return of;
	const double usual = summary_quantile(reference, of.nr, 0.5);
	of.factor = summary_quantile(candidate, of.nr, 1.0 / 8) / (usual > 1 ? usual : 1);
	return of;
}

/* By what waited for no core, if that is enough. */
static struct excess usual_excess(const struct twins *x, const struct pool *p)
{
	const struct excess clean = excess_of(x, p, true);
	return clean.nr >= nr_needed(p) ? clean : excess_of(x, p, false);
}

static double limit_of(const struct result *r, const struct excess *of)
{
	if (!r->is_contended || of->is_clean)
		return suspect_factor;
	return of->nr >= MANY_TWINS ? suspect_many_when_contended : suspect_when_contended;
}

static void accuse(const struct excess *of, unsigned shape, struct result *r)
{
	if (r->verdict.state != VERDICT_PASS)
		return;
	r->verdict = verdict_make(REASON_remembered,
				  "inputs that differ from earlier ones in their last bits took "
				  "%.1f times as long",
				  of->factor);
	snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", r->shapes[shape].name);
}

static bool is_suspect(const struct result *r, const struct excess *of)
{
	return of->factor >= limit_of(r, of);
}

/* Replicates in which the shape's twins cost more. */
static unsigned nr_suspect(const struct twins *x, const struct result *r, unsigned shape,
			   struct excess *last)
{
	unsigned nr = 0;
	for (unsigned series = 1; series <= x->series; series++) {
		const struct pool one = { shape, series, 0 };
		const struct excess of = usual_excess(x, &one);
		if (is_suspect(r, &of)) {
			*last = of;
			nr++;
		}
	}
	return nr;
}

static unsigned last_pass(const struct twins *x)
{
	unsigned last = 0;
	for (size_t i = 0; i < x->nr; i++)
		last = x->items[i].pass > last ? x->items[i].pass : last;
	return last;
}

/* From which pass on are all replicates together suspect? False: from none. */
static bool is_suspect_from(const struct twins *x, const struct result *r, unsigned shape,
			    struct excess *of)
{
	const unsigned last = last_pass(x);
	for (unsigned pass = 0; pass <= last; pass++) {
		const struct pool all = { shape, ALL, pass };
		*of = usual_excess(x, &all);
		if (is_suspect(r, of))
			return true;
	}
	return false;
}

/* What a kernel keeps may be lost in some replicates, where it then works; so each is looked at by
 * itself, too. One alone may be chance: a kernel that is slow now and then. */
void twins_check(const struct twins *x, struct worker *w)
{
	struct result *r = &w->result;
	unsigned nr = 0;
	for (unsigned i = 0; i < r->nr_shapes; i++) {
		struct excess of;
		const bool is_plain = is_suspect_from(x, r, i, &of);
		nr += nr_suspect(x, r, i, &of);
		if (nr >= MIN_SUSPECTS || is_plain)
			accuse(&of, i, r);
	}
}
