#include "worker/gpu_show.h"

/* Time here is the device's, warm, and only chooses how long samples are. */

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "worker/correct.h"
#include "worker/gpu_bench.h"
#include "worker/outcome.h"
#include "worker/pages.h"

struct showing {
	struct worker *w;
	struct shape_cases *s;
	struct gpu_side_spec side;
	struct gpu_recorded recorded;
	bool is_holding; /* the device */
};

static uint64_t mean_call_ns(const struct shape_cases *s, enum party party)
{
	uint64_t sum = 0;
	uint64_t nr = 0;
	for (size_t i = 0; i < s->nr; i++) {
		sum += s->contents[i].call_ns[party];
		nr += s->contents[i].call_ns[party] > 0;
	}
	return nr ? sum / nr : 0;
}

static void note_time(struct showing *h, size_t at, double event_ns)
{
	uint64_t *best = &h->s->contents[at].call_ns[h->side.party];
	const uint64_t ns = event_ns > 1 ? (uint64_t)event_ns : 1;
	if (*best == 0 || ns < *best)
		*best = ns;
	h->s->call_ns[h->side.party] = mean_call_ns(h->s, h->side.party);
	spent_move(&h->w->spent, &h->w->spent.kernel_ns, ns);
}

/* Memory of one set for each call, so that both see other addresses. */
static int lay_out(struct showing *h, struct verdict *v, struct err *e)
{
	bool has_contents = false;
	const struct gpu_shape_spec shape = { .fp = &h->s->fp,
					      .sets = SHOW_CALLS,
					      .contents = 1,
					      .seed = rng_derive(h->w->job.seed,
								 h->s->shape->name) };
	if (gpu_shape_put(h->w, h->side.device, &shape, &has_contents, e) < 0)
		return -1;
	int outcome = gpu_side_record(h->w, &h->side, &h->recorded, v, e);
	for (unsigned set = 0; outcome == OUTCOME_DONE && set < SHOW_CALLS; set++) {
		const struct gpu_binding b = { &h->recorded, set, 1 };
		outcome = gpu_side_bind(h->w, &h->side, &b, v, e);
	}
	return outcome;
}

static int freeze(struct showing *h, unsigned set, struct answer *a, struct err *e)
{
	const struct footprint *fp = &h->s->fp;
	if (!a->got)
		a->got = xcalloc(fp->nr, sizeof(*a->got));
	for (size_t i = 0; i < fp->nr; i++) {
		if (!fp->items[i].is_output)
			continue;
		if (!a->got[i])
			a->got[i] = pages_new(fp->items[i].bytes);
		if (gpu_operand_read(h->w, &h->side, set, i, a->got[i], e) < 0)
			return -1;
	}
	return gpu_stray_write(h->w, h->side.device, fp, &a->stray_write, e);
}

/* What a sample came back with beside its time. */
static int look(const struct showing *h, struct verdict *v, struct err *e)
{
	double late = 0;
	double input = 0;
	if (gpu_device_number(h->side.device, "late", &late, e) < 0 ||
	    gpu_device_number(h->side.device, "inputs", &input, e) < 0)
		return -1;
	if (late > 0)
		*v = verdict_make(REASON_late_write, "an output changed after the last kernel");
	else if (input >= 0 && input < (double)h->s->fp.nr)
		*v = verdict_make(REASON_input_modified, "argument %s is read-only",
				  h->s->fp.items[(size_t)input].arg->name);
	return v->state == VERDICT_NONE ? OUTCOME_DONE : OUTCOME_VERDICT;
}

static int call_once(struct showing *h, size_t at, unsigned set, uint64_t salt, struct verdict *v,
		     struct err *e)
{
	double ns = 0;
	const uint64_t deadline_ms = h->side.call_deadline_ns / NS_PER_MS;
	int outcome = gpu_device_ask(
		h->side.device, h->w, v, e,
		"sample slot=%s first=%u contents=0 poison=%llx key=%llx cold=0 deadline_ms=%llu "
		"inputs=1",
		h->side.slot, set, (unsigned long long)gpu_poison(salt),
		(unsigned long long)correct_fingerprint_key(h->w),
		(unsigned long long)(deadline_ms ? deadline_ms : 1));
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (gpu_device_number(h->side.device, "event_ns", &ns, e) < 0)
		return -1;
	note_time(h, at, ns);
	return look(h, v, e);
}

static int show_answer(struct showing *h, size_t at, unsigned nr, struct shown *shown,
		       struct err *e)
{
	const struct content *c = &h->s->contents[at];
	AUTO_FREE char *purpose =
		xasprintf("poison/%s/%s/%u", h->s->shape->name, c->group->name, nr);
	const uint64_t salt = rng_derive(h->w->job.seed, purpose);
	int outcome = call_once(h, at, nr, salt, &shown->ended, e);
	if (outcome != OUTCOME_DONE)
		return outcome;
	shown->answers[nr].poison_salt = salt;
	return freeze(h, nr, &shown->answers[nr], e) < 0 ? -1 : OUTCOME_DONE;
}

static int show_case(struct showing *h, size_t at, struct shown *shown, struct err *e)
{
	int outcome = OUTCOME_DONE;
	shown->was_called = true;
	if (gpu_content_put(h->w, h->side.device, &h->s->contents[at], 0, e) < 0)
		return -1;
	for (unsigned nr = 0; outcome == OUTCOME_DONE && nr < SHOW_CALLS; nr++)
		outcome = show_answer(h, at, nr, shown, e);
	if (outcome == OUTCOME_DONE)
		shown_compare(shown, &h->s->fp);
	return outcome;
}

static int open_showing(struct showing *h, struct verdict *v, struct err *e)
{
	h->side.device = gpu_bench_alone(h->w, h->side.party, e);
	if (!h->side.device || gpu_bench_hold(h->w, e) < 0)
		return -1;
	h->is_holding = true;
	return lay_out(h, v, e);
}

static void close_showing(struct showing *h)
{
	gpu_recorded_release(&h->recorded);
	if (h->is_holding)
		gpu_bench_let_go(h->w);
}

static struct showing showing_of(struct worker *w, struct shape_cases *s, enum party party,
				 uint64_t call_deadline_ns)
{
	return (struct showing){ .w = w,
				 .s = s,
				 .side = { .party = party,
					   .slot = party_name(party),
					   .fp = &s->fp,
					   .call_deadline_ns = call_deadline_ns } };
}

int gpu_show_shape(struct worker *w, struct shape_cases *s, enum party party,
		   uint64_t call_deadline_ns, struct shown *shown, struct err *e)
{
	struct showing h = showing_of(w, s, party, call_deadline_ns);
	shown[0].was_called = true;
	int outcome = open_showing(&h, &shown[0].ended, e);
	for (size_t i = 0; outcome == OUTCOME_DONE && i < s->nr; i++)
		outcome = show_case(&h, i, &shown[i], e);
	close_showing(&h);
	return outcome < 0 ? -1 : 0;
}

int gpu_show_time(struct worker *w, struct shape_cases *s, struct err *e)
{
	struct showing h = showing_of(w, s, PARTY_REFERENCE, worker_left_ns(w));
	struct verdict v = { 0 };
	int outcome = open_showing(&h, &v, e);
	for (size_t i = 0; outcome == OUTCOME_DONE && i < s->nr; i++) {
		if (gpu_content_put(w, h.side.device, &s->contents[i], 0, e) < 0)
			outcome = -1;
		for (unsigned nr = 0; outcome == OUTCOME_DONE && nr < SHOW_CALLS; nr++)
			outcome = call_once(&h, i, nr, w->job.seed, &v, e);
	}
	close_showing(&h);
	if (outcome == OUTCOME_VERDICT)
		return err_set(e, ERR_INPUT, "the reference fails on shape %s: %s: %s",
			       s->shape->name, reason_name(v.reason), v.detail);
	return outcome < 0 ? -1 : 0;
}
