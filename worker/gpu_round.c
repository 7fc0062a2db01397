#include "worker/gpu_trial_in.h"

/*
 * The outputs that are compared are those that were timed, all of them: a fingerprint is taken of
 * every output of every timed call, and bits that were not judged before are read and judged. The
 * reference's outputs are not looked at, but lie where the candidate's will: they are overwritten
 * by poison before it is its turn.
 */

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "worker/correct.h"
#include "worker/gpu_twin.h"
#include "worker/outcome.h"
#include "worker/pages.h"
#include "worker/slot.h"

/* Reasons of the driver's list that are no choice of who runs the machine: HW slowdown, thermal
 * limits of software and hardware, power brake. */
static const uint64_t protective_reasons = 0x8 | 0x20 | 0x40 | 0x80;

static struct gpu_side_spec side_of(const struct gpu_trial *t, const struct gpu_turn *turn)
{
	return (struct gpu_side_spec){ .party = slot_party(turn->slot),
				       .device = gpu_trial_device(t, turn->slot),
				       .slot = slot_name(turn->slot),
				       .fp = &turn->plan->s->fp };
}

static void name_case(struct verdict *v, const struct content *c)
{
	snprintf(v->shape, sizeof(v->shape), "%s", c->fp->shape->name);
	snprintf(v->group, sizeof(v->group), "%s", c->group->name);
}

int gpu_turn_read(struct gpu_trial *t, const struct gpu_turn *turn, unsigned call,
		  unsigned char **got, struct err *e)
{
	const struct gpu_side_spec side = side_of(t, turn);
	for (size_t i = 0; i < side.fp->nr; i++) {
		if (!side.fp->items[i].is_output)
			continue;
		got[i] = pages_new(side.fp->items[i].bytes);
		if (gpu_operand_read(t->w, &side, turn->first + call, i, got[i], e) < 0)
			return -1;
	}
	return 0;
}

static int judge_call(struct gpu_trial *t, const struct gpu_turn *turn, unsigned call,
		      const struct content *c, struct judgement *j, struct err *e)
{
	AUTO_SPEND(t->w, judge_ns);
	AUTO_FREE unsigned char **got = xcalloc(c->fp->nr + 1, sizeof(*got));
	const struct answer a = { .got = got, .poison_salt = turn->salt };
	int rc = gpu_turn_read(t, turn, call, got, e);
	if (rc == 0)
		rc = content_judge(c, &t->w->tolerances, &a, j, e);
	for (size_t i = 0; i < c->fp->nr; i++)
		pages_free(got[i]);
	return rc;
}

static int look_at_call(struct gpu_trial *t, struct gpu_turn *turn, unsigned call,
			const uint64_t *prints, struct verdict *v, struct err *e)
{
	struct gpu_plan *p = turn->plan;
	const unsigned at = gpu_plan_content(p, turn->round, call);
	struct judgement j = { 0 };
	if (gpu_known_has(p, at, prints))
		return OUTCOME_DONE;
	if (judge_call(t, turn, call, p->contents[at], &j, e) < 0)
		return -1;
	if (j.verdict.state != VERDICT_PASS) {
		*v = j.verdict;
		name_case(v, p->contents[at]);
		return OUTCOME_VERDICT;
	}
	t->nr_other_bits += p->known[at].nr > 0;
	gpu_known_add(p, at, prints);
	return OUTCOME_DONE;
}

static int read_prints(const struct gpu_trial *t, const struct gpu_plan *p, uint64_t *out,
		       struct err *e)
{
	size_t len = 0;
	const char *at = gpu_device_word(gpu_trial_device(t, SLOT_CANDIDATE), "prints", &len);
	for (unsigned i = 0; i < p->nr_calls * p->nr_outputs; i++)
		if (!gpu_device_hex(&at, &out[i]))
			return err_set(e, ERR_CHILD, "forge-gpu gives too few fingerprints");
	return 0;
}

/* The reply is gone once an output is read, so all of it is taken first. */
static int look(struct gpu_trial *t, struct gpu_turn *turn, struct verdict *v, struct err *e)
{
	const struct gpu_plan *p = turn->plan;
	AUTO_FREE uint64_t *prints =
		xcalloc((size_t)p->nr_calls * p->nr_outputs + 1, sizeof(*prints));
	double late = 0;
	double input = 0;
	const struct gpu_device *d = gpu_trial_device(t, turn->slot);
	if (gpu_device_number(d, "late", &late, e) < 0 ||
	    gpu_device_number(d, "inputs", &input, e) < 0 || read_prints(t, p, prints, e) < 0)
		return -1;
	if (late > 0)
		*v = verdict_make(REASON_late_write,
				  "a timed output changed after the last kernel");
	else if (input >= 0 && input < (double)p->s->fp.nr)
		*v = verdict_make(REASON_input_modified, "argument %s is read-only",
				  p->s->fp.items[(size_t)input].arg->name);
	if (v->state != VERDICT_NONE) {
		snprintf(v->shape, sizeof(v->shape), "%s", p->s->shape->name);
		return OUTCOME_VERDICT;
	}
	int outcome = OUTCOME_DONE;
	for (unsigned call = 0; outcome == OUTCOME_DONE && call < p->nr_calls; call++)
		outcome = look_at_call(t, turn, call, prints + call * p->nr_outputs, v, e);
	return outcome;
}

static uint64_t deadline_ms(const struct worker *w, const struct gpu_plan *p)
{
	const uint64_t *ns = p->s->call_ns;
	const uint64_t slow = ns[0] > ns[1] ? ns[0] : ns[1];
	const uint64_t asked = (uint64_t)(w->job.call_deadline_s * 1e3);
	const uint64_t wanted = p->nr_calls * slow * 20 / NS_PER_MS + 2000;
	return asked > wanted ? asked : wanted;
}

static void list_contents(const struct gpu_turn *turn, struct str *out)
{
	const struct gpu_plan *p = turn->plan;
	for (unsigned call = 0; call < p->nr_calls; call++)
		str_addf(out, "%s%u", call ? "," : "",
			 turn->is_twin ? gpu_twin_content(p, turn->round, turn->twin_from, call)
				       : gpu_plan_content(p, turn->round, call));
}

/* Once for each party, and once more when it is the first of which nothing is held. */
static void note_direct(struct gpu_trial *t, const struct gpu_turn *turn,
			const struct gpu_device *d)
{
	size_t len = 0;
	const enum party party = slot_party(turn->slot);
	const bool is_unheld = gpu_device_word(d, "held", &len) != NULL;
	if (t->is_direct[party] && (t->is_unheld[party] || !is_unheld))
		return;
	AUTO_FREE char *why = gpu_device_text(d, "why");
	worker_note(t->w, "%s launches inside of its windows, for it can not be captured: %s",
		    party_name(party), why ? why : "it says not why");
	t->is_direct[party] = true;
	t->is_unheld[party] |= is_unheld;
}

/* Each program of a size is recorded anew, by as many calls as it has. */
static int note_slow_host(struct gpu_trial *t, const struct gpu_device *d, struct err *e)
{
	size_t len = 0;
	double ns = 0;
	if (t->is_host_slow || !gpu_device_word(d, "host_ns", &len))
		return 0;
	if (gpu_device_number(d, "host_ns", &ns, e) < 0)
		return -1;
	t->is_host_slow = true;
	worker_note(t->w,
		    "the candidate's host code takes %.0f ms at each call, and a job makes "
		    "thousands: code that was compiled is to be kept "
		    "(docs/format/kernel-python.md)",
		    ns / NS_PER_MS);
	return 0;
}

static int take_times(struct gpu_trial *t, struct gpu_turn *turn, struct err *e)
{
	size_t len = 0;
	const struct gpu_device *d = gpu_trial_device(t, turn->slot);
	const char *method = gpu_device_word(d, "method", &len);
	if (len == strlen("direct") && str_starts(method, "direct"))
		note_direct(t, turn, d);
	if (note_slow_host(t, d, e) < 0 ||
	    gpu_device_number(d, "event_ns", &turn->event_ns, e) < 0 ||
	    gpu_device_number(d, "sync_ns", &turn->sync_ns, e) < 0)
		return -1;
	return gpu_device_number(d, "wall_ns", &turn->wall_ns, e);
}

int gpu_turn_fire(struct gpu_trial *t, struct gpu_turn *turn, struct verdict *v, struct err *e)
{
	AUTO_STR struct str contents = STR_INIT;
	const struct gpu_plan *p = turn->plan;
	const bool looks_at_inputs = turn->is_warmup && turn->slot == SLOT_CANDIDATE;
	list_contents(turn, &contents);
	turn->salt = rng_next(&t->rng);
	int outcome = gpu_device_ask(
		gpu_trial_device(t, turn->slot), t->w, v, e,
		"sample slot=%s first=%u contents=%s poison=%llx key=%llx cold=%d deadline_ms=%llu "
		"inputs=%d",
		slot_name(turn->slot), turn->first, contents.text,
		(unsigned long long)gpu_poison(turn->salt),
		(unsigned long long)correct_fingerprint_key(t->w), t->w->job.is_cold ? 1 : 0,
		(unsigned long long)deadline_ms(t->w, p), looks_at_inputs ? 1 : 0);
	if (outcome != OUTCOME_DONE)
		return outcome;
	return take_times(t, turn, e) < 0 ? -1 : OUTCOME_DONE;
}

static uint64_t whole(double ns)
{
	return ns > 1 ? (uint64_t)ns : 1;
}

static void add_sample(struct gpu_trial *t, const struct gpu_turn *turn)
{
	struct result *r = &t->w->result;
	const double gap = turn->sync_ns > turn->wall_ns ? turn->sync_ns - turn->wall_ns : 0;
	r->samples[r->nr_samples++] = (struct sample){
		.shape = (unsigned)(turn->plan - t->plans),
		.replicate = t->replicate,
		.round = turn->round,
		.slot = turn->slot,
		.order = turn->order,
		.calls = turn->plan->nr_calls,
		.ns = whole(turn->event_ns),
		.inner_ns = whole(turn->wall_ns),
		.wait_ns = (uint64_t)gap,
	};
}

static int reference_failed(const struct verdict *v, struct err *e)
{
	return err_set(e, ERR_INPUT, "the reference fails while it is timed: %s: %s",
		       reason_name(v->reason), v->detail);
}

static int run_slot(struct gpu_trial *t, struct gpu_turn *turn, struct verdict *v, struct err *e)
{
	int outcome = OUTCOME_DONE;
	/* Another context was on the device: its first sample would pay for the change. */
	if (t->apart && !turn->is_warmup)
		outcome = gpu_turn_fire(t, turn, v, e);
	if (outcome == OUTCOME_DONE)
		outcome = gpu_turn_fire(t, turn, v, e);
	if (outcome == OUTCOME_VERDICT && turn->slot != SLOT_CANDIDATE)
		return reference_failed(v, e);
	if (outcome == OUTCOME_VERDICT && !v->shape[0])
		snprintf(v->shape, sizeof(v->shape), "%s", turn->plan->s->shape->name);
	if (outcome != OUTCOME_DONE)
		return outcome;
	spent_move(&t->w->spent, &t->w->spent.kernel_ns, whole(turn->event_ns));
	if (!turn->is_warmup)
		add_sample(t, turn);
	return turn->slot == SLOT_CANDIDATE ? look(t, turn, v, e) : OUTCOME_DONE;
}

int gpu_round_run(struct gpu_trial *t, struct gpu_plan *p, unsigned round, bool is_warmup,
		  struct verdict *v, struct err *e)
{
	AUTO_SPEND(t->w, prepare_ns);
	const struct slotorder *order = &t->orders[round % p->nr_rounds];
	struct gpu_turn turn = { .plan = p,
				 .round = round,
				 .first = round % p->nr_windows * p->nr_calls,
				 .is_warmup = is_warmup };
	int outcome = OUTCOME_DONE;
	for (; outcome == OUTCOME_DONE && turn.order < SLOT_NR; turn.order++) {
		turn.slot = order->slots[turn.order];
		outcome = run_slot(t, &turn, v, e);
	}
	return outcome;
}

int gpu_clocks_look(struct gpu_trial *t, bool *is_disturbed, struct err *e)
{
	struct gpu_clocks *c = &t->clocks;
	double sm = 0;
	double temperature = 0;
	size_t len = 0;
	uint64_t throttle = 0;
	*is_disturbed = false;
	if (!t->device->has_nvml)
		return 0;
	if (gpu_device_ask(t->device, t->w, NULL, e, "clock") < 0 ||
	    gpu_device_number(t->device, "sm_mhz", &sm, e) < 0 ||
	    gpu_device_number(t->device, "temperature", &temperature, e) < 0)
		return -1;
	const char *at = gpu_device_word(t->device, "throttle", &len);
	gpu_device_hex(&at, &throttle);
	c->sm_mhz_low = c->nr == 0 || sm < c->sm_mhz_low ? sm : c->sm_mhz_low;
	c->sm_mhz_high = sm > c->sm_mhz_high ? sm : c->sm_mhz_high;
	c->temperature_high = temperature > c->temperature_high ? temperature : c->temperature_high;
	c->throttle |= throttle;
	c->nr++;
	*is_disturbed = (throttle & protective_reasons) != 0;
	return 0;
}
