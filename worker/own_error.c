#include "worker/own_error.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "judge/calibrate.h"
#include "worker/show.h"

bool own_error_is_granted(const struct worker *w)
{
	const struct build *b = &w->builds[PARTY_REFERENCE];
	/* The origin's judge knows no such second look. */
	return b->nr_so && !w->task.leaderboard && w->tolerances.reference &&
	       str_equal(w->tolerances.reference, b->source.hex);
}

static int take_output(struct content *c, const struct answer *a, size_t arg, struct err *e)
{
	const struct operand *o = &c->fp->items[arg];
	int64_t extent[CONTENT_MAX_RANK] = { 0 };
	struct compare_spec spec;
	if (content_to_compare(c, a, arg, extent, &spec, e) < 0)
		return -1;
	struct compare compare;
	spec.tol_slice = calibrate_limit(o->arg->dtype);
	compare_run(&spec, &compare);
	if (!calibrate_is_aligned_still(o->arg->dtype, &compare))
		return 0;
	c->own[arg] =
		tolerance_of(o->arg->dtype, (struct tolerance){ .slice = compare.max_slice_err,
								.tensor = compare.max_tensor_err });
	return 0;
}

int own_error_take(struct content *c, const struct answer *a, struct err *e)
{
	for (size_t i = 0; i < c->fp->nr; i++)
		if (c->fp->items[i].is_output && take_output(c, a, i, e) < 0)
			return -1;
	return 0;
}

static int take_all(struct shape_cases *s, const struct shown *shown, struct err *e)
{
	for (size_t i = 0; i < s->nr; i++)
		if (shown[i].was_called && shown[i].ended.state == VERDICT_NONE &&
		    own_error_take(&s->contents[i], &shown[i].answers[0], e) < 0)
			return -1;
	return 0;
}

int own_error_learn(struct worker *w, struct shape_cases *s, uint64_t call_deadline_ns,
		    struct err *e)
{
	AUTO_FREE struct shown *shown = xcalloc(s->nr, sizeof(*shown));
	int rc = show_shape(w, s, PARTY_REFERENCE, call_deadline_ns, shown, e);
	if (rc == 0)
		rc = take_all(s, shown, e);
	for (size_t i = 0; i < s->nr; i++)
		shown_release(&shown[i], &s->fp);
	return rc;
}
