#include "judge/tolerance.h"

/* Twice the reference's own error, never below twice the dtype's floor: a candidate may round
 * differently, it may not be coarser. The rule knows nothing of the operator. */

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "model/leaderboard.h"
#include "model/task.h"

enum { FORMAT_VERSION = 1 };

static const double SLACK = 2;

struct tolerance tolerance_of(enum dtype dtype, struct tolerance reference)
{
	if (!dtype_is_float(dtype))
		return (struct tolerance){ 0 };
	return (struct tolerance){
		.slice = SLACK * fmax(reference.slice, dtype_floor(dtype)),
		.tensor = SLACK * fmax(reference.tensor, dtype_floor(dtype)),
	};
}

bool tolerance_of_origin(const struct task *t, const char *output, struct tolerance *out)
{
	const struct leaderboard_tolerance *rule =
		t->leaderboard ? leaderboard_find(t->leaderboard, output) : NULL;
	if (rule)
		*out = (struct tolerance){ .is_origin = true,
					   .relative = rule->relative,
					   .absolute = rule->absolute };
	return rule != NULL;
}

static struct tolerance_row *find_row(const struct tolerances *t, const char *group,
				      const char *output)
{
	for (size_t i = 0; i < t->nr; i++) {
		struct tolerance_row *row = &t->rows[i];
		if (strcmp(row->group, group) == 0 && strcmp(row->output, output) == 0)
			return row;
	}
	return NULL;
}

/* The arena frees nothing before its end, so room doubles. */
static void make_room(struct tolerances *t)
{
	if (t->nr < t->cap)
		return;
	size_t cap = t->cap ? 2 * t->cap : 16;
	struct tolerance_row *rows = arena_array(&t->arena, cap, sizeof(*rows));
	for (size_t i = 0; i < t->nr; i++)
		rows[i] = t->rows[i];
	t->rows = rows;
	t->cap = cap;
}

struct tolerance_row *tolerances_row(struct tolerances *t, const char *group, const char *output)
{
	struct tolerance_row *row = find_row(t, group, output);
	if (row)
		return row;
	make_room(t);
	row = &t->rows[t->nr++];
	row->group = arena_strdup(&t->arena, group);
	row->output = arena_strdup(&t->arena, output);
	return row;
}

const struct tolerance *tolerances_find(const struct tolerances *t, const char *group,
					const char *output)
{
	const struct tolerance_row *row = find_row(t, group, output);
	return row ? &row->tol : NULL;
}

void tolerances_release(struct tolerances *t)
{
	arena_release(&t->arena);
	*t = (struct tolerances){ 0 };
}

static json_t *row_to_json(const struct tolerance_row *row)
{
	json_t *json = json_object();
	json_object_set_new(json, "group", json_string(row->group));
	json_object_set_new(json, "output", json_string(row->output));
	json_object_set_new(json, "dtype", json_string(dtype_name(row->dtype)));
	if (row->tol.is_origin) {
		json_object_set_new(json, "rtol", json_number(row->tol.relative));
		json_object_set_new(json, "atol", json_number(row->tol.absolute));
	} else {
		json_object_set_new(json, "tol_slice", json_number(row->tol.slice));
		json_object_set_new(json, "tol_tensor", json_number(row->tol.tensor));
	}
	json_object_set_new(json, "reference_slice", json_number(row->reference.slice));
	json_object_set_new(json, "reference_tensor", json_number(row->reference.tensor));
	return json;
}

json_t *tolerances_to_json(const struct tolerances *t)
{
	json_t *json = json_object();
	json_t *outputs = json_array();
	for (size_t i = 0; i < t->nr; i++)
		json_array_append_new(outputs, row_to_json(&t->rows[i]));
	json_object_set_new(json, "version", json_integer(FORMAT_VERSION));
	json_object_set_new(json, "outputs", outputs);
	if (t->reference)
		json_object_set_new(json, "reference", json_string(t->reference));
	return json;
}

static int get_error(const json_t *json, const char *key, const char *doc, double *out,
		     struct err *e)
{
	if (json_get_real(json, key, doc, out, e) < 0)
		return -1;
	if (!(*out >= 0) || isinf(*out))
		return err_set(e, ERR_INPUT, "%s: member \"%s\" is not a tolerance", doc, key);
	return 0;
}

static int get_rule(const json_t *json, const char *doc, struct tolerance_row *row, struct err *e)
{
	row->tol.is_origin = json_object_get(json, "rtol") != NULL;
	if (row->tol.is_origin)
		return get_error(json, "rtol", doc, &row->tol.relative, e) < 0
			       ? -1
			       : get_error(json, "atol", doc, &row->tol.absolute, e);
	if (get_error(json, "tol_slice", doc, &row->tol.slice, e) < 0)
		return -1;
	return get_error(json, "tol_tensor", doc, &row->tol.tensor, e);
}

static int get_errors(const json_t *json, const char *doc, struct tolerance_row *row, struct err *e)
{
	if (get_rule(json, doc, row, e) < 0)
		return -1;
	if (get_error(json, "reference_slice", doc, &row->reference.slice, e) < 0)
		return -1;
	return get_error(json, "reference_tensor", doc, &row->reference.tensor, e);
}

/* What the file says must be what the rule makes of the reference's errors: a frozen file that was
 * edited by hand is refused even where its digest is not at hand. */
static int check_rule(const struct tolerance_row *row, const char *doc, struct err *e)
{
	struct tolerance made = tolerance_of(row->dtype, row->reference);
	if (row->tol.is_origin)
		return 0; /* tolerances_check_task */
	if (made.slice != row->tol.slice || made.tensor != row->tol.tensor)
		return err_set(
			e, ERR_INPUT, "%s: group %s, output %s: the tolerance is not %g x %s", doc,
			row->group, row->output, SLACK, "max(the reference's error, the floor)");
	return 0;
}

static int add_row(struct tolerances *t, const json_t *json, const char *doc, struct err *e)
{
	const char *group = NULL;
	const char *output = NULL;
	const char *dtype = NULL;
	if (json_get_text(json, "group", doc, &group, e) < 0 ||
	    json_get_text(json, "output", doc, &output, e) < 0 ||
	    json_get_text(json, "dtype", doc, &dtype, e) < 0)
		return -1;
	if (find_row(t, group, output))
		return err_set(e, ERR_INPUT, "%s: group %s, output %s stands twice", doc, group,
			       output);
	struct tolerance_row *row = tolerances_row(t, group, output);
	if (dtype_parse(dtype, &row->dtype) < 0)
		return err_set(e, ERR_INPUT, "%s: no such dtype \"%s\"", doc, dtype);
	return get_errors(json, doc, row, e) < 0 ? -1 : check_rule(row, doc, e);
}

static int add_rows(struct tolerances *t, const json_t *json, const char *doc, struct err *e)
{
	int64_t version = 0;
	json_t *outputs = NULL;
	if (json_get_int(json, "version", doc, &version, e) < 0)
		return -1;
	if (version != FORMAT_VERSION)
		return err_set(e, ERR_INPUT, "%s: version %lld is not known", doc,
			       (long long)version);
	if (json_get_array(json, "outputs", doc, &outputs, e) < 0)
		return -1;
	const char *reference = json_text_or(json, "reference", NULL);
	t->reference = reference ? arena_strdup(&t->arena, reference) : NULL;
	for (size_t i = 0; i < json_array_size(outputs); i++) {
		if (add_row(t, json_array_get(outputs, i), doc, e) < 0)
			return -1;
	}
	return 0;
}

static bool follows_task(const struct tolerance_row *row, const struct task *task)
{
	struct tolerance origin = { 0 };
	tolerance_of_origin(task, row->output, &origin);
	return row->tol.is_origin == origin.is_origin && row->tol.relative == origin.relative &&
	       row->tol.absolute == origin.absolute;
}

int tolerances_check_task(const struct tolerances *t, const struct task *task, const char *doc,
			  struct err *e)
{
	for (size_t i = 0; i < t->nr; i++)
		if (!follows_task(&t->rows[i], task))
			return err_set(e, ERR_INPUT,
				       "%s: group %s, output %s: the tolerance is not by the "
				       "task's rule (%s)",
				       doc, t->rows[i].group, t->rows[i].output,
				       task->leaderboard ? "the origin's rtol and atol"
							 : "measured on the reference");
	return 0;
}

int tolerances_from_json(struct tolerances *t, const json_t *json, const char *doc, struct err *e)
{
	*t = (struct tolerances){ 0 };
	if (add_rows(t, json, doc, e) == 0)
		return 0;
	tolerances_release(t);
	return -1;
}
