#include "worker/oracle.h"

/* One process per shape; the expected values are copied out before the process ends. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "judge/poison.h"
#include "worker/operands.h"
#include "worker/outcome.h"
#include "worker/pages.h"

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

static int answer_one(struct worker *w, struct side *side, struct operands *o, struct content *c,
		      struct verdict *v, struct err *e)
{
	operands_load(o, c, PLACED_RIGHT, rng_derive(w->job.seed, "oracle"));
	struct outcome_call call = {
		.side = side,
		.args = o->args,
		.nr_args = o->fp->nr,
		.nr_calls = 1,
		.call_deadline_ns = worker_left_ns(w),
		.counter_ns = &w->spent.judge_ns,
		.name_of = name_of,
		.ctx = o,
	};
	struct side_time t = { 0 };
	int outcome = outcome_run(w, &call, &t, v, e);
	if (outcome != OUTCOME_DONE)
		return outcome;
	return take_answers(o, c, e) < 0 ? -1 : OUTCOME_DONE;
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

int oracle_run(struct worker *w, const struct footprint *fp, struct content *contents, size_t nr,
	       struct err *e)
{
	if (all_expected(contents, nr))
		return 0;
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
