#include "tuner/student.h"

/* A row that does not apply is no failure: the answer hands it back with the reason. */

#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "tuner/kernel.h"
#include "tuner/origin.h"
#include "tuner/row.h"
#include "tuner/ttask.h"

struct step {
	const char *id;
	struct row row;
};

struct steps {
	struct step *items;
	size_t nr;
	size_t cap;
};

static json_t *handback(const char *id, const char *reason)
{
	AUTO_FREE char *text = xasprintf("%s: %s", id, reason);
	return json_pack("{s:s, s:s}", "type", "handback", "reason", text);
}

static struct step *add_step(struct steps *steps, struct arena *a)
{
	if (steps->nr == steps->cap) {
		size_t cap = steps->cap ? 2 * steps->cap : 32;
		struct step *items = arena_array(a, cap, sizeof(*items));
		if (steps->nr)
			memcpy(items, steps->items, steps->nr * sizeof(*items));
		steps->items = items;
		steps->cap = cap;
	}
	return &steps->items[steps->nr++];
}

/* NULL, or the handback: the row's value is not in the vocabulary. A value may hold several rows.
 */
static json_t *read_step(struct steps *steps, const json_t *obj, struct arena *a)
{
	struct err e = { 0 };
	AUTO_STRV struct strv rows = { 0 };
	const char *id = arena_strdup(a, json_text_or(obj, "id", "?"));
	const char *value = json_text_or(obj, "value", NULL);
	if (!value)
		return handback(id, "the row has no value of the tuner's vocabulary");
	strv_split(&rows, value, "|");
	for (size_t i = 0; i < rows.nr; i++) {
		struct step *step = add_step(steps, a);
		step->id = id;
		if (row_parse(&step->row, rows.items[i], a, &e) < 0)
			return handback(id, e.text);
	}
	return rows.nr ? NULL : handback(id, "the row's value is empty");
}

/* What was accepted before. */
static json_t *read_steps(struct steps *steps, const json_t *data, struct arena *a)
{
	const json_t *rows = json_object_get(data, "rows");
	json_t *trouble = NULL;
	for (size_t i = 0; i < json_array_size(rows) && !trouble; i++)
		trouble = read_step(steps, json_array_get(rows, i), a);
	return trouble;
}

/* The latest row that takes the place of this one: itself when there is none. */
static size_t successor(const struct steps *steps, size_t at)
{
	size_t latest = at;
	for (size_t i = at + 1; i < steps->nr; i++)
		if (row_supersedes(&steps->items[i].row, &steps->items[at].row))
			latest = i;
	return latest;
}

static bool supersedes_earlier(const struct steps *steps, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (row_supersedes(&steps->items[at].row, &steps->items[i].row))
			return true;
	return false;
}

static bool is_drop(const struct step *step)
{
	return strcmp(step->row.kind->name, "drop") == 0;
}

/* Whether a later row says so. */
static bool is_dropped(const struct steps *steps, size_t at)
{
	for (size_t i = at + 1; i < steps->nr; i++)
		if (row_drops(&steps->items[i].row, &steps->items[at].row))
			return true;
	return false;
}

static bool drops_earlier(const struct steps *steps, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (row_drops(&steps->items[at].row, &steps->items[i].row))
			return true;
	return false;
}

/* Nothing is applied for it: it has its place elsewhere, or says what is not applied. */
static bool is_idle(const struct steps *steps, size_t at)
{
	return is_drop(&steps->items[at]) ? drops_earlier(steps, at)
					  : supersedes_earlier(steps, at);
}

/* A row that takes another's place is applied there: what came after the other builds on it. */
static json_t *apply_steps(struct kernel *k, const struct steps *steps)
{
	for (size_t i = 0; i < steps->nr; i++) {
		size_t at = is_drop(&steps->items[i]) ? i : successor(steps, i);
		const struct step *step = &steps->items[at];
		struct err e = { 0 };
		if (is_idle(steps, i) || is_dropped(steps, at))
			continue;
		if (step->row.kind->apply(k, &step->row, &e) < 0)
			return handback(step->id, e.text);
		strv_addf(&k->taken, "%s %s", step->id, step->row.text);
	}
	return NULL;
}

/* The name of the decision that a row of the plan comes from. */
static const char *origin_of(const struct steps *steps, const char *row)
{
	for (size_t i = steps->nr; i-- > 0;)
		if (strcmp(steps->items[i].row.text, row) == 0)
			return steps->items[i].id;
	return "start";
}

/* The source holds rows already: these change their list, and the list is applied anew. */
static json_t *apply_changes(struct kernel *k, const struct plan *start, const struct steps *steps)
{
	struct plan plan = *start;
	const char *id = steps->nr ? steps->items[steps->nr - 1].id : "start";
	for (size_t i = 0; i < steps->nr; i++) {
		struct err e = { 0 };
		if (plan_change(&plan, steps->items[i].row.text, k->a, &e) < 0)
			return handback(steps->items[i].id, e.text);
	}
	for (size_t i = 0; i < plan.nr; i++) {
		struct row row;
		struct err e = { 0 };
		if (row_parse(&row, plan.rows[i], k->a, &e) < 0 ||
		    row.kind->apply(k, &row, &e) < 0) {
			AUTO_FREE char *why = xasprintf("%s: %s", plan.rows[i], e.text);
			return handback(id, why);
		}
		strv_addf(&k->taken, "%s %s", origin_of(steps, plan.rows[i]), plan.rows[i]);
	}
	return NULL;
}

/* Accepted one by one, rows may come in an order in which a later one no longer applies, as threads
 * behind vectors: the order of a plan is the other one to try. */
static json_t *apply_in_order(struct kernel *k, const struct steps *steps, const char *source,
			      const struct tuner_task *task)
{
	const struct plan none = { .nr = 0 };
	json_t *trouble = apply_steps(k, steps);
	if (!trouble)
		return NULL;
	struct arena *a = k->a;
	kernel_release(k);
	kernel_init(k, source, task, a);
	AUTO_JSON json_t *again = apply_changes(k, &none, steps);
	if (again)
		return trouble;
	json_decref(trouble);
	return NULL;
}

/* The granted source with the steps applied, for the sake of the row `id`. */
static json_t *render(struct kernel *k, const struct steps *steps, const json_t *data,
		      const struct tuner_task *task, const char *id)
{
	const char *start = json_text_or(data, "start", NULL);
	struct origin o;
	if (!start)
		return handback(id, "there is no source to start from");
	origin_find(&o, start, task, k->a);
	kernel_init(k, o.source, task, k->a);
	return o.plan.nr ? apply_changes(k, &o.plan, steps)
			 : apply_in_order(k, steps, o.source, task);
}

static json_t *submit(const struct str *source, const char *id, const char *note)
{
	json_t *text = json_stringn(source->text, source->len);
	if (!text)
		return handback(id, "the source is not UTF-8");
	return json_pack("{s:s, s:o, s:s}", "type", "submit", "source", text, "note", note);
}

json_t *student_round(const json_t *data, struct err *e)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { .a = &a };
	AUTO_STR struct str source = STR_INIT;
	struct tuner_task task;
	struct steps steps = { 0 };
	const json_t *row = json_object_get(data, "row");
	if (tuner_task_read(&task, data, &a, e) < 0)
		return NULL;
	json_t *trouble = read_steps(&steps, data, &a);
	trouble = trouble ? trouble : read_step(&steps, row, &a);
	if (trouble)
		return trouble;
	const struct step *newest = &steps.items[steps.nr - 1];
	trouble = render(&k, &steps, data, &task, newest->id);
	if (trouble)
		return trouble;
	kernel_print(&k, &source);
	json_t *answer = submit(&source, newest->id, newest->row.kind->text);
	double predicts = json_real_or(row, "predicts", 0);
	if (predicts > 0)
		json_object_set_new(answer, "predicted", json_pack("{s:f}", "speedup", predicts));
	return answer;
}

/* Takes `why` over: what the others say without it. */
static json_t *needed(const char *id, json_t *why)
{
	AUTO_JSON json_t *own = why;
	AUTO_FREE char *text = xasprintf("the other rows do not apply without it: %s",
					 json_text_or(own, "reason", "?"));
	return handback(id, text);
}

json_t *student_ablation(const json_t *data, struct err *e)
{
	AUTO_ARENA struct arena a = { 0 };
	AUTO_KERNEL struct kernel k = { .a = &a };
	AUTO_STR struct str source = STR_INIT;
	struct tuner_task task;
	struct steps steps = { 0 };
	const char *id = json_text_or(json_object_get(data, "row"), "id", "?");
	if (tuner_task_read(&task, data, &a, e) < 0)
		return NULL;
	json_t *trouble = read_steps(&steps, data, &a);
	if (trouble)
		return trouble;
	trouble = render(&k, &steps, data, &task, id);
	if (trouble)
		return needed(id, trouble);
	kernel_print(&k, &source);
	if (str_equal(source.text, json_text_or(data, "base", NULL)))
		return handback(id, "the kernel is the same without it");
	return submit(&source, id, arena_printf(&a, "without %s", id));
}
