#include "worker/profile.h"

/*
 * Counters are read around a few batches on the largest shape, on live sides, after the last timed
 * round: they cost the trial nothing. A runner sleeps outside its calls, so what its process counts
 * is the calls and a short spin before each batch.
 */

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "sys/perf.h"
#include "worker/floor.h"
#include "worker/times.h"

enum { COUNTED_SAMPLES = 4 };

void profile_set(struct worker *w, enum party p, const char *metric, double value)
{
	json_t *profile = json_object_get(w->result.doc, "profile");
	if (!profile) {
		profile = json_object();
		json_object_set_new(w->result.doc, "profile", profile);
	}
	json_t *side = json_object_get(profile, party_name(p));
	if (!side) {
		side = json_object();
		json_object_set_new(profile, party_name(p), side);
	}
	json_object_set_new(side, metric, json_number(value));
}

void profile_set_place(struct worker *w, enum party p, struct roofline_place place)
{
	profile_set(w, p, "roofline_pct", 100 * place.share);
	if (place.intensity > 0 && place.ridge > 0) {
		profile_set(w, p, "flops_per_byte", place.intensity);
		profile_set(w, p, "ridge_flops_per_byte", place.ridge);
	}
}

static void set_counters(struct worker *w, enum party p, const struct perf_counts *c, double calls)
{
	for (unsigned i = 0; i < PERF_NR_EVENTS; i++)
		if (c->has[i])
			profile_set(w, p, perf_event_name((enum perf_event)i), c->value[i] / calls);
	if (c->has[PERF_cycles] && c->has[PERF_instructions] && c->value[PERF_cycles] > 0)
		profile_set(w, p, "instructions_per_cycle",
			    c->value[PERF_instructions] / c->value[PERF_cycles]);
}

static int count_samples(struct bench *b, const struct plan *p, enum slot slot)
{
	struct err ignored = { 0 };
	int outcome = OUTCOME_DONE;
	for (unsigned i = 0; outcome == OUTCOME_DONE && i < COUNTED_SAMPLES; i++) {
		struct turn turn = { .plan = p, .round = i, .slot = slot };
		rotation_args(p, i, b->args);
		outcome = slot_run(b, &turn, &ignored);
	}
	return outcome;
}

static void count_side(struct bench *b, const struct plan *p, enum slot slot)
{
	AUTO_PERF struct perf perf;
	struct perf_counts from;
	struct perf_counts to;
	perf_open(&perf, side_pid(b->sides[slot]));
	perf_read(&perf, &from);
	if (count_samples(b, p, slot) != OUTCOME_DONE)
		return;
	perf_read(&perf, &to);
	struct perf_counts delta = perf_delta(&from, &to);
	set_counters(b->w, slot_party(slot), &delta, (double)COUNTED_SAMPLES * p->nr_calls);
}

void profile_count(struct bench *b, const struct plan *p)
{
	count_side(b, p, SLOT_REFERENCE);
	count_side(b, p, SLOT_CANDIDATE);
}

void profile_set_facts(struct worker *w, enum party p)
{
	const char *name = NULL;
	json_t *value = NULL;
	json_t *facts = w->builds[p].facts;
	json_object_foreach(facts, name, value)
	{
		if (json_is_number(value))
			profile_set(w, p, name, json_number_value(value));
	}
}

unsigned profile_largest_shape(const struct result *r)
{
	unsigned best = 0;
	for (unsigned i = 1; i < r->nr_shapes; i++)
		if (r->shapes[i].bytes > r->shapes[best].bytes)
			best = i;
	return best;
}

static void set_times(struct worker *w, enum party p, enum slot slot)
{
	const struct result *res = &w->result;
	if (res->nr_samples == 0)
		return;
	const struct result_shape *shape = &res->shapes[profile_largest_shape(res)];
	double ns = times_call_ns(res, profile_largest_shape(res), slot);
	profile_set(w, p, "call_ns", times_geomean_ns(res, slot));
	profile_set(w, p, "cores_used", times_cores_used(res, slot));
	if (ns <= 0)
		return;
	profile_set(w, p, "largest_call_ns", ns);
	profile_set(w, p, "gbytes_per_s", shape->bytes / ns);
	profile_set(w, p, "gflops_per_s", shape->flops / ns);
	profile_set_place(w, p, floor_place(w, shape, ns));
}

void profile_finish(struct worker *w)
{
	static const struct {
		enum party party;
		enum slot slot;
	} rows[] = { { PARTY_REFERENCE, SLOT_REFERENCE }, { PARTY_CANDIDATE, SLOT_CANDIDATE } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		profile_set_facts(w, rows[i].party);
		set_times(w, rows[i].party, rows[i].slot);
	}
}
