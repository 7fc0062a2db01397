#include "worker/gpu_trial.h"

/*
 * All three slots live in one context: two processes that take turns on a device are biased for
 * short kernels by up to 12 % (docs/decision/0021). What a replicate draws anew is where the code
 * and the operands lie and in which order slots and contents come. The context is a fresh one for
 * every job and ends with it, so nothing that a kernel leaves behind outlives the job.
 */

#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "worker/gpu_python.h"
#include "worker/gpu_trial_in.h"
#include "worker/gpu_twin.h"
#include "worker/outcome.h"
#include "worker/progress.h"
#include "worker/slot.h"

/* The clock of a device that was idle takes its time to rise. */
#define FIRST_WARMUP_NS (400 * NS_PER_MS)
enum { WARMUP_ROUNDS = 2, MAX_WARMUP_ROUNDS = 2000, CLOCK_EVERY = 8 };
/* As for rounds of the processor: if fewer survive, all are kept. */
static const double min_kept = 0.6;

struct gpu_device *gpu_trial_device(const struct gpu_trial *t, enum slot slot)
{
	return t->apart && slot == SLOT_CANDIDATE ? t->apart : t->device;
}

static int load_slots(struct gpu_trial *t, struct err *e)
{
	size_t order[SLOT_NR];
	rng_permute(&t->rng, order, SLOT_NR);
	for (unsigned i = 0; i < SLOT_NR; i++) {
		const enum slot slot = (enum slot)order[i];
		if (gpu_side_load(t->w, gpu_trial_device(t, slot), slot_party(slot),
				  slot_name(slot), e) < 0)
			return -1;
	}
	return 0;
}

static struct gpu_side_spec side_of(const struct gpu_trial *t, const struct gpu_plan *p,
				    enum slot slot)
{
	return (struct gpu_side_spec){ .party = slot_party(slot),
				       .device = gpu_trial_device(t, slot),
				       .slot = slot_name(slot),
				       .fp = &p->s->fp,
				       .call_deadline_ns = 2 * NS_PER_S };
}

/* What is launched does not change between replicates, only where operands lie. */
static int record_parties(struct gpu_trial *t, struct gpu_plan *p, struct verdict *v, struct err *e)
{
	static const enum slot slots[GPU_PARTIES] = { SLOT_REFERENCE, SLOT_CANDIDATE };
	for (unsigned i = 0; !p->is_recorded && i < GPU_PARTIES; i++) {
		const struct gpu_side_spec side = side_of(t, p, slots[i]);
		gpu_recorded_release(&p->recorded[i]);
		int outcome = gpu_side_record(t->w, &side, &p->recorded[i], v, e);
		if (outcome != OUTCOME_DONE)
			return outcome;
	}
	p->is_recorded = true;
	return OUTCOME_DONE;
}

static int bind_slots(struct gpu_trial *t, struct gpu_plan *p, struct verdict *v, struct err *e)
{
	for (unsigned slot = 0; slot < SLOT_NR; slot++)
		for (unsigned window = 0; window < p->nr_windows; window++) {
			const struct gpu_side_spec side = side_of(t, p, (enum slot)slot);
			const struct gpu_binding b = { &p->recorded[side.party],
						       window * p->nr_calls, p->nr_calls };
			int outcome = gpu_side_bind(t->w, &side, &b, v, e);
			if (outcome != OUTCOME_DONE)
				return outcome;
		}
	return OUTCOME_DONE;
}

static int put_operands(struct gpu_trial *t, const struct gpu_plan *p, struct gpu_device *d,
			struct err *e)
{
	bool has_contents = false;
	const struct gpu_shape_spec shape = { .fp = &p->s->fp,
					      .sets = p->nr_calls * p->nr_windows,
					      .contents = p->nr_contents + p->nr_twins,
					      .seed = rng_next(&t->rng),
					      .is_kept = true };
	if (gpu_shape_put(t->w, d, &shape, &has_contents, e) < 0)
		return -1;
	for (unsigned i = 0; !has_contents && i < p->nr_contents; i++)
		if (gpu_content_put(t->w, d, p->contents[i], i, e) < 0)
			return -1;
	return 0;
}

static int begin_shape(struct gpu_trial *t, struct gpu_plan *p, struct verdict *v, struct err *e)
{
	AUTO_SPEND(t->w, prepare_ns);
	slotorder_draw(&t->rng, t->orders, p->nr_rounds);
	if (put_operands(t, p, t->device, e) < 0 ||
	    (t->apart && put_operands(t, p, t->apart, e) < 0))
		return -1;
	int outcome = record_parties(t, p, v, e);
	return outcome == OUTCOME_DONE ? bind_slots(t, p, v, e) : outcome;
}

/* Through the same path as what is measured. */
static int warm_up(struct gpu_trial *t, struct gpu_plan *p, struct verdict *v, struct err *e)
{
	const uint64_t until_ns = clock_mono_ns() + (t->w->gpu->is_warm ? 0 : FIRST_WARMUP_NS);
	int outcome = OUTCOME_DONE;
	for (unsigned i = 0; outcome == OUTCOME_DONE && i < MAX_WARMUP_ROUNDS; i++) {
		if (i >= WARMUP_ROUNDS && clock_mono_ns() >= until_ns)
			break;
		outcome = gpu_round_run(t, p, i, true, v, e);
	}
	t->w->gpu->is_warm = true;
	return outcome;
}

/* Samples of the rounds since the clocks were looked at last. */
static void drop_since(struct gpu_trial *t, size_t from, unsigned rounds)
{
	struct result *r = &t->w->result;
	for (size_t i = from; i < r->nr_samples; i++)
		r->samples[i].is_dropped = true;
	t->clocks.nr_disturbed += rounds;
}

static void keep_if_few(struct gpu_trial *t, size_t from, unsigned dropped, unsigned rounds)
{
	struct result *r = &t->w->result;
	if (dropped <= (1 - min_kept) * rounds)
		return;
	for (size_t i = from; i < r->nr_samples; i++)
		r->samples[i].is_dropped = false;
	r->is_contended = true;
}

static int run_rounds(struct gpu_trial *t, struct gpu_plan *p, struct verdict *v, struct err *e)
{
	struct result *r = &t->w->result;
	const size_t from = r->nr_samples;
	size_t since = from;
	unsigned nr_since = 0;
	const unsigned disturbed_before = t->clocks.nr_disturbed;
	int outcome = OUTCOME_DONE;
	for (unsigned round = 0; outcome == OUTCOME_DONE && round < p->nr_rounds; round++) {
		bool is_disturbed = false;
		outcome = gpu_round_run(t, p, round, false, v, e);
		if (outcome == OUTCOME_DONE)
			outcome = gpu_twin_run(t, p, round, v, e);
		if (++nr_since < CLOCK_EVERY && round + 1 < p->nr_rounds)
			continue;
		if (outcome == OUTCOME_DONE && gpu_clocks_look(t, &is_disturbed, e) < 0)
			return -1;
		if (is_disturbed)
			drop_since(t, since, nr_since);
		since = r->nr_samples;
		nr_since = 0;
	}
	t->clocks.nr_rounds += p->nr_rounds;
	keep_if_few(t, from, t->clocks.nr_disturbed - disturbed_before, p->nr_rounds);
	return outcome;
}

static int end_shape(struct gpu_trial *t, struct gpu_plan *p, struct verdict *v, struct err *e)
{
	const char *stray = NULL;
	if (gpu_stray_write(t->w, t->device, &p->s->fp, &stray, e) < 0 ||
	    (t->apart && !stray && gpu_stray_write(t->w, t->apart, &p->s->fp, &stray, e) < 0))
		return -1;
	if (!stray)
		return OUTCOME_DONE;
	*v = verdict_make(REASON_out_of_bounds,
			  "memory beside argument %s was written in timed calls", stray);
	snprintf(v->shape, sizeof(v->shape), "%s", p->s->shape->name);
	return OUTCOME_VERDICT;
}

static int run_shape(struct gpu_trial *t, struct gpu_plan *p, struct verdict *v, struct err *e)
{
	int outcome = begin_shape(t, p, v, e);
	if (outcome == OUTCOME_DONE)
		outcome = warm_up(t, p, v, e);
	if (outcome == OUTCOME_DONE)
		outcome = run_rounds(t, p, v, e);
	return outcome == OUTCOME_DONE ? end_shape(t, p, v, e) : outcome;
}

/* Replicates take turns in which shape comes first. */
static int run_replicate(struct gpu_trial *t, struct verdict *v, struct err *e)
{
	if (load_slots(t, e) < 0 || gpu_device_ask(t->device, t->w, NULL, e, "null") < 0 ||
	    gpu_device_number(t->device, "event_ns", &t->null_ns[t->replicate], e) < 0)
		return -1;
	int outcome = OUTCOME_DONE;
	for (size_t i = 0; outcome == OUTCOME_DONE && i < t->nr_plans; i++)
		outcome = run_shape(t, &t->plans[(t->replicate + i) % t->nr_plans], v, e);
	return outcome;
}

static int run_replicates(struct gpu_trial *t, struct err *e)
{
	struct worker *w = t->w;
	struct verdict v = { 0 };
	for (t->replicate = 0; t->replicate < w->job.replicates; t->replicate++) {
		progress_print("time", t->replicate, w->job.replicates);
		int outcome = run_replicate(t, &v, e);
		if (outcome == OUTCOME_VERDICT)
			w->result.verdict = v;
		if (outcome != OUTCOME_DONE)
			return outcome < 0 ? -1 : 0;
	}
	progress_print("time", w->job.replicates, w->job.replicates);
	return 0;
}

static void list_shapes(struct gpu_trial *t)
{
	struct result *r = &t->w->result;
	r->shapes = arena_array(&r->arena, t->nr_plans, sizeof(*r->shapes));
	r->nr_shapes = t->nr_plans;
	for (size_t i = 0; i < t->nr_plans; i++) {
		const struct shape *s = t->plans[i].s->shape;
		struct err unused = { 0 };
		r->shapes[i].name = s->name;
		r->shapes[i].held_out = s->held_out;
		task_work(t->w->task.flops, &s->dims, &r->shapes[i].flops, &unused);
		task_work(t->w->task.bytes, &s->dims, &r->shapes[i].bytes, &unused);
	}
}

static void make_plans(struct gpu_trial *t, struct cases *cases)
{
	t->plans = xcalloc(cases->nr + 1, sizeof(*t->plans));
	for (size_t i = 0; i < cases->nr; i++) {
		struct gpu_plan *p = &t->plans[t->nr_plans];
		if (!gpu_plan_init(p, t->w, &cases->shapes[i])) {
			gpu_plan_release(p);
			continue;
		}
		p->nr_twins = gpu_twins_fit(p);
		t->nr_plans++;
	}
}

static void make_room(struct gpu_trial *t)
{
	struct worker *w = t->w;
	size_t all = 0;
	size_t most = 1;
	for (size_t i = 0; i < t->nr_plans; i++) {
		all += t->plans[i].nr_rounds;
		most = t->plans[i].nr_rounds > most ? t->plans[i].nr_rounds : most;
	}
	t->orders = xcalloc(most, sizeof(*t->orders));
	t->null_ns = xcalloc(w->job.replicates + 1, sizeof(*t->null_ns));
	w->result.nr_samples = 0;
	w->result.samples = arena_array(&w->result.arena, all * w->job.replicates * SLOT_NR + 1,
					sizeof(*w->result.samples));
}

static void release(struct gpu_trial *t)
{
	gpu_device_free(&t->apart);
	for (size_t i = 0; i < t->nr_plans; i++)
		gpu_plan_release(&t->plans[i]);
	twins_release(&t->twins);
	history_release(&t->history);
	free(t->plans);
	free(t->orders);
	free(t->null_ns);
}

static int open_apart(struct gpu_trial *t, struct err *e)
{
	size_t shared = 0;
	if (!gpu_python_is_apart(t->w))
		return 0;
	if (gpu_shared_bytes(t->w, &shared, e) < 0)
		return -1;
	worker_note(t->w,
		    "the candidate is a module: it was timed in a process of its own, which takes "
		    "turns with the reference's");
	const struct gpu_device_wish wish = { .shared_bytes = shared,
					      .has_modules = true,
					      .party = PARTY_CANDIDATE };
	return gpu_device_start(&t->apart, t->w, &wish, e);
}

static int run_alone(struct gpu_trial *t, struct err *e)
{
	t->rates = gpu_bench_rates(t->w);
	t->rates.bytes_per_s = t->w->gpu->copy_bytes_per_s;
	list_shapes(t);
	int rc = run_replicates(t, e);
	if (rc == 0)
		gpu_trial_check(t);
	gpu_trial_record(t);
	return rc;
}

static int run(struct gpu_trial *t, struct err *e)
{
	if (t->nr_plans == 0)
		return err_set(e, ERR_INPUT, "task %s has no timed group", t->w->task.name);
	if (history_load(&t->history, e) < 0 || gpu_bench_timing(t->w, &t->device, e) < 0)
		return -1;
	if (open_apart(t, e) < 0 || gpu_bench_hold(t->w, e) < 0)
		return -1;
	int rc = run_alone(t, e);
	gpu_bench_let_go(t->w);
	return rc;
}

int gpu_trial_run(struct worker *w, struct cases *cases, struct err *e)
{
	struct gpu_trial t = { .w = w };
	t.rng.seed = rng_derive(w->job.seed, "trial");
	make_plans(&t, cases);
	make_room(&t);
	int rc = run(&t, e);
	release(&t);
	return rc;
}
