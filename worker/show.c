#include "worker/show.h"

/*
 * The frozen copy is taken right after the answer; the live memory is looked at again after a quiet
 * while. A kernel that goes on working in a thread is seen by the CPU it uses or by what it writes.
 */

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "worker/gpu_bench.h"
#include "worker/gpu_show.h"
#include "worker/operands.h"
#include "worker/outcome.h"
#include "worker/pages.h"

/* With threads: long enough for a scheduler tick to show in their CPU time (1..4 ms). Without, the
 * filter let no thread be made and the only one is asleep: a token look. */
#define QUIET_THREADS_NS (5 * NS_PER_MS)
#define QUIET_SINGLE_NS (NS_PER_MS / 2)

/* Further calls for the time estimate that chooses calls per sample and rounds: they may take this
 * long in all, so that one disturbed call does not make a short kernel a slow one. */
enum { QUICK_CALLS = 5 };
#define QUICK_TOTAL_NS (30 * NS_PER_MS)

struct showing {
	struct worker *w;
	struct shape_cases *s;
	enum party party;
	size_t at; /* of the content that is loaded */
	uint64_t call_deadline_ns;
	struct operands operands;
	struct side *side;
	uint64_t called_ns; /* in all calls */
};

static const char *name_of(const void *ctx, unsigned region)
{
	return operands_name_of_region(ctx, region);
}

/* Numbers too small for their type can make a call several times as long, and a sample goes through
 * all contents: what a call takes is their mean. */
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

/* Waiting for a core is not the kernel's time; of several threads it would count more than once. */
static void note_time(struct showing *h, const struct side_time *t)
{
	uint64_t *best = &h->s->contents[h->at].call_ns[h->party];
	uint64_t ns = h->w->task.threads == 1 ? side_time_worked_ns(t) : t->ns;
	if (*best == 0 || ns < *best)
		*best = ns ? ns : 1;
	h->s->call_ns[h->party] = mean_call_ns(h->s, h->party);
	h->called_ns += t->ns;
}

static int call_once(struct showing *h, struct verdict *v, struct err *e)
{
	struct outcome_call call = {
		.side = h->side,
		.args = h->operands.args,
		.nr_args = h->s->fp.nr,
		.nr_calls = 1,
		.call_deadline_ns = h->call_deadline_ns,
		.counter_ns = &h->w->spent.kernel_ns,
		.name_of = name_of,
		.ctx = &h->operands,
	};
	struct side_time t = { 0 };
	int outcome = outcome_run(h->w, &call, &t, v, e);
	if (outcome == OUTCOME_DONE)
		note_time(h, &t);
	return outcome;
}

static void freeze(const struct showing *h, struct answer *a)
{
	const struct footprint *fp = &h->s->fp;
	if (!a->got)
		a->got = xcalloc(fp->nr, sizeof(*a->got));
	for (size_t i = 0; i < fp->nr; i++) {
		if (!fp->items[i].is_output)
			continue;
		if (!a->got[i])
			a->got[i] = pages_new(fp->items[i].bytes);
		memcpy(a->got[i], operands_at(&h->operands, i), fp->items[i].bytes);
	}
	a->poison_salt = h->operands.salt;
	a->stray_write = operands_stray_write(&h->operands);
}

static const char *changed_output(const struct showing *h, const struct answer *a)
{
	const struct footprint *fp = &h->s->fp;
	for (size_t i = 0; i < fp->nr; i++)
		if (fp->items[i].is_output &&
		    memcmp(a->got[i], operands_at(&h->operands, i), fp->items[i].bytes) != 0)
			return fp->items[i].arg->name;
	return NULL;
}

/* After the answer was frozen: has anything gone on? */
static int look_again(struct showing *h, const struct answer *a, struct verdict *v)
{
	bool is_quiet = side_comes_to_rest(h->side, h->w->task.threads > 1 ? QUIET_THREADS_NS
									   : QUIET_SINGLE_NS);
	const char *changed = changed_output(h, a);
	if (changed) {
		*v = verdict_make(REASON_late_write, "output %s changed after the return", changed);
		return OUTCOME_VERDICT;
	}
	if (is_quiet)
		return OUTCOME_DONE;
	*v = verdict_make(REASON_cpu_after_return, "its threads went on using a CPU");
	return OUTCOME_VERDICT;
}

static int show_answer(struct showing *h, const struct content *c, unsigned nr, struct shown *shown,
		       struct err *e)
{
	const enum placement where = nr == 0 ? PLACED_RIGHT : PLACED_LEFT;
	AUTO_FREE char *purpose =
		xasprintf("poison/%s/%s/%u", h->s->shape->name, c->group->name, nr);
	operands_load(&h->operands, c, where, rng_derive(h->w->job.seed, purpose));
	int outcome = call_once(h, &shown->ended, e);
	if (outcome != OUTCOME_DONE)
		return outcome;
	freeze(h, &shown->answers[nr]);
	outcome = look_again(h, &shown->answers[nr], &shown->ended);
	if (outcome != OUTCOME_DONE || h->party != PARTY_CANDIDATE)
		return outcome;
	return outcome_check_pool(h->w, h->side, &shown->ended, e);
}

void shown_compare(struct shown *shown, const struct footprint *fp)
{
	shown->has_same_bits = true;
	for (size_t i = 0; shown->has_same_bits && i < fp->nr; i++) {
		const struct operand *o = &fp->items[i];
		if (!o->is_output ||
		    memcmp(shown->answers[0].got[i], shown->answers[1].got[i], o->bytes) == 0)
			continue;
		shown->has_same_bits = false;
		shown->differing_output = o->arg->name;
	}
}

static int show_case(struct showing *h, size_t at, struct shown *shown, struct err *e)
{
	int outcome = OUTCOME_DONE;
	shown->was_called = true;
	h->at = at;
	for (unsigned nr = 0; outcome == OUTCOME_DONE && nr < SHOW_CALLS; nr++)
		outcome = show_answer(h, &h->s->contents[at], nr, shown, e);
	if (outcome == OUTCOME_DONE)
		shown_compare(shown, &h->s->fp);
	return outcome;
}

static int start(struct showing *h, struct verdict *v, struct err *e)
{
	struct outcome_spec spec = {
		.party = h->party,
		.regions = h->operands.regions,
		.nr_regions = h->operands.nr_regions,
	};
	return outcome_start(h->w, &spec, &h->side, v, e);
}

/* The first call of a case pays for page faults and may be disturbed; the quickest of some more is
 * nearer to the truth. */
static int quick_calls(struct showing *h, struct verdict *v, struct err *e)
{
	int outcome = OUTCOME_DONE;
	const uint64_t limit_ns = h->called_ns + QUICK_TOTAL_NS;
	for (int i = 0; outcome == OUTCOME_DONE && i < QUICK_CALLS; i++) {
		if (h->called_ns > limit_ns)
			break;
		outcome = call_once(h, v, e);
	}
	return outcome;
}

static int show_all(struct showing *h, struct shown *shown, struct err *e)
{
	int outcome = start(h, &shown[0].ended, e);
	shown[0].was_called = true;
	for (size_t i = 0; outcome == OUTCOME_DONE && i < h->s->nr; i++)
		outcome = show_case(h, i, &shown[i], e);
	if (outcome == OUTCOME_DONE)
		outcome = quick_calls(h, &shown[h->s->nr - 1].ended, e);
	side_free(&h->side);
	return outcome;
}

int show_shape(struct worker *w, struct shape_cases *s, enum party party, uint64_t call_deadline_ns,
	       struct shown *shown, struct err *e)
{
	if (gpu_is_used(w))
		return gpu_show_shape(w, s, party, call_deadline_ns, shown, e);
	struct showing h = { .w = w, .s = s, .party = party, .call_deadline_ns = call_deadline_ns };
	int outcome = operands_make(&h.operands, &s->fp, false, e) < 0 ? -1 : OUTCOME_LOST;
	for (int attempt = 0; outcome == OUTCOME_LOST && attempt <= LOST_RETRIES; attempt++)
		outcome = show_all(&h, shown, e);
	operands_release(&h.operands);
	if (outcome == OUTCOME_LOST)
		return err_set(e, ERR_CHILD, "the runner of the %s was killed %d times",
			       party_name(party), LOST_RETRIES + 1);
	return outcome < 0 ? -1 : 0;
}

/* Slow ones once: the first call's page faults are lost in what they take. */
static int time_content(struct showing *h, size_t at, struct verdict *v, struct err *e)
{
	const uint64_t since_ns = h->called_ns;
	h->at = at;
	operands_load(&h->operands, &h->s->contents[at], PLACED_RIGHT, h->w->job.seed);
	int outcome = call_once(h, v, e);
	if (outcome == OUTCOME_DONE && h->called_ns - since_ns < QUICK_TOTAL_NS)
		outcome = call_once(h, v, e);
	return outcome;
}

static int time_reference(struct showing *h, struct verdict *v, struct err *e)
{
	int outcome = start(h, v, e);
	for (size_t i = h->s->nr; outcome == OUTCOME_DONE && i-- > 0;)
		outcome = time_content(h, i, v, e);
	if (outcome == OUTCOME_DONE)
		outcome = quick_calls(h, v, e);
	side_free(&h->side);
	return outcome;
}

int show_time(struct worker *w, struct shape_cases *s, struct err *e)
{
	if (gpu_is_used(w))
		return gpu_show_time(w, s, e);
	struct showing h = { .w = w, .s = s, .party = PARTY_REFERENCE };
	h.call_deadline_ns = worker_left_ns(w);
	struct verdict v = { 0 };
	int outcome = operands_make(&h.operands, &s->fp, false, e) < 0 ? -1 : OUTCOME_LOST;
	for (int attempt = 0; outcome == OUTCOME_LOST && attempt <= LOST_RETRIES; attempt++)
		outcome = time_reference(&h, &v, e);
	operands_release(&h.operands);
	if (outcome == OUTCOME_VERDICT)
		return err_set(e, ERR_INPUT, "the reference fails on shape %s: %s: %s",
			       s->shape->name, reason_name(v.reason), v.detail);
	if (outcome == OUTCOME_LOST)
		return err_set(e, ERR_CHILD, "the reference's runner was killed %d times",
			       LOST_RETRIES + 1);
	return outcome < 0 ? -1 : 0;
}

void shown_release(struct shown *shown, const struct footprint *fp)
{
	for (size_t k = 0; k < SHOW_CALLS; k++) {
		for (size_t i = 0; shown->answers[k].got && i < fp->nr; i++)
			pages_free(shown->answers[k].got[i]);
		free(shown->answers[k].got);
	}
	*shown = (struct shown){ 0 };
}
