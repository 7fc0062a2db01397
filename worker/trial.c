#include "worker/trial.h"

/*
 * A replicate starts three runners (R, C, R') on random layouts of their objects, gives every shape
 * new addresses, warms up by the same path as it measures, and ends its runners. Whatever bias a
 * process, a layout or an address brings is drawn anew K times, which is what the decision rule
 * needs. Within a replicate a shape's rounds fall into parts, each on another copy of each kernel
 * (build/layout.h) and, if its samples are short, warmed up anew. Before the first call of the
 * candidate the reference is timed alone (worker/alone.h). A replicate whose runner was
 * killed from outside is thrown away whole and done again.
 */

#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "sys/priority.h"
#include "sys/side.h"
#include "worker/exclusive.h"
#include "worker/passes.h"
#include "worker/profile.h"
#include "worker/progress.h"
#include "worker/trial_in.h"

/* Empty round trips per replicate; a futex one takes 0.3 ms with what belongs to it. */
enum { NULL_SPINS = 500, NULL_FUTEXES = 41 };

/* After the last call of a shape nothing may go on. */
#define QUIET_NS (5 * NS_PER_MS)

static size_t samples_wanted(const struct trial *t, unsigned replicates)
{
	size_t rounds = 0;
	for (size_t i = 0; i < t->nr_plans; i++)
		rounds += (size_t)t->plans[i].nr_rounds * passes_most(t->bench.w, &t->plans[i]);
	return rounds * replicates * SLOT_NR;
}

static uint64_t call_deadline_ns(const struct worker *w, const struct plan *p)
{
	uint64_t slow = p->s->call_ns[0] > p->s->call_ns[1] ? p->s->call_ns[0] : p->s->call_ns[1];
	uint64_t wanted = slow * 20 + 2 * NS_PER_S;
	uint64_t asked = (uint64_t)(w->job.call_deadline_s * (double)NS_PER_S);
	return asked > wanted ? asked : wanted;
}

static size_t pick_layout(struct rng *rng, const struct build *b, size_t other_than)
{
	size_t layout = rng_below(rng, b->nr_so);
	if (b->nr_so > 1 && layout == other_than)
		layout = (layout + 1 + rng_below(rng, b->nr_so - 1)) % b->nr_so;
	return layout;
}

/* Fresh processes on random layouts; R' never on the layout of R if there are two. */
static int start_sides(struct trial *t, struct verdict *v, struct err *e)
{
	struct bench *b = &t->bench;
	size_t first_layout = SIZE_MAX;
	int outcome = OUTCOME_DONE;
	for (unsigned slot = 0; outcome == OUTCOME_DONE && slot < SLOT_NR; slot++) {
		enum party party = slot_party(slot);
		struct outcome_spec spec = {
			.party = party,
			.layout =
				pick_layout(&b->rng, &b->w->builds[party],
					    slot == SLOT_REFERENCE_AGAIN ? first_layout : SIZE_MAX),
			.regions = b->rotation->regions,
			.nr_regions = ROTATION_REGIONS,
		};
		if (slot == SLOT_REFERENCE)
			first_layout = spec.layout;
		outcome = outcome_start(b->w, &spec, &b->sides[slot], v, e);
		if (outcome == OUTCOME_DONE)
			outcome_raise_side(b->w, b->sides[slot]);
	}
	return outcome;
}

static void stop_sides(struct bench *b)
{
	AUTO_SPEND(b->w, start_ns);
	b->early.asleep_cpu_ns = 0;
	for (unsigned slot = 0; slot < SLOT_NR; slot++)
		side_free(&b->sides[slot]);
}

/* One value for all three sides: the doorbell is ours, not theirs. */
static int measure_null(struct trial *t)
{
	struct worker *w = t->bench.w;
	AUTO_SPEND(w, start_ns);
	const enum side_wait wait = outcome_wait(w);
	outcome_raise(w);
	uint64_t ns = side_null_rtt_ns(t->bench.sides[SLOT_REFERENCE], wait,
				       wait == SIDE_SPIN ? NULL_SPINS : NULL_FUTEXES);
	outcome_lower(w);
	t->null_ns[t->replicate] = ns;
	return ns == UINT64_MAX ? OUTCOME_LOST : OUTCOME_DONE;
}

/* Of the replicate, over all passes. */
static unsigned round_number(const struct trial *t, const struct turn *turn)
{
	return t->pass * turn->plan->nr_rounds + turn->round;
}

static void add_sample(struct trial *t, const struct turn *turn, unsigned order)
{
	struct result *r = &t->bench.w->result;
	const uint64_t null_ns = t->null_ns[t->replicate];
	const struct side_time *time = &turn->time;
	early_note(&t->bench.early, (unsigned)(turn->plan - t->plans), turn->slot, time->ready_ns);
	r->samples[r->nr_samples++] = (struct sample){
		.shape = (unsigned)(turn->plan - t->plans),
		.replicate = t->replicate,
		.round = round_number(t, turn),
		.part = turn->part,
		.slot = turn->slot,
		.order = order,
		.calls = turn->plan->nr_calls,
		.ns = time->ns > null_ns ? time->ns - null_ns : 1,
		.inner_ns = time->inner_ns,
		.wait_ns = time->wait_ns,
		.cpu_ns = time->cpu_ns,
	};
}

static int reference_failed(const struct turn *turn, struct err *e)
{
	return err_set(e, ERR_INPUT, "the reference fails while it is timed: %s: %s",
		       reason_name(turn->verdict.reason), turn->verdict.detail);
}

/* `turn` says which plan and round; the slots follow from the order drawn. */
static int run_round(struct trial *t, struct turn *turn, struct err *e)
{
	const unsigned at = turn->is_warmup ? turn->plan->nr_rounds + turn->part : turn->round;
	const struct slotorder *order = &t->orders[at];
	rotation_args(turn->plan, turn->round, t->bench.args);
	for (unsigned place = 0; place < SLOT_NR; place++) {
		turn->slot = order->slots[place];
		turn->copy = (unsigned)t->copies[turn->slot][turn->part];
		int outcome = slot_run(&t->bench, turn, e);
		if (outcome == OUTCOME_VERDICT && turn->slot != SLOT_CANDIDATE)
			return reference_failed(turn, e);
		if (outcome != OUTCOME_DONE)
			return outcome;
		if (!turn->is_warmup)
			add_sample(t, turn, place);
	}
	return OUTCOME_DONE;
}

static int check_gaps(struct trial *t, const struct plan *p, struct verdict *v)
{
	AUTO_SPEND(t->bench.w, prepare_ns);
	const char *arg = rotation_stray_write(t->bench.rotation, p, &t->bench.rng);
	if (!arg)
		return OUTCOME_DONE;
	*v = verdict_make(REASON_out_of_bounds, "memory beside %s%s was written in timed calls",
			  arg[0] ? "argument " : "the arguments", arg);
	snprintf(v->shape, sizeof(v->shape), "%s", p->s->shape->name);
	return OUTCOME_VERDICT;
}

static int end_shape(struct trial *t, const struct plan *p, struct verdict *v, struct err *e)
{
	struct side *side = t->bench.sides[SLOT_CANDIDATE];
	if (check_gaps(t, p, v) != OUTCOME_DONE)
		return OUTCOME_VERDICT;
	if (t->bench.w->task.threads <= 1)
		return OUTCOME_DONE;
	if (side_comes_to_rest(side, QUIET_NS)) {
		t->bench.early.asleep_cpu_ns = 0;
		return outcome_check_pool(t->bench.w, side, v, e);
	}
	*v = verdict_make(REASON_cpu_after_return, "its threads went on using a CPU");
	return OUTCOME_VERDICT;
}

static int warm_up(struct trial *t, struct turn *turn, unsigned first, struct err *e)
{
	const unsigned nr = turn->part ? turn->plan->warms_parts : turn->plan->nr_warmups;
	int outcome = OUTCOME_DONE;
	turn->is_warmup = true;
	for (unsigned i = 0; outcome == OUTCOME_DONE && i < nr; i++) {
		turn->round = first + i;
		outcome = run_round(t, turn, e);
	}
	turn->is_warmup = false;
	return outcome;
}

static int run_twin(struct trial *t, struct turn *turn, struct err *e)
{
	const struct twin_spec how = {
		.turn = turn,
		.shape = (unsigned)(turn->plan - t->plans),
		.reference_copy = (unsigned)t->copies[SLOT_REFERENCE][turn->part],
		.candidate_copy = (unsigned)t->copies[SLOT_CANDIDATE][turn->part],
		.null_ns = t->null_ns[t->replicate],
		.pass = t->pass,
		.round = round_number(t, turn),
	};
	return twin_run(&t->twins, &t->bench, &how, &turn->verdict, e);
}

/* The contents of a warm-up are those of the rounds that follow: an address is taken twice, and
 * cold all the same. */
static int run_part(struct trial *t, struct turn *turn, struct err *e)
{
	const unsigned nr = turn->plan->nr_rounds / turn->plan->nr_parts;
	const unsigned first = turn->part * nr;
	int outcome = warm_up(t, turn, first, e);
	if (turn->part == 0 && t->pass == 0)
		contention_begin(&t->contention);
	for (unsigned i = 0; outcome == OUTCOME_DONE && i < nr; i++) {
		turn->round = first + i;
		outcome = run_round(t, turn, e);
		contention_round(&t->contention, round_number(t, turn));
		if (outcome == OUTCOME_DONE)
			outcome = run_twin(t, turn, e);
	}
	return outcome;
}

/* Replicates take turns in which shape comes first, for that one's reference is timed alone. */
static struct plan *plan_at(const struct trial *t, size_t place)
{
	return &t->plans[(t->replicate + place) % t->nr_plans];
}

static struct plan *first_plan(const struct trial *t)
{
	return plan_at(t, 0);
}

/* Every slot goes through its copies in an order of its own. */
static void draw_copies(struct trial *t)
{
	struct bench *b = &t->bench;
	for (unsigned slot = 0; slot < SLOT_NR; slot++)
		rng_permute(&b->rng, t->copies[slot], side_copies(b->sides[slot]));
}

static void begin_pass(struct trial *t, const struct plan *p)
{
	slotorder_draw(&t->bench.rng, t->orders, p->nr_rounds + p->nr_parts);
	draw_copies(t);
}

static void begin_shape(struct trial *t, struct plan *p)
{
	struct bench *b = &t->bench;
	AUTO_SPEND(b->w, prepare_ns);
	b->call_deadline_ns = call_deadline_ns(b->w, p);
	begin_pass(t, p);
	rotation_place(b->rotation, p, &b->rng);
}

/* Once a replicate, before the candidate was called. */
static int run_alone(struct trial *t, struct turn *turn, struct err *e)
{
	struct alone *a = &t->alone[t->replicate];
	unsigned copies[SLOT_NR];
	for (unsigned slot = 0; slot < SLOT_NR; slot++)
		copies[slot] = (unsigned)t->copies[slot][0];
	*a = (struct alone){ .plan = turn->plan,
			     .shape = (unsigned)(turn->plan - t->plans),
			     .null_ns = t->null_ns[t->replicate] };
	int outcome = alone_run(&t->bench, a, copies, turn, e);
	return outcome == OUTCOME_VERDICT ? reference_failed(turn, e) : outcome;
}

static int run_pass(struct trial *t, struct turn *turn, struct err *e)
{
	int outcome = OUTCOME_DONE;
	for (turn->part = 0; outcome == OUTCOME_DONE && turn->part < turn->plan->nr_parts;
	     turn->part++)
		outcome = run_part(t, turn, e);
	return outcome;
}

/* All rounds, and again as long as the reference scatters. */
static int run_passes(struct trial *t, struct turn *turn, size_t from, struct err *e)
{
	const struct worker *w = t->bench.w;
	const struct result *r = &w->result;
	const uint64_t begin_ns = clock_mono_ns();
	int outcome = run_pass(t, turn, e);
	while (outcome == OUTCOME_DONE &&
	       passes_have_time(w, t->replicate, t->pass + 1, clock_mono_ns() - begin_ns) &&
	       passes_go_on(w, turn->plan, t->pass + 1, r->samples + from, r->nr_samples - from)) {
		t->pass++;
		begin_pass(t, turn->plan);
		outcome = run_pass(t, turn, e);
	}
	return outcome;
}

static int run_shape(struct trial *t, struct plan *p, struct verdict *v, struct err *e)
{
	struct turn turn = { .plan = p };
	struct result *r = &t->bench.w->result;
	const size_t from = r->nr_samples;
	int outcome = OUTCOME_DONE;
	t->pass = 0;
	begin_shape(t, p);
	if (p == first_plan(t))
		outcome = run_alone(t, &turn, e);
	if (outcome == OUTCOME_DONE)
		outcome = run_passes(t, &turn, from, e);
	contention_drop(&t->contention, r->samples + from, r->nr_samples - from,
			(size_t)(t->pass + 1) * p->nr_rounds);
	*v = turn.verdict;
	return outcome == OUTCOME_DONE ? end_shape(t, p, v, e) : outcome;
}

static bool is_last_replicate(const struct trial *t)
{
	return t->replicate + 1 == t->bench.w->job.replicates;
}

/* The largest shape's sets have to be laid out again: shapes share the memory. */
static void profile_shape(struct trial *t)
{
	size_t best = 0;
	for (size_t i = 1; i < t->nr_plans; i++)
		if (t->plans[i].s->fp.tensor_bytes > t->plans[best].s->fp.tensor_bytes)
			best = i;
	rotation_place(t->bench.rotation, &t->plans[best], &t->bench.rng);
	profile_count(&t->bench, &t->plans[best]);
}

static int time_sides(struct trial *t, struct verdict *v, struct err *e)
{
	int outcome = start_sides(t, v, e);
	if (outcome == OUTCOME_DONE)
		outcome = measure_null(t);
	for (size_t i = 0; outcome == OUTCOME_DONE && i < t->nr_plans; i++)
		outcome = run_shape(t, plan_at(t, i), v, e);
	if (outcome == OUTCOME_DONE && is_last_replicate(t) && t->bench.w->job.with_profile)
		profile_shape(t);
	stop_sides(&t->bench);
	return outcome;
}

static int run_replicate(struct trial *t, struct verdict *v, struct err *e)
{
	AUTO_LOCK struct lock lock = LOCK_INIT;
	exclusive_take(t->bench.w, &lock);
	int outcome = time_sides(t, v, e);
	exclusive_give(t->bench.w, &lock);
	return outcome;
}

static int retry_replicate(struct trial *t, struct verdict *v, struct err *e)
{
	struct result *r = &t->bench.w->result;
	size_t from = r->nr_samples;
	for (int attempt = 0; attempt <= LOST_RETRIES; attempt++) {
		r->nr_samples = from;
		int outcome = run_replicate(t, v, e);
		if (outcome != OUTCOME_LOST)
			return outcome;
		worker_note(t->bench.w, "replicate %u: a runner was killed from outside, repeated",
			    t->replicate);
	}
	return err_set(e, ERR_CHILD, "runners were killed from outside %d times", LOST_RETRIES + 1);
}

static int run_replicates(struct trial *t, struct err *e)
{
	struct worker *w = t->bench.w;
	struct verdict v = { 0 };
	for (t->replicate = 0; t->replicate < w->job.replicates; t->replicate++) {
		progress_print("time", t->replicate, w->job.replicates);
		int outcome = retry_replicate(t, &v, e);
		if (outcome == OUTCOME_VERDICT) {
			w->result.verdict = v;
			return 0;
		}
		if (outcome < 0)
			return -1;
	}
	progress_print("time", w->job.replicates, w->job.replicates);
	return 0;
}

static void make_plans(struct trial *t, struct cases *cases)
{
	t->plans = xcalloc(cases->nr, sizeof(*t->plans));
	for (size_t i = 0; i < cases->nr; i++) {
		struct plan *p = &t->plans[t->nr_plans];
		if (plan_init(p, t->bench.w, &cases->shapes[i]))
			t->nr_plans++;
		else
			plan_release(p);
	}
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Room for the largest sample and the longest shape of any plan. */
static void make_room(struct trial *t)
{
	struct worker *w = t->bench.w;
	size_t args = 1;
	size_t orders = 1;
	size_t rounds = 1;
	for (size_t i = 0; i < t->nr_plans; i++) {
		const struct plan *p = &t->plans[i];
		args = larger(args, (size_t)p->nr_calls * p->s->fp.nr);
		orders = larger(orders, p->nr_rounds + p->nr_parts);
		rounds = larger(rounds, (size_t)p->nr_rounds * passes_most(w, p));
	}
	t->bench.args = xcalloc(args, sizeof(*t->bench.args));
	t->orders = xcalloc(orders, sizeof(*t->orders));
	t->null_ns = xcalloc(w->job.replicates, sizeof(*t->null_ns));
	t->alone = xcalloc(w->job.replicates, sizeof(*t->alone));
	contention_init(&t->contention, rounds);
	w->result.samples = arena_array(&w->result.arena, samples_wanted(t, w->job.replicates),
					sizeof(*w->result.samples));
}

static void release(struct trial *t)
{
	for (size_t i = 0; i < t->nr_plans; i++)
		plan_release(&t->plans[i]);
	free(t->plans);
	free(t->orders);
	free(t->bench.args);
	free(t->null_ns);
	twins_release(&t->twins);
	early_release(&t->bench.early);
	free(t->alone);
	history_release(&t->history);
	contention_release(&t->contention);
}

/* See priority_is_throttled: windows of this length leave a core less than 5 % of a second. */
#define LONG_WINDOW_NS NS_PER_MS

static void choose_priority(struct trial *t)
{
	struct worker *w = t->bench.w;
	if (!w->is_realtime || !priority_is_throttled())
		return;
	for (size_t i = 0; i < t->nr_plans; i++) {
		const struct plan *p = &t->plans[i];
		for (size_t k = 0; k < ARRAY_LEN(p->s->call_ns); k++)
			if (p->s->call_ns[k] * p->nr_calls > LONG_WINDOW_NS)
				w->is_realtime = false;
	}
}

static int run(struct trial *t, struct err *e)
{
	struct worker *w = t->bench.w;
	if (t->nr_plans == 0)
		return err_set(e, ERR_INPUT, "task %s has no timed group", w->task.name);
	if (history_load(&t->history, e) < 0)
		return -1;
	AUTO_ROTATION struct rotation rotation;
	if (rotation_make(&rotation, t->plans, t->nr_plans, w->job.is_cold, e) < 0)
		return -1;
	t->bench.rotation = &rotation;
	choose_priority(t);
	trial_list_shapes(t);
	contention_open(&t->contention);
	int rc = run_replicates(t, e);
	w->result.is_contended = contention_close(&t->contention, w->is_realtime);
	twins_check(&t->twins, w);
	early_check(&t->bench.early, w);
	trial_record(t);
	return rc;
}

int trial_run(struct worker *w, struct cases *cases, struct err *e)
{
	struct trial t = { .bench = { .w = w } };
	t.bench.rng.seed = rng_derive(w->job.seed, "trial");
	make_plans(&t, cases);
	make_room(&t);
	int rc = run(&t, e);
	release(&t);
	return rc;
}
