#include "worker/content.h"

/* Filling draws the same bits on every machine (judge/fill.c); judging is judge/judge.c. This file
 * only brings both together with the sizes of a shape. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "judge/fill.h"
#include "worker/pages.h"

size_t want_cell_bytes(const struct operand *o)
{
	enum dtype t = o->arg->dtype;
	return dtype_is_float(t) ? sizeof(double) : dtype_bytes(t);
}

void content_init(struct content *c, const struct footprint *fp, const struct group *group)
{
	*c = (struct content){ .fp = fp, .group = group };
	c->in = xcalloc(fp->nr, sizeof(*c->in));
	c->want = xcalloc(fp->nr, sizeof(*c->want));
	c->own = xcalloc(fp->nr, sizeof(*c->own));
	for (size_t p = 0; p < ARRAY_LEN(c->seen); p++)
		c->seen[p] = xcalloc(fp->nr, sizeof(*c->seen[p]));
}

int content_fill(struct content *c, const struct worker *w, const struct footprint *fp,
		 const struct group *group, uint64_t seed, struct err *e)
{
	content_init(c, fp, group);
	for (size_t i = 0; i < fp->nr; i++) {
		const struct operand *o = &fp->items[i];
		if (!o->is_tensor || !o->is_input)
			continue;
		c->in[i] = pages_new(o->bytes);
		if (fill_arg(&w->task.args[i], fp->shape, group, seed, c->in[i], e) < 0)
			return err_wrap(e, "shape %s, group %s", fp->shape->name, group->name);
	}
	return 0;
}

void content_drop_inputs(struct content *c)
{
	for (size_t i = 0; c->in && i < c->fp->nr; i++) {
		pages_free(c->in[i]);
		c->in[i] = NULL;
	}
}

void content_release(struct content *c)
{
	content_drop_inputs(c);
	for (size_t i = 0; c->want && i < c->fp->nr; i++)
		pages_free(c->want[i]);
	for (size_t p = 0; p < ARRAY_LEN(c->seen); p++) {
		for (size_t i = 0; c->seen[p] && i < c->fp->nr; i++)
			fingerprint_release(&c->seen[p][i]);
		free(c->seen[p]);
	}
	free(c->in);
	free(c->want);
	free(c->own);
	*c = (struct content){ 0 };
}

static int extent_of(const struct content *c, size_t arg, int64_t *extent, struct err *e)
{
	const struct arg *output = c->fp->items[arg].arg;
	if (output->nr_shape > CONTENT_MAX_RANK)
		return err_set(e, ERR_INPUT, "output %s has more than %d axes", output->name,
			       CONTENT_MAX_RANK);
	return arg_extents(output, &c->fp->shape->dims, extent, e);
}

static int fill_output(struct judge_output *out, const struct content *c,
		       const struct tolerances *t, const struct answer *a, size_t arg,
		       struct err *e)
{
	const struct operand *o = &c->fp->items[arg];
	const struct tolerance *tol = tolerances_find(t, c->group->name, o->arg->name);
	if (!tol)
		return err_set(e, ERR_INPUT, "no tolerance for group %s, output %s", c->group->name,
			       o->arg->name);
	out->name = o->arg->name;
	out->dtype = o->arg->dtype;
	out->rank = o->arg->nr_shape;
	out->got = a->got[arg];
	out->want = c->want[arg];
	out->poison_salt = a->poison_salt;
	out->tol = *tol;
	out->tol.slice = fmax(tol->slice, c->own[arg].slice);
	out->tol.tensor = fmax(tol->tensor, c->own[arg].tensor);
	return 0;
}

int content_judge(const struct content *c, const struct tolerances *t, const struct answer *a,
		  struct judgement *out, struct err *e)
{
	AUTO_FREE struct judge_output *outputs = xcalloc(c->fp->nr, sizeof(*outputs));
	AUTO_FREE int64_t *extents = xcalloc(c->fp->nr * CONTENT_MAX_RANK, sizeof(*extents));
	size_t nr = 0;
	for (size_t i = 0; i < c->fp->nr; i++) {
		if (!c->fp->items[i].is_output)
			continue;
		int64_t *extent = extents + i * CONTENT_MAX_RANK;
		if (extent_of(c, i, extent, e) < 0 || fill_output(&outputs[nr], c, t, a, i, e) < 0)
			return -1;
		outputs[nr++].extent = extent;
	}
	struct judge_case one = {
		.shape = c->fp->shape->name,
		.group = c->group->name,
		.outputs = outputs,
		.nr_outputs = nr,
		.stray_write = a->stray_write,
		.not_repeatable = a->not_repeatable,
	};
	judge_case_run(&one, out);
	return 0;
}

int content_to_compare(const struct content *c, const struct answer *a, size_t arg,
		       int64_t extent[CONTENT_MAX_RANK], struct compare_spec *out, struct err *e)
{
	const struct operand *o = &c->fp->items[arg];
	*out = (struct compare_spec){
		.dtype = o->arg->dtype,
		.extent = extent,
		.rank = o->arg->nr_shape,
		.got = a->got[arg],
		.want = c->want[arg],
		.tol_slice = (double)INFINITY,
		.tol_tensor = (double)INFINITY,
		.poison_salt = a->poison_salt,
	};
	return extent_of(c, arg, extent, e);
}
