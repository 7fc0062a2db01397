#include "tuner/study.h"

/* Whether a row applies is asked of the row itself, on a scratch copy of the kernel: there is one
 * answer, and the student will give the same. */

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "tuner/origin.h"
#include "tuner/row.h"
#include "tuner/say.h"

static void open_kernel(struct kernel *k, const struct study *s, struct arena *a)
{
	struct row row;
	struct err ignored = { 0 };
	kernel_init(k, s->source, &s->task, a);
	if (!k->unread && row_parse(&row, "specialise shapes=all", a, &ignored) == 0)
		row.kind->apply(k, &row, &ignored);
}

/* Time of one call at the size where it is longest. */
static double longest(const struct tuner_task *t)
{
	double ns = 0;
	for (size_t i = 0; i < t->nr_shapes; i++)
		ns = t->shapes[i].ns > ns ? t->shapes[i].ns : ns;
	return ns;
}

/* The reference may be a file of this program's. */
static void find_start(struct study *s, const struct say *say)
{
	struct origin o;
	origin_find(&o, s->reference, &s->task, s->a);
	s->source = o.source;
	s->start = o.plan;
	if (o.plan.nr)
		say_text(say,
			 "the reference is a kernel of this program: the search goes on from the "
			 "%zu rows that it was made by",
			 o.plan.nr);
	if (o.doubt)
		say_text(say, "the reference lists rows, but is taken as any other source: %s",
			 o.doubt);
}

int study_open(struct study *s, const json_t *data, const struct say *say, struct arena *a,
	       struct err *e)
{
	*s = (struct study){ .a = a };
	if (tuner_task_read(&s->task, data, a, e) < 0)
		return -1;
	s->reference = arena_strdup(a, json_text_or(data, "reference", ""));
	find_start(s, say);
	s->ns = longest(&s->task);
	open_kernel(&s->kernel, s, a);
	if (!s->kernel.unread)
		nest_study(&s->nest, &s->kernel, a);
	return 0;
}

void study_release(struct study *s)
{
	kernel_release(&s->kernel);
}

bool study_applies(const struct study *s, const char *value)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { 0 };
	struct row row;
	struct err ignored = { 0 };
	open_kernel(&k, s, &a);
	return row_parse(&row, value, &a, &ignored) == 0 &&
	       row.kind->apply(&k, &row, &ignored) == 0;
}

int study_plan(const struct study *s, const struct strv *values, struct plan *out, struct err *e)
{
	*out = s->start;
	for (size_t i = 0; i < values->nr; i++) {
		const struct plan rows = plan_of_value(values->items[i], s->a);
		for (size_t n = 0; n < rows.nr; n++)
			if (plan_change(out, rows.rows[n], s->a, e) < 0)
				return -1;
	}
	return 0;
}

int study_go_on(struct study *out, const struct study *s, const struct strv *values, struct err *e)
{
	AUTO_STR struct str text = STR_INIT;
	*out = *s;
	if (study_plan(s, values, &out->start, e) < 0)
		return -1;
	if (!plan_has_kind(&out->start, "build"))
		return err_set(e, ERR_INPUT, "no decision names a build");
	if (plan_render(&out->start, s->source, &s->task, &text, e) < 0)
		return -1;
	out->reference = arena_strdup(s->a, text.text);
	return 0;
}
