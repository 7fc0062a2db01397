#include "worker/floor.h"

/*
 * Deliberately blunt. The ceiling is what this machine read in this job, and on a shared machine
 * that can be far too low for a while; so the limit is three times the ceiling, small operands are
 * left out, and the ceiling is measured again before anything is called a fraud. While other work
 * holds the memory, even that is no evidence (one honest call was seen at 3.8 times a ceiling
 * measured under load): a contended job accuses only what no load explains.
 */

#include "base/clock.h"
#include "sys/cpu.h"
#include "worker/times.h"

static const double absurd_factor = 3;
static const double absurd_when_contended = 30;
static const double min_bytes = 1 << 20;
#define FIRST_LOOK_NS (60 * NS_PER_MS)
#define SECOND_LOOK_NS (500 * NS_PER_MS)

static double memory_ns(const struct worker *w, const struct result_shape *s)
{
	double rate = w->roofline.read_bytes_per_s * w->task.threads;
	return rate > 0 ? s->bytes / rate * 1e9 : 0;
}

static double flops_ns(const struct worker *w, const struct result_shape *s)
{
	double rate = w->roofline.f32_flops_per_s * w->task.threads;
	return rate > 0 ? s->flops / rate * 1e9 : 0;
}

double floor_roofline_share(const struct worker *w, const struct result_shape *s, double call_ns)
{
	double memory = memory_ns(w, s);
	double flops = flops_ns(w, s);
	double ideal = memory > flops ? memory : flops;
	return call_ns > 0 ? ideal / call_ns : 0;
}

/* Index of the first shape that is absurdly fast, or nr_shapes. */
static unsigned first_absurd(const struct worker *w)
{
	const struct result *res = &w->result;
	double factor = res->is_contended ? absurd_when_contended : absurd_factor;
	for (unsigned i = 0; i < res->nr_shapes; i++) {
		double ns = times_call_ns(res, i, SLOT_CANDIDATE);
		if (res->shapes[i].bytes >= min_bytes && ns > 0 &&
		    ns * factor < memory_ns(w, &res->shapes[i]))
			return i;
	}
	return (unsigned)res->nr_shapes;
}

void floor_check(struct worker *w)
{
	struct result *res = &w->result;
	roofline_measure(&w->roofline, FIRST_LOOK_NS);
	if (!w->job.is_cold || !cpu_can_flush() || res->verdict.state != VERDICT_PASS)
		return;
	if (first_absurd(w) == res->nr_shapes)
		return;
	roofline_measure(&w->roofline, SECOND_LOOK_NS);
	unsigned shape = first_absurd(w);
	if (shape == res->nr_shapes)
		return;
	res->verdict = verdict_make(REASON_below_floor,
				    "%.0f ns a call, but its %.0f bytes take %.0f ns from memory",
				    times_call_ns(res, shape, SLOT_CANDIDATE),
				    res->shapes[shape].bytes, memory_ns(w, &res->shapes[shape]));
	snprintf(res->verdict.shape, sizeof(res->verdict.shape), "%s", res->shapes[shape].name);
}
