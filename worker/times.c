#include "worker/times.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

static int order_double(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

double times_call_ns(const struct result *r, unsigned shape, enum slot slot)
{
	AUTO_FREE double *ns = xcalloc(r->nr_samples + 1, sizeof(*ns));
	size_t nr = 0;
	for (size_t i = 0; i < r->nr_samples; i++) {
		const struct sample *s = &r->samples[i];
		if (s->shape == shape && s->slot == slot && !s->is_dropped)
			ns[nr++] = (double)s->ns / s->calls;
	}
	qsort(ns, nr, sizeof(*ns), order_double);
	return nr ? (ns[(nr - 1) / 2] + ns[nr / 2]) / 2 : 0;
}

double times_cores_used(const struct result *r, enum slot slot)
{
	double cpu_ns = 0;
	double ns = 0;
	for (size_t i = 0; i < r->nr_samples; i++) {
		if (r->samples[i].slot != slot || r->samples[i].is_dropped)
			continue;
		cpu_ns += (double)r->samples[i].cpu_ns;
		ns += (double)r->samples[i].ns;
	}
	return ns > 0 ? cpu_ns / ns : 0;
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
