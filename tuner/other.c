#include "tuner/other.h"

/* A lab has timed what it proposes. A proposal that rests on the source alone is shown to the judge
 * first where forge grants that: a row in the place of another is applied before all that came
 * later, so a bad one costs many rounds and a probe costs one job. */

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/curriculum.h"
#include "tuner/campaign.h"
#include "tuner/draft.h"
#include "tuner/plan.h"
#include "tuner/propose.h"
#include "tuner/row.h"
#include "tuner/say.h"
#include "tuner/study.h"
#include "tuner/tools.h"

/* How much is optimised, and for which machine, changes no value. */
static bool is_liberty(const char *flag)
{
	return !str_starts(flag, "-O") && !str_starts(flag, "-march=");
}

static bool allows_all_of(const struct row *build, const struct row *refused)
{
	AUTO_STRV struct strv own = { 0 };
	AUTO_STRV struct strv flags = { 0 };
	size_t nr = 0;
	strv_split(&own, row_get(build, "flags"), ",");
	strv_split(&flags, row_get(refused, "flags"), ",");
	for (size_t i = 0; i < flags.nr; i++) {
		if (!is_liberty(flags.items[i]))
			continue;
		nr++;
		if (!strv_has(&own, flags.items[i]))
			return false;
	}
	return nr > 0;
}

bool other_is_hopeless(const struct strv *refused, const char *value, struct arena *a)
{
	struct err ignored = { 0 };
	struct row build;
	if (!row_text_is(value, "build") || row_parse(&build, value, a, &ignored) < 0)
		return false;
	for (size_t i = 0; i < refused->nr; i++) {
		struct row row;
		if (row_text_is(refused->items[i], "build") &&
		    row_parse(&row, refused->items[i], a, &ignored) == 0 &&
		    str_equal(row_get(&row, "cc"), row_get(&build, "cc")) &&
		    allows_all_of(&build, &row))
			return true;
	}
	return false;
}

static bool is_new(const struct draft *d, const char *value)
{
	return !strv_has(&d->tried, value) && !draft_find_value(d, value);
}

static struct decision in_place_of(const struct decision *row, const struct decision *other)
{
	struct decision out = *other;
	out.id = row->id;
	out.covers = row->covers;
	out.needs = row->needs;
	out.nr_needs = row->nr_needs;
	out.atomic = row->atomic;
	return out;
}

/* The value with what the best plan has instead of its rows; NULL: it has the same, or nothing. */
static const char *found_instead(const struct plan *best, const char *value, struct arena *a)
{
	const struct plan own = plan_of_value(value, a);
	const char *text = NULL;
	bool is_other = false;
	for (size_t i = 0; i < own.nr; i++) {
		const char *rival = plan_rival(best, own.rows[i], a);
		is_other = is_other || !rival || strcmp(rival, own.rows[i]) != 0;
		if (rival)
			text = text ? arena_printf(a, "%s | %s", text, rival) : rival;
	}
	return is_other ? text : NULL;
}

static bool from_lab(const struct others *o, const struct draft *d, const struct decision *row,
		     struct decision *out)
{
	const char *value = o->found ? found_instead(&o->found->best.plan, row->value, d->a) : NULL;
	if (!value || !is_new(d, value))
		return false;
	*out = *row;
	out->value = value;
	out->predicts = 0;
	out->why = arena_printf(d->a,
				"of %zu kernels that were timed in the workspace without what was "
				"refuted the fastest has it",
				o->found->evaluations);
	return true;
}

/* The rows that stay with one more. NULL: they do not go together. */
static const char *render_with(const struct others *o, const char *value, struct arena *a)
{
	AUTO_STR struct str text = STR_INIT;
	AUTO_STRV struct strv values = { 0 };
	struct err ignored = { 0 };
	struct plan p;
	strv_add_all(&values, &o->held);
	strv_add(&values, value);
	if (study_plan(o->s, &values, &p, &ignored) < 0 ||
	    plan_render(&p, o->s->source, &o->s->task, &text, &ignored) < 0)
		return NULL;
	return arena_strdup(a, text.text);
}

/* False: the judge says no. Where nobody is asked the student's round will tell. */
static bool is_passed(const struct others *o, struct decision *out, struct arena *a)
{
	AUTO_STR struct str why = STR_INIT;
	struct speed speed;
	if (!o->tools || !o->tools->has_probe || o->tools->left <= 0 || o->found)
		return true;
	const char *source = render_with(o, out->value, a);
	if (!source || !tools_probe(o->tools, source, &speed, &why))
		return true;
	if (speed.ratio <= 0) {
		say_text(o->say, "%s would be refused: %s", out->value, why.text);
		return false;
	}
	out->predicts = speed.ratio;
	say_text(o->say, "%s, with the rows of the best: %.2fx the reference's speed", out->value,
		 speed.ratio);
	return true;
}

/* Whether what the proposal builds on is there, or is the row itself and not wrong. */
static bool has_ground(const struct draft *d, const struct decision *row, bool is_wrong,
		       const struct proposal *p)
{
	if (!p->builds_on || draft_find_value(d, p->builds_on))
		return true;
	return !is_wrong && strcmp(p->builds_on, row->value) == 0;
}

static bool is_other(const struct others *o, const struct draft *d, const struct decision *row,
		     bool is_wrong, const struct proposal *p)
{
	const struct plan own = { .rows = { row->value }, .nr = 1 };
	const char *value = p->row.value;
	return value && strcmp(value, row->value) != 0 && !plan_has(&o->s->start, value) &&
	       is_new(d, value) && plan_rival(&own, value, d->a) && has_ground(d, row, is_wrong, p);
}

static bool from_source(const struct others *o, const struct draft *d, const struct decision *row,
			bool is_wrong, struct decision *out)
{
	for (size_t i = 0; i < o->list->nr; i++) {
		const struct proposal *p = &o->list->items[i];
		if (!is_other(o, d, row, is_wrong, p))
			continue;
		*out = in_place_of(row, &p->row);
		if (is_passed(o, out, d->a))
			return true;
	}
	return false;
}

bool other_find(const struct others *o, const struct draft *d, const struct decision *row,
		bool is_wrong, struct decision *out)
{
	return row->value && (from_lab(o, d, row, out) || from_source(o, d, row, is_wrong, out));
}
