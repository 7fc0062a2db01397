#include "worker/passes.h"

#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "model/result.h"
#include "stats/summary.h"
#include "worker/worker.h"

/* Eight replicates with this standard error have a floor of about 1.4 % (their largest), and lie
 * within as much of their effect: 5 % is seen. */
static const double max_scatter = 0.006;
enum { MOST_PASSES = 6 };
/* Of a replicate and shape: fifteen rounds of 10 ms six times, with what belongs to them. */
#define MOST_NS (8 * NS_PER_S)

/* One call of each side told the two; sides this far apart are told apart by any median. */
static const double close_ratio = 2;

/* Of a normal distribution: its standard deviation over the median absolute deviation, and how much
 * more its median scatters than its mean. */
static const double sd_of_mad = 1.4826;
static const double median_loss = 1.2533;

unsigned passes_most(const struct worker *w, const struct plan *p)
{
	const double a = (double)p->s->call_ns[PARTY_REFERENCE];
	const double b = (double)p->s->call_ns[PARTY_CANDIDATE];
	const bool is_close = fmax(a, b) <= close_ratio * fmin(a, b);
	return is_close && w->job.replicates > SCREEN_REPLICATES ? MOST_PASSES : 1;
}

static double time_of(const struct sample *round, enum slot slot)
{
	for (unsigned i = 0; i < SLOT_NR; i++)
		if (round[i].slot == slot)
			return (double)round[i].ns;
	return NAN;
}

double passes_scatter(const struct sample *samples, size_t nr)
{
	AUTO_FREE double *x = xcalloc(nr + 1, sizeof(*x));
	size_t n = 0;
	for (size_t i = 0; i + SLOT_NR <= nr; i += SLOT_NR)
		x[n++] = log(time_of(samples + i, SLOT_REFERENCE) /
			     time_of(samples + i, SLOT_REFERENCE_AGAIN));
	return median_loss * sd_of_mad * summary_mad(x, n) / sqrt((double)n);
}

bool passes_go_on(const struct worker *w, const struct plan *p, unsigned done,
		  const struct sample *samples, size_t nr)
{
	return done < passes_most(w, p) && passes_scatter(samples, nr) > max_scatter;
}

/* Half of what is left may go into it, in all replicates to come. */
bool passes_have_time(const struct worker *w, unsigned replicate, unsigned done, uint64_t taken_ns)
{
	const uint64_t next_ns = taken_ns / done;
	const uint64_t replicates_left = w->job.replicates - replicate;
	return taken_ns + next_ns <= MOST_NS && 2 * replicates_left * next_ns < worker_left_ns(w);
}
