#include "tuner/ttask.h"

/* Members may be missing (a machine that was never probed, a task without times): then the tuner
 * knows less and proposes less. Only the entry and the arguments are needed. */

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

static bool is_integer_dtype(const char *dtype)
{
	return strcmp(dtype, "i64") == 0 || strcmp(dtype, "i32") == 0;
}

/* The product of the extents. */
static const char *read_elements(const json_t *shape, struct arena *a)
{
	const char *product = NULL;
	size_t i;
	json_t *extent;
	json_array_foreach(shape, i, extent)
	{
		const char *text = json_string_value(extent);
		if (!text)
			return NULL;
		product = product ? arena_printf(a, "%s * (%s)", product, text)
				  : arena_printf(a, "(%s)", text);
	}
	return product;
}

static int read_arg(struct tuner_arg *arg, const json_t *obj, struct arena *a, struct err *e)
{
	const char *name;
	if (json_get_text(obj, "name", "args", &name, e) < 0)
		return -1;
	arg->name = arena_strdup(a, name);
	arg->is_scalar = strcmp(json_text_or(obj, "role", ""), "scalar") == 0;
	arg->is_size = arg->is_scalar && is_integer_dtype(json_text_or(obj, "dtype", ""));
	arg->value = arena_strdup(a, json_text_or(obj, "value", name));
	arg->elements = arg->is_scalar ? NULL : read_elements(json_object_get(obj, "shape"), a);
	return 0;
}

static int read_args(struct tuner_task *t, const json_t *task, struct arena *a, struct err *e)
{
	json_t *list;
	if (json_get_array(task, "args", "task", &list, e) < 0)
		return -1;
	t->nr_args = json_array_size(list);
	t->args = arena_array(a, t->nr_args + 1, sizeof(*t->args));
	for (size_t i = 0; i < t->nr_args; i++)
		if (read_arg(&t->args[i], json_array_get(list, i), a, e) < 0)
			return -1;
	return 0;
}

static void read_dims(struct dims *dims, const json_t *obj, struct arena *a)
{
	const char *name;
	json_t *value;
	dims->items = arena_array(a, json_object_size(obj) + 1, sizeof(*dims->items));
	json_object_foreach((json_t *)(uintptr_t)obj, name, value) dims->items[dims->nr++] =
		(struct dim){ arena_strdup(a, name), json_integer_value(value) };
}

/* A size whose expression does not evaluate is left open at this shape. */
static void find_sizes(const struct tuner_task *t, struct tuner_shape *shape, struct arena *a)
{
	shape->sizes.items = arena_array(a, t->nr_args + 1, sizeof(struct dim));
	for (size_t i = 0; i < t->nr_args; i++) {
		struct err ignored = { 0 };
		int64_t value;
		if (t->args[i].is_size &&
		    expr_eval(t->args[i].value, &shape->dims, &value, &ignored) == 0)
			shape->sizes.items[shape->sizes.nr++] =
				(struct dim){ t->args[i].name, value };
	}
}

static double time_of(const json_t *times, const char *shape)
{
	size_t i;
	json_t *row;
	json_array_foreach(times, i, row) if (strcmp(json_text_or(row, "shape", ""), shape) ==
					      0) return json_real_or(row, "ns", 0);
	return 0;
}

static void read_shapes(struct tuner_task *t, const json_t *task, const json_t *times,
			struct arena *a)
{
	const json_t *list = json_object_get(task, "shapes");
	t->nr_shapes = json_array_size(list);
	t->shapes = arena_array(a, t->nr_shapes + 1, sizeof(*t->shapes));
	for (size_t i = 0; i < t->nr_shapes; i++) {
		const json_t *obj = json_array_get(list, i);
		struct tuner_shape *shape = &t->shapes[i];
		shape->name = arena_strdup(a, json_text_or(obj, "name", ""));
		shape->ns = time_of(times, shape->name);
		read_dims(&shape->dims, json_object_get(obj, "dims"), a);
		find_sizes(t, shape, a);
	}
}

/* "compilers" may be names, versions or objects with a name. Where nobody tells, the tuner's own
 * machine is looked at: its sandbox shows the same /usr that compiles. */
static bool has_compiler(const json_t *machine, const char *name)
{
	const json_t *list = json_object_get(machine, "compilers");
	AUTO_FREE char *path = path_join("/usr/bin", name);
	if (!list)
		return file_exists(path);
	size_t i;
	json_t *row;
	json_array_foreach(list, i, row)
	{
		const char *text = json_is_string(row) ? json_string_value(row)
						       : json_text_or(row, "name", "");
		if (strstr(text, name))
			return true;
	}
	const json_t *entry = json_object_get(list, name);
	return entry && !json_is_null(entry) && !json_is_false(entry);
}

int tuner_task_read(struct tuner_task *t, const json_t *data, struct arena *a, struct err *e)
{
	json_t *task;
	const char *entry;
	const json_t *machine = json_object_get(data, "machine");
	*t = (struct tuner_task){ 0 };
	if (json_get_object(data, "task", "data", &task, e) < 0 ||
	    json_get_text(task, "entry", "task", &entry, e) < 0 || read_args(t, task, a, e) < 0)
		return -1;
	t->entry = arena_strdup(a, entry);
	t->threads = (unsigned)json_int_or(task, "threads", 1);
	const char *bytes = json_text_or(task, "bytes", NULL);
	const char *flops = json_text_or(task, "flops", NULL);
	t->bytes = bytes ? arena_strdup(a, bytes) : NULL;
	t->flops = flops ? arena_strdup(a, flops) : NULL;
	t->has_clang = has_compiler(machine, "clang");
	t->has_wide_vectors = strstr(json_text_or(machine, "isa", ""), "avx512") != NULL;
	read_shapes(t, task, json_object_get(data, "times"), a);
	return 0;
}

bool tuner_task_is_size(const struct tuner_task *t, const char *name)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].is_size && strcmp(t->args[i].name, name) == 0)
			return true;
	return false;
}
