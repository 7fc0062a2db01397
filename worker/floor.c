#include "worker/floor.h"

/*
 * Deliberately blunt. The ceiling is what this machine read or computed in this job, and on a
 * shared machine that can be far too low for a while; so the limits are several times the ceiling,
 * small work is left out, and the ceiling is measured again before anything is called a fraud.
 * While other work holds the machine, even that is no evidence (one honest call was seen at 3.8
 * times a ceiling measured under load): a contended job accuses only what no load explains.
 */

#include "base/clock.h"
#include "sys/cpu.h"
#include "worker/times.h"

static const double absurd_bytes_factor = 3;
/* A task states what its reference computes; an algorithm may need a quarter of that (products of
 * small tiles by fewer multiplications), and the ceiling may be half of the truth. */
static const double absurd_flops_factor = 8;
static const double contended_factor = 10;
static const double min_bytes = 1 << 20;
/* 0.1 ms or more: below, the bell would be measured. */
static const double min_flops = 16e6;
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

struct roofline_place floor_place(const struct worker *w, const struct result_shape *s,
				  double call_ns)
{
	const struct roofline *r = &w->roofline;
	const double threads = w->task.threads;
	return ceilings_place(r->read_bytes_per_s * threads, r->f32_flops_per_s * threads, s->bytes,
			      s->flops, call_ns);
}

/* How many numbers of the narrowest tensor go where one of 32 bits does. */
static double narrow_lanes(const struct worker *w)
{
	size_t least = sizeof(float);
	for (size_t i = 0; i < w->task.nr_args; i++) {
		const struct arg *a = &w->task.args[i];
		if (a->role != ARG_SCALAR && dtype_bytes(a->dtype) < least)
			least = dtype_bytes(a->dtype);
	}
	return (double)sizeof(float) / (double)least;
}

/* What a call of a shape takes by one of the ceilings, and how much less is absurd. */
struct bound {
	double ns; /* 0: this ceiling says nothing here */
	double factor;
	double amount;
	const char *what;
};

/* Of cold operands: warm ones come from a cache. */
static struct bound bytes_bound(const struct worker *w, const struct result_shape *s)
{
	const bool is_bound = w->job.is_cold && cpu_can_flush() && s->bytes >= min_bytes;
	return (struct bound){ .ns = is_bound ? memory_ns(w, s) : 0,
			       .factor = absurd_bytes_factor,
			       .amount = s->bytes,
			       .what = "bytes" };
}

static struct bound flops_bound(const struct worker *w, const struct result_shape *s)
{
	return (struct bound){ .ns = s->flops >= min_flops ? flops_ns(w, s) : 0,
			       .factor = absurd_flops_factor * narrow_lanes(w),
			       .amount = s->flops,
			       .what = "flops" };
}

static bool is_absurd(const struct worker *w, const struct bound *b, double call_ns)
{
	double factor = b->factor * (w->result.is_contended ? contended_factor : 1);
	return call_ns > 0 && call_ns * factor < b->ns;
}

/* Index of the first shape that is absurdly fast and the ceiling that says so, or nr_shapes. */
static unsigned first_absurd(const struct worker *w, struct bound *why)
{
	const struct result *res = &w->result;
	for (unsigned i = 0; i < res->nr_shapes; i++) {
		const double call_ns = times_call_ns(res, i, SLOT_CANDIDATE);
		*why = bytes_bound(w, &res->shapes[i]);
		if (is_absurd(w, why, call_ns))
			return i;
		*why = flops_bound(w, &res->shapes[i]);
		if (is_absurd(w, why, call_ns))
			return i;
	}
	return (unsigned)res->nr_shapes;
}

void floor_check(struct worker *w)
{
	struct result *res = &w->result;
	struct bound why;
	roofline_measure(&w->roofline, FIRST_LOOK_NS);
	if (res->verdict.state != VERDICT_PASS || first_absurd(w, &why) == res->nr_shapes)
		return;
	roofline_measure(&w->roofline, SECOND_LOOK_NS);
	unsigned shape = first_absurd(w, &why);
	if (shape == res->nr_shapes)
		return;
	res->verdict = verdict_make(
		REASON_below_floor, "%.0f ns a call, but its %.0f %s take %.0f ns on this machine",
		times_call_ns(res, shape, SLOT_CANDIDATE), why.amount, why.what, why.ns);
	snprintf(res->verdict.shape, sizeof(res->verdict.shape), "%s", res->shapes[shape].name);
}
