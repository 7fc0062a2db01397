#include "worker/twin.h"

/* What the times of a trial's twins say once all are there. */

#include <stdlib.h>

#include "base/mem.h"
#include "stats/summary.h"

enum { MIN_TWINS = 3, MIN_TWINS_OF_REPLICATE = 4, MANY_TWINS = 6 };

/* An honest kernel takes as long for the twin of an input as for the input; the rest is noise. */
static const double suspect_factor = 1.5;
static const double suspect_when_contended = 3;
/* That all of many twins but one were disturbed so much, and their rounds were not, is no accident.
 */
static const double suspect_many_when_contended = 2;

/* Below, a late wake-up would be measured. */
static const double min_window_ns = 20e3;

/* Every twin counts, the short ones as innocent: were they left out, those of a short kernel that
 * something held up would be all that is left. */
double twin_factor(double ns, double ns_in_round)
{
	const double factor = ns / ns_in_round;
	return ns < min_window_ns && factor > 1 ? 1 : factor;
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
};

/* Of a shape, in all replicates (ALL) or in one. */
enum { ALL };

static bool is_of(const struct twin *t, unsigned shape, unsigned series)
{
	return t->shape == shape && (series == ALL || t->series == series);
}

static struct excess usual_excess(const struct twins *x, unsigned shape, unsigned series)
{
	const size_t least = series == ALL ? MIN_TWINS : MIN_TWINS_OF_REPLICATE;
	AUTO_FREE double *values = xcalloc(x->nr + 1, sizeof(*values));
	size_t nr = 0;
	for (size_t i = 0; i < x->nr; i++)
		if (is_of(&x->items[i], shape, series))
			values[nr++] = x->items[i].candidate /
				       (x->items[i].reference > 1 ? x->items[i].reference : 1);
	return (struct excess){ .factor = nr >= least ? summary_quantile(values, nr, 1.0 / 8) : 1,
				.nr = nr };
}

static double limit_of(const struct result *r, const struct excess *of)
{
	if (!r->is_contended)
		return suspect_factor;
	return of->nr >= MANY_TWINS ? suspect_many_when_contended : suspect_when_contended;
}

static void accuse(const struct excess *of, unsigned shape, struct result *r)
{
	if (r->verdict.state != VERDICT_PASS || of->factor < limit_of(r, of))
		return;
	r->verdict = verdict_make(REASON_remembered,
				  "inputs that differ from earlier ones in their last bits took "
				  "%.1f times as long",
				  of->factor);
	snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", r->shapes[shape].name);
}

/* What a kernel keeps may be lost in some replicates, where it then works; so each is looked at by
 * itself, too. */
void twins_check(const struct twins *x, struct worker *w)
{
	struct result *r = &w->result;
	for (unsigned i = 0; i < r->nr_shapes; i++)
		for (unsigned series = ALL; series <= x->series; series++) {
			const struct excess of = usual_excess(x, i, series);
			accuse(&of, i, r);
		}
}
