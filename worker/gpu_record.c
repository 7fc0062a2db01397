#include "worker/gpu_trial_in.h"

/*
 * Numbers that can not be honest, and what a result says of how it was measured. The clocks: the
 * device's events count; the host's clock saw the same window from the release of the stream to the
 * end event, and must not have seen much less; nothing may have gone on behind the end event.
 */

#include <math.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "stats/summary.h"
#include "sys/gpu.h"
#include "sys/nvml.h"
#include "worker/effects.h"
#include "worker/gpu_floor.h"
#include "worker/times.h"

/* Of the window, and at least what a notice by the host takes on a busy machine. */
static const double min_gap_share = 0.10;
#define MIN_GAP_NS (50 * (double)NS_PER_US)

static double wait_ns(const struct result *r, unsigned shape, enum slot slot)
{
	AUTO_FREE double *values = xcalloc(r->nr_samples + 1, sizeof(*values));
	size_t nr = 0;
	for (size_t i = 0; i < r->nr_samples; i++)
		if (r->samples[i].shape == shape && r->samples[i].slot == slot)
			values[nr++] = (double)r->samples[i].wait_ns;
	return nr ? summary_median(values, nr) : 0;
}

/* Beyond what the reference's samples show of the machine. */
static bool exceeds(double candidate_ns, double reference_ns, double window_ns)
{
	return candidate_ns - fmax(reference_ns, 0) > fmax(MIN_GAP_NS, min_gap_share * window_ns);
}

/* What was seen for so many nanoseconds; NULL: all is well. */
static const char *disagreement(const struct result *r, unsigned i, double *ns)
{
	const double window_ns = times_window_ns(r, i, SLOT_CANDIDATE);
	/* The host's clock less the device's. */
	const double gap_ns = -times_gap_ns(r, i, SLOT_CANDIDATE);
	*ns = gap_ns;
	if (exceeds(gap_ns, -times_gap_ns(r, i, SLOT_REFERENCE), window_ns))
		return "more than the device's clock saw by the host's";
	*ns = -gap_ns;
	if (exceeds(-gap_ns, 0, window_ns))
		return "less than the device's clock saw by the host's";
	*ns = wait_ns(r, i, SLOT_CANDIDATE);
	if (exceeds(*ns, wait_ns(r, i, SLOT_REFERENCE), window_ns))
		return "of work after the last kernel";
	return NULL;
}

static void check_clocks(struct worker *w)
{
	struct result *r = &w->result;
	for (unsigned i = 0; r->verdict.state == VERDICT_PASS && i < r->nr_shapes; i++) {
		double ns = 0;
		const char *what = disagreement(r, i, &ns);
		if (!what)
			continue;
		r->verdict = verdict_make(REASON_clock_disagrees, "%.0f us %s", ns / 1e3, what);
		snprintf(r->verdict.shape, sizeof(r->verdict.shape), "%s", r->shapes[i].name);
	}
}

void gpu_trial_check(struct gpu_trial *t)
{
	check_clocks(t->w);
	if (t->w->result.verdict.state == VERDICT_PASS)
		twins_check(&t->twins, t->w);
	gpu_floor_check(t->w, &t->rates, t->device->l2_bytes);
}

/* Of the samples: graphs that are replayed; in two contexts that take turns; or host code launched
 * inside of a window, on one side at least. */
static const char *method_of(const struct gpu_trial *t)
{
	if (t->is_direct[PARTY_REFERENCE] || t->is_direct[PARTY_CANDIDATE])
		return t->apart ? "direct-turns" : "direct";
	return t->apart ? "graph-turns" : "graph";
}

static json_t *parties_to_json(const bool is_meant[GPU_PARTIES])
{
	json_t *list = json_array();
	for (unsigned p = 0; p < GPU_PARTIES; p++)
		if (is_meant[p])
			json_array_append_new(list, json_string(party_name((enum party)p)));
	return list;
}

static json_t *plan_to_json(const struct gpu_trial *t, size_t i)
{
	const struct gpu_plan *p = &t->plans[i];
	const struct effects effects = effects_of(&t->w->result, (unsigned)i);
	json_t *obj = json_pack(
		"{s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:o,s:s,s:i,s:i}", "shape", p->s->shape->name,
		"calls", (int)p->nr_calls, "rounds", (int)p->nr_rounds, "parts", 1, "warmup_rounds",
		2, "sets", (int)(p->nr_calls * p->nr_windows), "contents", (int)p->nr_contents,
		"effects", effects_to_json(&effects), "method", method_of(t), "reference_nodes",
		(int)p->recorded[0].nr_nodes, "candidate_nodes", (int)p->recorded[1].nr_nodes);
	if (t->history.is_there)
		json_object_set_new(obj, "noise_floor",
				    json_number(history_floor(&t->history, p->s->fp.tensor_bytes,
							      t->w->task.threads)));
	return obj;
}

static json_t *clocks_to_json(const struct gpu_clocks *c)
{
	return json_pack("{s:f,s:f,s:f,s:I,s:i}", "sm_mhz_low", c->sm_mhz_low, "sm_mhz_high",
			 c->sm_mhz_high, "temperature", c->temperature_high, "throttle_reasons",
			 (json_int_t)c->throttle, "looks", (int)c->nr);
}

/* Attributes by the driver's numbers. */
enum { ATTR_NR_SM = 16, ATTR_BUS = 33, ATTR_PLACE = 34, ATTR_DOMAIN = 50, ATTR_MAJOR = 75 };

/* Members that the driver does not tell are left out. */
static void add_target(json_t *gpu, const struct gpu_device *d)
{
	char arch[16];
	const struct gpu g = { .major = d->attributes[ATTR_MAJOR],
			       .minor = d->attributes[ATTR_MAJOR + 1] };
	if (g.major > 0 && g.minor >= 0) {
		gpu_arch(&g, arch);
		json_object_set_new(gpu, "arch", json_string(arch));
	}
	if (d->attributes[ATTR_NR_SM] > 0)
		json_object_set_new(gpu, "multiprocessors",
				    json_integer(d->attributes[ATTR_NR_SM]));
}

/* The version of the driver itself is known to its management library alone. */
static void add_driver(json_t *gpu, const struct gpu_device *d)
{
	struct nvml_state state;
	struct err ignored = { 0 };
	const int32_t *at = d->attributes;
	AUTO_FREE char *bus = xasprintf("%04x:%02x:%02x.0", (unsigned)at[ATTR_DOMAIN],
					(unsigned)at[ATTR_BUS], (unsigned)at[ATTR_PLACE]);
	nvml_probe(&state, at[ATTR_BUS] < 0 ? "" : bus, NULL, &ignored);
	if (*state.driver)
		json_object_set_new(gpu, "driver_version", json_string(state.driver));
	if (state.sm_max_mhz)
		json_object_set_new(gpu, "sm_max_mhz", json_integer(state.sm_max_mhz));
}

static void record_device(const struct gpu_trial *t)
{
	const struct gpu_device *d = t->device;
	json_t *gpu =
		json_pack("{s:s,s:i,s:I,s:I,s:f}", "name", d->name, "driver", d->driver, "l2_bytes",
			  (json_int_t)d->l2_bytes, "memory_bytes", (json_int_t)d->memory_bytes,
			  "copy_bytes_per_s", t->rates.bytes_per_s);
	add_target(gpu, d);
	add_driver(gpu, d);
	worker_record(t->w, "gpu", gpu);
}

void gpu_trial_record(struct gpu_trial *t)
{
	struct worker *w = t->w;
	json_t *shapes = json_array();
	json_t *nulls = json_array();
	for (size_t i = 0; i < t->nr_plans; i++)
		json_array_append_new(shapes, plan_to_json(t, i));
	for (unsigned k = 0; k < w->job.replicates; k++)
		json_array_append_new(nulls, json_integer((json_int_t)t->null_ns[k]));
	const double disturbed =
		t->clocks.nr_rounds ? (double)t->clocks.nr_disturbed / t->clocks.nr_rounds : 0;
	json_t *timing = json_pack(
		"{s:o,s:o,s:[],s:I,s:b,s:s,s:s,s:i,s:s,s:o,s:f}", "shapes", shapes, "null_ns",
		nulls, "alone", "other_bits", (json_int_t)t->nr_other_bits, "cold", w->job.is_cold,
		"wait", "event", "priority", "ordinary", "kernel_cpu", -1, "method", method_of(t),
		"clocks", clocks_to_json(&t->clocks), "disturbed_share", disturbed);
	json_object_set_new(timing, "direct", parties_to_json(t->is_direct));
	json_object_set_new(timing, "unheld", parties_to_json(t->is_unheld));
	worker_record(w, "timing", timing);
	if (t->device)
		record_device(t);
}
