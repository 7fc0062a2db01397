#include "model/lint.h"

/* Shapes and groups: enough of them, told apart by purpose, every dim used, and arguments whose
 * sizes can be computed and held in memory. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "model/expr.h"

/* DESIGN: fewer than 2 shapes or 3 groups a shape do not pin an operator down. The size limit keeps
 * both sides, the poison copy and the oracle's doubles inside a small machine. */
enum { MIN_SHAPES = 2, MIN_GROUPS = 3 };
#define MAX_CASE_BYTES (INT64_C(2) << 30)

static bool is_same_words(const char *a, const char *b)
{
	for (;;) {
		while (*a && !isalnum((unsigned char)*a))
			a++;
		while (*b && !isalnum((unsigned char)*b))
			b++;
		if (!*a || !*b)
			return *a == *b;
		if (tolower((unsigned char)*a++) != tolower((unsigned char)*b++))
			return false;
	}
}

static void check_purpose(const struct lint *l, const struct lint_case *c, size_t index)
{
	const struct shape *shape = c->shape;
	AUTO_FREE char *at = xasprintf("%s/%s", c->pointer, "purpose");
	unsigned line = lint_shape_line(l, at);
	if (!*c->group->purpose) {
		LINT_ERROR(l, l->task->shapes.path, line,
			   "group %s has no purpose; say what it would catch", c->group->name);
		return;
	}
	for (size_t i = 0; i < index; i++)
		if (is_same_words(shape->groups[i].purpose, c->group->purpose))
			LINT_ERROR(l, l->task->shapes.path, line,
				   "groups %s and %s have the same purpose; each must catch "
				   "something else",
				   shape->groups[i].name, c->group->name);
}

static size_t count_timed(const struct shape *shape)
{
	size_t nr = 0;
	for (size_t i = 0; i < shape->nr_groups; i++)
		nr += shape->groups[i].is_timed;
	return nr;
}

static void check_groups(const struct lint *l, size_t index)
{
	const struct shape *shape = &l->task->shapes.items[index];
	const char *file = l->task->shapes.path;
	size_t nr_common = json_array_size(json_object_get(l->task->shapes.doc, "groups"));
	AUTO_FREE char *at = xasprintf("/shapes/%zu", index);
	if (shape->nr_groups < MIN_GROUPS)
		LINT_ERROR(l, file, lint_shape_line(l, at),
			   "shape %s has %zu groups; give it at least %d with different purposes",
			   shape->name, shape->nr_groups, MIN_GROUPS);
	if (shape->nr_groups && !count_timed(shape))
		LINT_ERROR(l, file, lint_shape_line(l, at),
			   "no group of shape %s is timed; leave \"timed\" out of one",
			   shape->name);
	for (size_t i = 0; i < shape->nr_groups; i++) {
		AUTO_FREE char *pointer = i < nr_common
						  ? xasprintf("/groups/%zu", i)
						  : xasprintf("%s/groups/%zu", at, i - nr_common);
		const struct lint_case c = { shape, &shape->groups[i], pointer };
		check_purpose(l, &c, i);
		lint_generators(l, &c);
	}
}

static bool is_same_dims(const struct shape *a, const struct shape *b)
{
	if (a->dims.nr != b->dims.nr)
		return false;
	for (size_t i = 0; i < a->dims.nr; i++) {
		const struct dim *other = dims_find(&b->dims, a->dims.items[i].name);
		if (!other || other->value != a->dims.items[i].value)
			return false;
	}
	return true;
}

static void check_twins(const struct lint *l, size_t index)
{
	const struct shapes *shapes = &l->task->shapes;
	AUTO_FREE char *at = xasprintf("/shapes/%zu", index);
	for (size_t i = 0; i < index; i++)
		if (is_same_dims(&shapes->items[i], &shapes->items[index]))
			LINT_WARNING(l, shapes->path, lint_shape_line(l, at),
				     "shapes %s and %s have the same dims; drop one",
				     shapes->items[i].name, shapes->items[index].name);
}

static bool is_odd(const struct shape *shape)
{
	for (size_t i = 0; i < shape->dims.nr; i++)
		if (shape->dims.items[i].value > 2 && shape->dims.items[i].value % 2)
			return true;
	return false;
}

static void check_variety(const struct lint *l)
{
	const struct shapes *s = &l->task->shapes;
	unsigned line = lint_shape_line(l, "/shapes");
	size_t nr_held_out = 0;
	size_t nr_odd = 0;
	for (size_t i = 0; i < s->nr; i++) {
		nr_held_out += s->items[i].held_out;
		nr_odd += is_odd(&s->items[i]);
	}
	if (s->nr < MIN_SHAPES)
		LINT_ERROR(l, s->path, line, "there are fewer than %d shapes; add one", MIN_SHAPES);
	if (nr_held_out == s->nr)
		LINT_ERROR(l, s->path, line, "every shape is held out; nothing can be timed");
	if (nr_held_out == 0)
		LINT_WARNING(l, s->path, line,
			     "no shape is held out; add one with \"held_out\": true, so that a "
			     "kernel that fits only the known sizes is found out");
	if (nr_odd == 0)
		LINT_WARNING(l, s->path, line,
			     "no shape has an odd size; remainders would never be tested");
}

struct use {
	const char *name;
	bool is_seen;
};

static void see_name(const char *name, void *ctx)
{
	struct use *use = ctx;
	if (strcmp(name, use->name) == 0)
		use->is_seen = true;
}

static void see_text(struct use *use, const char *text)
{
	struct err ignored = { 0 };
	if (text)
		expr_names(text, see_name, use, &ignored);
}

static void see_json(struct use *use, const json_t *json)
{
	const char *key;
	json_t *value;
	json_object_foreach(lint_walk(json), key, value)
	{
		if (json_is_object(value))
			see_json(use, value);
		else if (strcmp(key, "kind") != 0)
			see_text(use, json_string_value(value));
	}
}

static void see_args(struct use *use, const struct task *t)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		const struct arg *arg = &t->args[i];
		for (size_t k = 0; k < arg->nr_shape; k++)
			see_text(use, arg->shape[k]);
		if (arg->role == ARG_SCALAR)
			see_text(use, arg->value ? arg->value : arg->name);
	}
}

static void check_dim(const struct lint *l, size_t index, const char *name)
{
	const struct task *t = l->task;
	const struct shape *shape = &t->shapes.items[index];
	struct use use = { .name = name };
	see_args(&use, t);
	see_text(&use, t->flops);
	see_text(&use, t->bytes);
	for (size_t i = 0; i < shape->nr_groups; i++)
		see_json(&use, shape->groups[i].inputs);
	AUTO_FREE char *at = xasprintf("/shapes/%zu/dims/%s", index, name);
	if (!use.is_seen)
		LINT_ERROR(l, t->shapes.path, lint_shape_line(l, at),
			   "the dim %s is used by no argument and no expression; remove it", name);
}

void lint_shapes(const struct lint *l)
{
	const struct shapes *s = &l->task->shapes;
	check_variety(l);
	for (size_t i = 0; i < s->nr; i++) {
		check_groups(l, i);
		check_twins(l, i);
		for (size_t k = 0; k < s->items[i].dims.nr; k++)
			check_dim(l, i, s->items[i].dims.items[k].name);
	}
}

/* Bytes of a tensor, 0 for a scalar; -1 after a finding. */
static int64_t arg_size(const struct lint *l, const struct arg *arg, const struct shape *shape)
{
	struct err e = { 0 };
	size_t nr = 0;
	unsigned char bytes[8];
	bool is_scalar = arg->role == ARG_SCALAR;
	int rc = is_scalar ? arg_scalar(arg, &shape->dims, bytes, &e)
			   : arg_elements(arg, &shape->dims, &nr, &e);
	if (rc < 0) {
		LINT_ERROR(l, l->task_path, arg->line, "at shape %s: %s", shape->name, e.text);
		return -1;
	}
	return (int64_t)(nr * dtype_bytes(arg->dtype));
}

static void check_sizes(const struct lint *l, size_t index)
{
	const struct task *t = l->task;
	const struct shape *shape = &t->shapes.items[index];
	int64_t total = 0;
	AUTO_FREE char *at = xasprintf("/shapes/%zu/dims", index);
	for (size_t i = 0; i < t->nr_args; i++) {
		int64_t size = arg_size(l, &t->args[i], shape);
		if (size < 0)
			return;
		if (__builtin_add_overflow(total, size, &total))
			total = INT64_MAX;
	}
	if (total > MAX_CASE_BYTES)
		LINT_ERROR(l, t->shapes.path, lint_shape_line(l, at),
			   "a case of shape %s takes %.1f GiB; the limit is 2 GiB, make it smaller",
			   shape->name, (double)total / (double)(1 << 30));
}

static void check_work(const struct lint *l, const char *key, const char *text)
{
	const struct shapes *s = &l->task->shapes;
	unsigned line = lint_line(l, "work", key);
	if (!text) {
		LINT_WARNING(l, l->task_path, line,
			     "[work] has no %s; reports will show no percent of the roofline", key);
		return;
	}
	for (size_t i = 0; i < s->nr; i++) {
		struct err e = { 0 };
		double value;
		if (task_work(text, &s->items[i].dims, &value, &e) < 0)
			LINT_ERROR(l, l->task_path, line, "%s at shape %s: %s", key,
				   s->items[i].name, e.text);
		else if (value < 0 || (value == 0 && strcmp(key, "bytes") == 0))
			LINT_ERROR(l, l->task_path, line, "%s at shape %s is %.0f; it must be %s",
				   key, s->items[i].name, value,
				   value < 0 ? "0 or more" : "positive");
	}
}

void lint_sizes(const struct lint *l)
{
	for (size_t i = 0; i < l->task->shapes.nr; i++)
		check_sizes(l, i);
	check_work(l, "flops", l->task->flops);
	check_work(l, "bytes", l->task->bytes);
}
