#include "model/lint.h"

/* The inputs of a group against the argument list and generators.def: every input has a generator,
 * every generator is known and is given what it needs and nothing else. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "model/expr.h"

struct generator {
	const char *name;
	const char *params; /* "mean? std?": blank-separated, '?' marks the optional */
};

static const struct generator generators[] = {
#define GENERATOR(name, params, text) { #name, params },
#include "model/generators.def"
#undef GENERATOR
};

/* A generator where it stands. */
struct place {
	const struct lint *lint;
	const struct lint_case *c;
	const struct arg *arg;
	const struct generator *generator;
	const json_t *json;
	unsigned line;
};

#define PLACE_ERROR(p, ...)                                                                        \
	LINT_ERROR((p)->lint, (p)->lint->task->shapes.path, (p)->line, __VA_ARGS__)

static const struct generator *find_generator(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(generators); i++)
		if (strcmp(generators[i].name, name) == 0)
			return &generators[i];
	return NULL;
}

static bool has_param(const struct generator *g, const char *name)
{
	AUTO_STRV struct strv params = { 0 };
	strv_split(&params, g->params, " ?");
	return strv_has(&params, name);
}

static void check_needed(const struct place *p)
{
	AUTO_STRV struct strv params = { 0 };
	strv_split(&params, p->generator->params, " ");
	for (size_t i = 0; i < params.nr; i++)
		if (!str_ends(params.items[i], "?") && !json_object_get(p->json, params.items[i]))
			PLACE_ERROR(p, "group %s, input %s: %s needs %s", p->c->group->name,
				    p->arg->name, p->generator->name, params.items[i]);
}

/* A number, or text with an expression over the dims of the shape. */
static int number_at(const struct place *p, const json_t *value, double *out, struct err *e)
{
	int64_t whole;
	if (json_is_number(value)) {
		*out = json_number_value(value);
		return 0;
	}
	if (!json_is_string(value))
		return err_set(e, ERR_INPUT, "it must be a number or an expression over dims");
	if (expr_eval(json_string_value(value), &p->c->shape->dims, &whole, e) < 0)
		return -1;
	*out = (double)whole;
	return 0;
}

static bool is_probability(const char *param)
{
	return strcmp(param, "rate") == 0 || strcmp(param, "density") == 0;
}

static void check_number(const struct place *p, const char *param, const json_t *value)
{
	struct err e = { 0 };
	double number;
	const char *group = p->c->group->name;
	if (number_at(p, value, &number, &e) < 0)
		PLACE_ERROR(p, "group %s, input %s: %s at shape %s: %s", group, p->arg->name, param,
			    p->c->shape->name, e.text);
	else if (is_probability(param) && (number < 0 || number > 1))
		PLACE_ERROR(p, "group %s, input %s: %s is %g; it must be 0 to 1", group,
			    p->arg->name, param, number);
	else if (strcmp(param, "std") == 0 && number < 0)
		PLACE_ERROR(p, "group %s, input %s: std is negative", group, p->arg->name);
	else if (strcmp(param, "block") == 0 && number < 1)
		PLACE_ERROR(p, "group %s, input %s: block must be at least 1", group, p->arg->name);
}

static void check_skew(const struct place *p, const json_t *value)
{
	const char *word = json_string_value(value);
	if (!str_equal(word, "even") && !str_equal(word, "random") && !str_equal(word, "power"))
		PLACE_ERROR(p, "group %s, input %s: skew must be \"even\", \"random\" or \"power\"",
			    p->c->group->name, p->arg->name);
}

static bool is_special(const json_t *value)
{
	const char *word = json_string_value(value);
	return str_equal(word, "nan") || str_equal(word, "inf") || str_equal(word, "-inf");
}

static bool is_listable(const struct place *p, const json_t *value)
{
	double number;
	struct err ignored = { 0 };
	if (strcmp(p->generator->name, "specials") == 0)
		return is_special(value);
	return is_special(value) || number_at(p, value, &number, &ignored) == 0;
}

static void check_values(const struct place *p, const json_t *values)
{
	bool wants_specials = strcmp(p->generator->name, "specials") == 0;
	bool is_right = json_array_size(values) > 0;
	for (size_t i = 0; i < json_array_size(values); i++)
		is_right = is_right && is_listable(p, json_array_get(values, i));
	if (!is_right)
		PLACE_ERROR(p, "group %s, input %s: values must be a list of %s", p->c->group->name,
			    p->arg->name,
			    wants_specials ? "\"nan\", \"inf\", \"-inf\"" : "numbers");
}

static void check_param(const struct place *p, const char *param, const json_t *value)
{
	if (strcmp(param, "kind") == 0)
		return;
	if (!has_param(p->generator, param))
		PLACE_ERROR(p, "group %s, input %s: %s has no parameter \"%s\"; it takes: %s",
			    p->c->group->name, p->arg->name, p->generator->name, param,
			    p->generator->params);
	else if (strcmp(param, "skew") == 0)
		check_skew(p, value);
	else if (strcmp(param, "values") == 0)
		check_values(p, value);
	else
		check_number(p, param, value);
}

static void check_interval(const struct place *p, const char *low_key, const char *high_key)
{
	struct err ignored = { 0 };
	double low = 0;
	double high = 0;
	const json_t *low_json = json_object_get(p->json, low_key);
	const json_t *high_json = json_object_get(p->json, high_key);
	if (!high_json || number_at(p, high_json, &high, &ignored) < 0 ||
	    (low_json && number_at(p, low_json, &low, &ignored) < 0))
		return;
	/* Without a low the default differs by generator; an index starts at 0. */
	bool is_index = strcmp(p->generator->name, "index") == 0;
	if ((low_json && low > high) || (is_index && low >= high))
		PLACE_ERROR(p,
			    "group %s, input %s at shape %s: nothing lies between %s %g and %s %g",
			    p->c->group->name, p->arg->name, p->c->shape->name, low_key, low,
			    high_key, high);
}

static void check_dtype(const struct place *p)
{
	if (!dtype_is_float(p->arg->dtype) && strcmp(p->generator->name, "specials") == 0)
		PLACE_ERROR(p, "group %s, input %s: specials makes NaN and infinities and %s is %s",
			    p->c->group->name, p->arg->name, p->arg->name,
			    dtype_name(p->arg->dtype));
}

static void check_generator(const struct place *p)
{
	for (void *it = json_object_iter(lint_walk(p->json)); it;
	     it = json_object_iter_next(lint_walk(p->json), it))
		check_param(p, json_object_iter_key(it), json_object_iter_value(it));
	check_needed(p);
	check_interval(p, "low", "high");
	check_interval(p, "low_exp", "high_exp");
	check_dtype(p);
}

static void check_kind(struct place *p)
{
	AUTO_STR struct str known = STR_INIT;
	const char *kind = json_text_or(p->json, "kind", "");
	p->generator = find_generator(kind);
	if (p->generator) {
		check_generator(p);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(generators); i++)
		str_addf(&known, " %s", generators[i].name);
	PLACE_ERROR(p, "group %s, input %s: unknown generator \"%s\"; known:%s", p->c->group->name,
		    p->arg->name, kind, known.text);
}

static const struct arg *find_arg(const struct task *t, const char *name)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (strcmp(t->args[i].name, name) == 0)
			return &t->args[i];
	return NULL;
}

static void check_input(const struct lint *l, const struct lint_case *c, const char *name,
			const json_t *json)
{
	AUTO_FREE char *at = xasprintf("%s/inputs/%s", c->pointer, name);
	struct place p = { .lint = l, .c = c, .arg = find_arg(l->task, name), .json = json };
	p.line = lint_shape_line(l, at);
	if (!p.arg)
		PLACE_ERROR(&p, "group %s: there is no argument %s", c->group->name, name);
	else if (!arg_is_input(p.arg))
		PLACE_ERROR(&p, "group %s: %s is no input (its role is %s); remove its generator",
			    c->group->name, name, arg_role_name(p.arg->role));
	else
		check_kind(&p);
}

void lint_generators(const struct lint *l, const struct lint_case *c)
{
	const struct task *t = l->task;
	for (size_t i = 0; i < t->nr_args; i++)
		if (arg_is_input(&t->args[i]) &&
		    !json_object_get(c->group->inputs, t->args[i].name))
			LINT_ERROR(l, t->shapes.path, lint_shape_line(l, c->pointer),
				   "group %s has no generator for the input %s; add one",
				   c->group->name, t->args[i].name);
	json_t *inputs = lint_walk(c->group->inputs);
	for (void *it = json_object_iter(inputs); it; it = json_object_iter_next(inputs, it))
		check_input(l, c, json_object_iter_key(it), json_object_iter_value(it));
}
