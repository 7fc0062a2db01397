#include "model/shape.h"

/* shapes.json is checked whole at the border: what is loaded has unique plain names, integer dims
 * and generator objects. What the generators mean is the judge's business and lint's. Groups of the
 * file come first in every shape's list, then the shape's own. */

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/shape_line.h"

/* Verdicts carry shape and group names in fixed fields (model/verdict.h). */
enum { MAX_NAME = 47 };

struct loader {
	struct shapes *shapes;
	struct arena *arena;
	struct err *e;
};

__attribute__((format(printf, 3, 4))) static int fail(struct loader *l, const char *pointer,
						      const char *fmt, ...)
{
	AUTO_STR struct str why = STR_INIT;
	va_list ap;
	va_start(ap, fmt);
	str_vaddf(&why, fmt, ap);
	va_end(ap);
	return err_set(l->e, ERR_INPUT, "%s:%u:1: %s", l->shapes->path,
		       shape_line(l->shapes->path, pointer), why.text);
}

/* `known` is a blank-separated list. */
static bool is_word_of(const char *known, const char *word)
{
	AUTO_STRV struct strv words = { 0 };
	strv_split(&words, known, " ");
	return strv_has(&words, word);
}

static int check_keys(struct loader *l, const char *pointer, json_t *obj, const char *known)
{
	const char *key;
	json_t *value;
	if (!json_is_object(obj))
		return fail(l, pointer, "this must be an object with the members: %s", known);
	json_object_foreach(obj, key, value)
	{
		AUTO_FREE char *at = xasprintf("%s/%s", pointer, key);
		if (!is_word_of(known, key))
			return fail(l, at, "unknown member \"%s\"; the members here are: %s", key,
				    known);
	}
	return 0;
}

static bool is_plain_name(const char *name)
{
	size_t len = strlen(name);
	if (len == 0 || len > MAX_NAME || name[0] == '.')
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_.-+", *c))
			return false;
	return true;
}

static int read_name(struct loader *l, const char *pointer, const json_t *obj, const char **out)
{
	*out = json_text_or(obj, "name", NULL);
	if (!*out)
		return fail(l, pointer, "no \"name\"; give it one, a string");
	if (!is_plain_name(*out))
		return fail(l, pointer,
			    "the name \"%s\" is not plain; use 1 to %d letters, digits and _ . + -",
			    *out, MAX_NAME);
	return 0;
}

static int read_flag(struct loader *l, const char *pointer, const json_t *obj, const char *key,
		     bool *out)
{
	const json_t *value = json_object_get(obj, key);
	if (value && !json_is_boolean(value))
		return fail(l, pointer, "\"%s\" must be true or false", key);
	if (value)
		*out = json_is_true(value);
	return 0;
}

static int read_inputs(struct loader *l, const char *pointer, json_t *obj, struct group *group)
{
	const char *name;
	json_t *generator;
	json_t *inputs = json_object_get(obj, "inputs");
	if (!json_is_object(inputs))
		return fail(l, pointer,
			    "group %s has no \"inputs\"; give an object with one "
			    "generator for each input argument",
			    group->name);
	json_object_foreach(inputs, name, generator)
	{
		AUTO_FREE char *at = xasprintf("%s/inputs/%s", pointer, name);
		if (!json_text_or(generator, "kind", NULL))
			return fail(l, at, "the generator of %s must be an object with a \"kind\"",
				    name);
	}
	group->inputs = inputs;
	return 0;
}

static int read_group(struct loader *l, const char *pointer, json_t *obj, struct group *group)
{
	*group = (struct group){ .is_timed = true };
	if (check_keys(l, pointer, obj, "name purpose timed inputs") < 0 ||
	    read_name(l, pointer, obj, &group->name) < 0 ||
	    read_flag(l, pointer, obj, "timed", &group->is_timed) < 0)
		return -1;
	const json_t *purpose = json_object_get(obj, "purpose");
	if (purpose && !json_is_string(purpose))
		return fail(l, pointer, "\"purpose\" must be a string");
	group->purpose = purpose ? json_string_value(purpose) : "";
	return read_inputs(l, pointer, obj, group);
}

static int check_group_unique(struct loader *l, const char *pointer, const struct shape *shape,
			      const char *name)
{
	for (size_t i = 0; i < shape->nr_groups; i++)
		if (strcmp(shape->groups[i].name, name) == 0)
			return fail(l, pointer, "a second group named %s; rename one of them",
				    name);
	return 0;
}

/* Append the groups of `list` (or nothing) to the shape. */
static int add_groups(struct loader *l, const char *pointer, json_t *list, struct shape *shape)
{
	if (list && !json_is_array(list))
		return fail(l, pointer, "\"groups\" must be an array");
	for (size_t i = 0; i < json_array_size(list); i++) {
		AUTO_FREE char *at = xasprintf("%s/%zu", pointer, i);
		struct group group;
		if (read_group(l, at, json_array_get(list, i), &group) < 0 ||
		    check_group_unique(l, at, shape, group.name) < 0)
			return -1;
		shape->groups[shape->nr_groups++] = group;
	}
	return 0;
}

static bool is_identifier(const char *name)
{
	if (!isalpha((unsigned char)name[0]) && name[0] != '_')
		return false;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	return strlen(name) <= MAX_NAME;
}

static int read_dims(struct loader *l, const char *pointer, const json_t *obj, struct shape *shape)
{
	const char *name;
	json_t *value;
	json_t *dims = json_object_get(obj, "dims");
	if (!json_is_object(dims) || json_object_size(dims) == 0)
		return fail(l, pointer,
			    "shape %s has no \"dims\"; give an object of names and "
			    "whole numbers",
			    shape->name);
	shape->dims.items = arena_array(l->arena, json_object_size(dims), sizeof(struct dim));
	json_object_foreach(dims, name, value)
	{
		AUTO_FREE char *at = xasprintf("%s/dims/%s", pointer, name);
		if (!is_identifier(name))
			return fail(l, at, "the dim \"%s\" is not an identifier", name);
		if (!json_is_integer(value))
			return fail(l, at, "the dim %s must be a whole number", name);
		shape->dims.items[shape->dims.nr++] =
			(struct dim){ .name = name, .value = json_integer_value(value) };
	}
	return 0;
}

static int read_shape(struct loader *l, size_t index, json_t *obj, struct shape *shape)
{
	AUTO_FREE char *at = xasprintf("/shapes/%zu", index);
	AUTO_FREE char *own = xasprintf("/shapes/%zu/groups", index);
	json_t *common = json_object_get(l->shapes->doc, "groups");
	json_t *list = json_object_get(obj, "groups");
	if (check_keys(l, at, obj, "name dims held_out groups") < 0 ||
	    read_name(l, at, obj, &shape->name) < 0 ||
	    read_flag(l, at, obj, "held_out", &shape->held_out) < 0 ||
	    read_dims(l, at, obj, shape) < 0)
		return -1;
	if (shapes_find(l->shapes, shape->name))
		return fail(l, at, "a second shape named %s; rename one of them", shape->name);
	shape->groups = arena_array(l->arena, json_array_size(common) + json_array_size(list),
				    sizeof(struct group));
	return add_groups(l, "/groups", common, shape) < 0 ? -1 : add_groups(l, own, list, shape);
}

static int check_version(struct loader *l)
{
	const json_t *version = json_object_get(l->shapes->doc, "version");
	if (!json_is_integer(version))
		return fail(l, "/version", "no \"version\"; write \"version\": 1");
	if (json_integer_value(version) != 1)
		return fail(l, "/version",
			    "version %lld is not known; this program reads version 1",
			    (long long)json_integer_value(version));
	return 0;
}

static int load_doc(struct loader *l)
{
	struct shapes *s = l->shapes;
	const json_t *list = json_object_get(s->doc, "shapes");
	if (check_keys(l, "", s->doc, "version shapes groups") < 0 || check_version(l) < 0)
		return -1;
	if (!json_is_array(list) || json_array_size(list) == 0)
		return fail(l, "/shapes", "no \"shapes\"; give an array of at least two shapes");
	s->items = arena_array(l->arena, json_array_size(list), sizeof(struct shape));
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct shape shape = { 0 };
		if (read_shape(l, i, json_array_get(list, i), &shape) < 0)
			return -1;
		s->items[s->nr++] = shape;
	}
	return 0;
}

int shapes_load(struct shapes *s, const char *path, struct arena *a, struct err *e)
{
	struct loader l = { .shapes = s, .arena = a, .e = e };
	*s = (struct shapes){ .path = arena_strdup(a, path) };
	s->doc = json_read_file(path, e);
	if (!s->doc)
		return -1;
	if (load_doc(&l) < 0) {
		shapes_release(s);
		return -1;
	}
	return 0;
}

void shapes_release(struct shapes *s)
{
	json_decref(s->doc);
	*s = (struct shapes){ 0 };
}

const struct shape *shapes_find(const struct shapes *s, const char *name)
{
	for (size_t i = 0; i < s->nr; i++)
		if (strcmp(s->items[i].name, name) == 0)
			return &s->items[i];
	return NULL;
}
