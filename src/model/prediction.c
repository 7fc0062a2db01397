#include "model/prediction.h"

/* A size is told in one of three ways, because teachers think in all of them: a factor ("twice as
 * wide"), a percentage ("half the spills") or a target ("256 bits"). */

#include <math.h>

#include "base/str.h"
#include "model/curriculum.h"

/* A metric that should stay the same may move by this much: timing metrics never repeat exactly. */
#define SAME_TOLERANCE 0.02

static bool is_direction(const struct mechanism *m, const char *name)
{
	return str_equal(m->direction, name);
}

bool prediction_is_direction(const char *name)
{
	return str_equal(name, "up") || str_equal(name, "down") || str_equal(name, "same");
}

int prediction_nr_sizes(const struct mechanism *m)
{
	return (m->at_least != 0) + (m->by_pct != 0) + m->has_to;
}

/* The factor between the two values that the size asks for; 1: any. */
static double factor_of(const struct mechanism *m)
{
	if (m->by_pct > 0)
		return is_direction(m, "up") ? 1 + m->by_pct / 100 : 1 - m->by_pct / 100;
	double factor = m->at_least > 1 ? m->at_least : 1;
	return is_direction(m, "up") ? factor : 1 / factor;
}

bool prediction_has_moved(const struct mechanism *m, double before, double after)
{
	bool is_up = is_direction(m, "up");
	double factor = factor_of(m);
	if (is_direction(m, "same"))
		return fabs(after - before) <= SAME_TOLERANCE * fabs(before);
	if (m->has_to)
		return is_up ? after >= m->to : after <= m->to;
	if (factor == 1)
		return is_up ? after > before : after < before;
	return is_up ? after >= before * factor && after > before
		     : after <= before * factor && after < before;
}

void prediction_print(const struct mechanism *m, struct str *out)
{
	str_addf(out, "%s %s", m->metric, m->direction);
	if (m->has_to)
		str_addf(out, " to %g", m->to);
	else if (m->by_pct > 0)
		str_addf(out, " by %g %%", m->by_pct);
	else if (m->at_least > 1)
		str_addf(out, " by a factor of %g", m->at_least);
}
