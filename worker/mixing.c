#include "worker/mixing.h"

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "judge/mixture.h"
#include "worker/cases.h"

enum { ONE_STRANGE_ROW_IN = 8 };

bool mixing_is_possible(const struct shape_cases *s, size_t arg)
{
	const struct operand *o = &s->fp.items[arg];
	if (!o->is_tensor || !o->is_input || !dtype_is_float(o->arg->dtype) || o->nr == 0)
		return false;
	for (size_t g = 0; g < s->nr; g++)
		if (!mixture_is_free(json_object_get(s->contents[g].group->inputs, o->arg->name)))
			return false;
	return true;
}

static int row_len_of(const struct mixing *m, size_t *len, struct err *e)
{
	const struct operand *o = &m->cases->fp.items[m->arg];
	int64_t extent[CONTENT_MAX_RANK] = { 0 };
	size_t rank = o->arg->nr_shape;
	if (rank > CONTENT_MAX_RANK)
		return err_set(e, ERR_INPUT, "argument %s has more than %d axes", o->arg->name,
			       CONTENT_MAX_RANK);
	if (arg_extents(o->arg, &m->cases->shape->dims, extent, e) < 0)
		return -1;
	*len = mixture_row_len(rank, (size_t)extent[rank ? rank - 1 : 0], o->nr);
	return 0;
}

int mixing_make(const struct mixing *m, unsigned char *out, struct err *e)
{
	const struct operand *o = &m->cases->fp.items[m->arg];
	AUTO_FREE const void **groups = xcalloc(m->cases->nr, sizeof(*groups));
	for (size_t g = 0; g < m->cases->nr; g++)
		groups[g] = m->cases->contents[g].in[m->arg];
	struct mixture_spec spec = {
		.dtype = o->arg->dtype,
		.nr = o->nr,
		.groups = groups,
		.nr_groups = m->cases->nr,
		.range = m->cases->ranges ? &m->cases->ranges[m->arg] : NULL,
		.base = m->base,
		.seed = m->seed,
	};
	if (row_len_of(m, &spec.row_len, e) < 0)
		return -1;
	const size_t nr_rows = (o->nr - 1) / spec.row_len + 1;
	spec.nr_strange = m->is_rare ? 1 : 1 + nr_rows / ONE_STRANGE_ROW_IN;
	mixture_fill(&spec, out);
	return 0;
}
