#include "worker/oracle.h"

/* One process per shape; the expected values are copied out before the process ends. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "judge/poison.h"
#include "worker/operands.h"
#include "worker/outcome.h"
#include "worker/pages.h"
#include "worker/show.h"

static int check_written(const struct operands *o, size_t arg, struct err *e)
{
	const struct operand *item = &o->fp->items[arg];
	enum dtype t = dtype_is_float(item->arg->dtype) ? DTYPE_F64 : item->arg->dtype;
	/* One or two bytes hold the pattern by chance; four or eight prove a gap. */
	if (dtype_bytes(t) < sizeof(uint32_t))
		return 0;
	size_t nr = poison_count(t, operands_at(o, arg), item->nr, o->salt);
	if (nr == 0)
		return 0;
	return err_set(e, ERR_INPUT, "the judge left %zu of %zu elements of %s unwritten", nr,
		       item->nr, item->arg->name);
}

static int take_answers(const struct operands *o, struct content *c, struct err *e)
{
	for (size_t i = 0; i < o->fp->nr; i++) {
		if (!o->fp->items[i].is_output)
			continue;
		if (check_written(o, i, e) < 0)
			return -1;
		c->want[i] = pages_new(o->bytes[i]);
		memcpy(c->want[i], operands_at(o, i), o->bytes[i]);
	}
	c->is_expected = true;
	return 0;
}

static const char *name_of(const void *ctx, unsigned region)
{
	return operands_name_of_region(ctx, region);
}

/* Not the machine and not the candidate: whoever wrote the judge is told. */
static void blame_judge(struct worker *w)
{
	worker_record(w, "judge_fault", json_string("run"));
}

static int answer_one(struct worker *w, struct side *side, struct operands *o, struct content *c,
		      struct verdict *v, struct err *e)
{
	operands_load(o, c, PLACED_RIGHT, rng_derive(w->job.seed, "oracle"));
	struct outcome_call call = {
		.side = side,
		.args = o->args,
		.nr_args = o->fp->nr,
		.nr_calls = 1,
		.sleeps = w->task.judge_threads > 1,
		.call_deadline_ns = worker_left_ns(w),
		.counter_ns = &w->spent.judge_ns,
		.name_of = name_of,
		.ctx = o,
	};
	struct side_time t = { 0 };
	int outcome = outcome_run(w, &call, &t, v, e);
	if (outcome != OUTCOME_DONE)
		return outcome;
	if (take_answers(o, c, e) == 0)
		return OUTCOME_DONE;
	blame_judge(w);
	return -1;
}

static int answer_all(struct worker *w, struct operands *o, struct content *contents, size_t nr,
		      struct err *e)
{
	struct outcome_spec spec = {
		.party = PARTY_ORACLE,
		.regions = o->regions,
		.nr_regions = o->nr_regions,
	};
	AUTO_SIDE struct side *side = NULL;
	struct verdict v = { 0 };
	int outcome = outcome_start(w, &spec, &side, &v, e);
	for (size_t i = 0; outcome == OUTCOME_DONE && i < nr; i++) {
		if (contents[i].is_expected)
			continue;
		outcome = answer_one(w, side, o, &contents[i], &v, e);
		if (outcome == -1)
			return err_wrap(e, "shape %s, group %s", o->fp->shape->name,
					contents[i].group->name);
	}
	if (outcome == OUTCOME_VERDICT)
		blame_judge(w);
	if (outcome == OUTCOME_VERDICT)
		return err_set(e, ERR_INPUT, "the judge failed on shape %s: %s: %s",
			       o->fp->shape->name, reason_name(v.reason), v.detail);
	return outcome;
}

static bool all_expected(const struct content *contents, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!contents[i].is_expected)
			return false;
	return true;
}

/* `want` holds doubles for floats and else the bytes themselves. */
static void take_shown(struct content *c, const struct answer *a)
{
	for (size_t i = 0; i < c->fp->nr; i++) {
		const struct operand *o = &c->fp->items[i];
		if (!o->is_output)
			continue;
		c->want[i] = pages_new(size_mul(o->nr, want_cell_bytes(o)));
		if (!dtype_is_float(o->arg->dtype))
			memcpy(c->want[i], a->got[i], o->bytes);
		else
			for (size_t k = 0; k < o->nr; k++)
				((double *)c->want[i])[k] = dtype_load(o->arg->dtype, a->got[i], k);
	}
	c->is_expected = true;
}

static int take_reference(const struct footprint *fp, struct content *contents, size_t nr,
			  const struct shown *shown, struct err *e)
{
	for (size_t i = 0; i < nr; i++) {
		if (!shown[i].was_called || shown[i].ended.state != VERDICT_NONE)
			return err_set(
				e, ERR_INPUT,
				"the reference gives no expected values: shape %s, group %s: "
				"%s: %s",
				fp->shape->name, contents[i].group->name,
				reason_name(shown[i].ended.reason), shown[i].ended.detail);
		if (!contents[i].is_expected)
			take_shown(&contents[i], &shown[i].answers[0]);
	}
	return 0;
}

/* A leaderboard whose judge is its reference: that one answers, in a process of its own, after the
 * candidate did. */
static int ask_reference(struct worker *w, const struct footprint *fp, struct content *contents,
			 size_t nr, struct err *e)
{
	struct shape_cases s = { .shape = fp->shape, .fp = *fp, .contents = contents, .nr = nr };
	AUTO_FREE struct shown *shown = xcalloc(nr, sizeof(*shown));
	int rc = show_shape(w, &s, PARTY_REFERENCE, worker_left_ns(w), shown, e);
	if (rc == 0)
		rc = take_reference(fp, contents, nr, shown, e);
	for (size_t i = 0; i < nr; i++)
		shown_release(&shown[i], fp);
	return rc;
}

static int ask_judge(struct worker *w, const struct footprint *fp, struct content *contents,
		     size_t nr, struct err *e)
{
	AUTO_OPERANDS struct operands o;
	if (operands_make(&o, fp, true, e) < 0)
		return -1;
	for (int attempt = 0; attempt <= LOST_RETRIES; attempt++) {
		int outcome = answer_all(w, &o, contents, nr, e);
		if (outcome != OUTCOME_LOST)
			return outcome;
	}
	return err_set(e, ERR_CHILD, "the judge's runner was killed %d times", LOST_RETRIES + 1);
}

int oracle_run(struct worker *w, const struct footprint *fp, struct content *contents, size_t nr,
	       struct err *e)
{
	if (all_expected(contents, nr))
		return 0;
	if (task_expects_reference(&w->task))
		return ask_reference(w, fp, contents, nr, e);
	if (ask_judge(w, fp, contents, nr, e) < 0)
		return -1;
	/* Who sleeps while several cores work has moved to one of theirs. */
	return w->task.judge_threads > 1 ? worker_pin(w, e) : 0;
}
