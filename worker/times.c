#include "worker/times.h"

#include <math.h>

#include "base/mem.h"
#include "stats/summary.h"

typedef double (*value_fn)(const struct sample *s);

/* Over the rounds that were kept; 0 when there are none. */
static double median_of(const struct result *r, unsigned shape, enum slot slot, value_fn value)
{
	AUTO_FREE double *values = xcalloc(r->nr_samples + 1, sizeof(*values));
	size_t nr = 0;
	for (size_t i = 0; i < r->nr_samples; i++) {
		const struct sample *s = &r->samples[i];
		if (s->shape == shape && s->slot == slot && !s->is_dropped)
			values[nr++] = value(s);
	}
	return nr ? summary_median(values, nr) : 0;
}

static double call_ns(const struct sample *s)
{
	return (double)s->ns / s->calls;
}

static double window_ns(const struct sample *s)
{
	return (double)s->ns;
}

static double gap_ns(const struct sample *s)
{
	return (double)s->ns - (double)s->inner_ns;
}

static double cpu_ns(const struct sample *s)
{
	return (double)s->cpu_ns;
}

double times_cpu_ns(const struct result *r, unsigned shape, enum slot slot)
{
	return median_of(r, shape, slot, cpu_ns);
}

double times_call_ns(const struct result *r, unsigned shape, enum slot slot)
{
	return median_of(r, shape, slot, call_ns);
}

double times_window_ns(const struct result *r, unsigned shape, enum slot slot)
{
	return median_of(r, shape, slot, window_ns);
}

double times_gap_ns(const struct result *r, unsigned shape, enum slot slot)
{
	return median_of(r, shape, slot, gap_ns);
}

double times_cores_used(const struct result *r, enum slot slot)
{
	double cpu = 0;
	double ns = 0;
	for (size_t i = 0; i < r->nr_samples; i++) {
		if (r->samples[i].slot != slot || r->samples[i].is_dropped)
			continue;
		cpu += (double)r->samples[i].cpu_ns;
		ns += (double)r->samples[i].ns;
	}
	return ns > 0 ? cpu / ns : 0;
}

double times_geomean_ns(const struct result *r, enum slot slot)
{
	double sum = 0;
	for (unsigned i = 0; i < r->nr_shapes; i++) {
		double ns = times_call_ns(r, i, slot);
		if (!(ns > 0))
			return 0;
		sum += log(ns);
	}
	return r->nr_shapes ? exp(sum / (double)r->nr_shapes) : 0;
}
