#include "tuner/lab_in.h"

/* Inputs are drawn by the generators that the turn tells, with a seed of the lab's own: other data
 * than the judge's, of the same kind. Shared memory, so that a child that runs a variant finds it
 * without a copy and leaves its outputs where the next one overwrites them. Inputs are
 * write-protected once filled. */

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/json.h"
#include "judge/fill.h"

enum { PAGE = 4096, LINE = 64, SHIFT_LINES = 13 };

#define LAB_SEED UINT64_C(0x1ab)

/* A machine has other users; what does not fit is not measured here. */
static const size_t max_bytes = (size_t)2 << 30;
/* A shape whose reference takes a larger part of the time than this is left out. */
#define SHARE_OF_REFERENCE 0.04

static unsigned char *map(size_t len)
{
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return at == MAP_FAILED ? NULL : at;
}

static size_t round_up(size_t len, size_t to)
{
	return (len + to - 1) / to * to;
}

static enum arg_role role_of(const char *name)
{
	for (int r = ARG_IN; r <= ARG_WORKSPACE; r++)
		if (strcmp(arg_role_name((enum arg_role)r), name) == 0)
			return (enum arg_role)r;
	return ARG_SCALAR;
}

static int read_arg(struct arg *arg, const json_t *obj, struct arena *a, struct err *e)
{
	const char *name;
	if (json_get_text(obj, "name", "args", &name, e) < 0)
		return -1;
	*arg = (struct arg){ .name = arena_strdup(a, name),
			     .role = role_of(json_text_or(obj, "role", "scalar")) };
	if (dtype_parse(json_text_or(obj, "dtype", ""), &arg->dtype) < 0)
		return err_set(e, ERR_INPUT, "argument %s: no known type", name);
	const char *value = json_text_or(obj, "value", NULL);
	arg->value = value ? arena_strdup(a, value) : NULL;
	const json_t *extents = json_object_get(obj, "shape");
	arg->nr_shape = json_array_size(extents);
	arg->shape = arena_array(a, arg->nr_shape + 1, sizeof(*arg->shape));
	for (size_t i = 0; i < arg->nr_shape; i++) {
		const char *text = json_string_value(json_array_get(extents, i));
		arg->shape[i] = arena_strdup(a, text ? text : "0");
	}
	return 0;
}

static int size_operand(struct lab_operand *op, const struct dims *dims, struct err *e)
{
	if (op->arg.role == ARG_SCALAR) {
		op->nr = 1;
		return arg_scalar(&op->arg, dims, op->scalar, e);
	}
	if (arg_elements(&op->arg, dims, &op->nr, e) < 0)
		return -1;
	op->bytes = size_mul(op->nr, dtype_bytes(op->arg.dtype));
	return 0;
}

static int read_case(struct lab_case *c, const json_t *args, const json_t *shape, struct arena *a,
		     struct err *e)
{
	const char *name;
	json_t *value;
	json_t *dims = json_object_get(shape, "dims");
	c->name = arena_strdup(a, json_text_or(shape, "name", ""));
	c->dims.items = arena_array(a, json_object_size(dims) + 1, sizeof(struct dim));
	json_object_foreach(dims, name, value) c->dims.items[c->dims.nr++] =
		(struct dim){ arena_strdup(a, name), json_integer_value(value) };
	c->nr = json_array_size(args);
	c->ops = arena_array(a, c->nr + 1, sizeof(*c->ops));
	for (size_t i = 0; i < c->nr; i++) {
		if (read_arg(&c->ops[i].arg, json_array_get(args, i), a, e) < 0 ||
		    size_operand(&c->ops[i], &c->dims, e) < 0)
			return -1;
		c->bytes += c->ops[i].bytes;
	}
	return 0;
}

/* Rooms of equal size would put all operands at the same place of a page, which is slower than what
 * the worker's random places give: each is shifted by another number of lines. */
static int place_operand(struct lab_operand *op, size_t index, struct err *e)
{
	op->room = round_up(op->bytes + PAGE, PAGE);
	op->base = map(op->room + PAGE);
	if (!op->base || mprotect(op->base + op->room, PAGE, PROT_NONE) < 0)
		return err_errno(e, ERR_SYSTEM, "room for %s", op->arg.name);
	op->at = op->base + (index + 1) * SHIFT_LINES * LINE % PAGE;
	op->edge =
		op->arg.role == ARG_IN ? op->at : op->base + op->room - round_up(op->bytes, LINE);
	if (arg_is_output(&op->arg) && !(op->want = map(op->room)))
		return err_errno(e, ERR_SYSTEM, "room for the answer %s", op->arg.name);
	if (op->arg.role == ARG_INOUT && !(op->pristine = map(op->room)))
		return err_errno(e, ERR_SYSTEM, "room for %s", op->arg.name);
	return 0;
}

/* The room of one of the contents. */
static unsigned char *room_of(const struct lab_operand *op, size_t set)
{
	if (set > 0)
		return op->more[set - 1];
	return op->pristine ? op->pristine : op->base;
}

static int fill_set(struct lab_operand *op, const struct shape *shape, size_t set, struct err *e)
{
	if (set > 0 && !(op->more[set - 1] = map(op->room)))
		return err_errno(e, ERR_SYSTEM, "room for %s", op->arg.name);
	unsigned char *room = room_of(op, set);
	unsigned char *to = op->pristine ? room : room + (op->at - op->base);
	if (fill_arg(&op->arg, shape, &shape->groups[set], LAB_SEED + set, to, e) < 0)
		return -1;
	mprotect(room, op->room, PROT_READ);
	return 0;
}

static int fill_operand(struct lab_operand *op, const struct shape *shape, struct err *e)
{
	for (size_t set = 0; arg_is_input(&op->arg) && set < shape->nr_groups; set++)
		if (fill_set(op, shape, set, e) < 0)
			return -1;
	return 0;
}

/* The generators of one of the contents; NULL: there is none. */
static const json_t *inputs_of(const json_t *shape, size_t set)
{
	if (set == 0)
		return json_object_get(shape, "inputs");
	return json_array_get(json_object_get(shape, "more_inputs"), set - 1);
}

static int fill_case(struct lab_case *c, const json_t *told, struct err *e)
{
	struct group groups[LAB_SETS];
	const struct shape shape = {
		.name = c->name, .dims = c->dims, .groups = groups, .nr_groups = c->nr_sets
	};
	for (size_t i = 0; i < c->nr_sets; i++)
		groups[i] = (struct group){ .name = "lab",
					    .is_timed = true,
					    .inputs = inputs_of(told, i) };
	for (size_t i = 0; i < c->nr; i++) {
		struct lab_operand *op = &c->ops[i];
		if (op->arg.role != ARG_SCALAR &&
		    (place_operand(op, i, e) < 0 || fill_operand(op, &shape, e) < 0))
			return err_wrap(e, "shape %s", c->name);
	}
	return 0;
}

/* All that are told and fit; 0: not even one. */
static size_t count_sets(const struct lab_case *c, const json_t *told, size_t room)
{
	size_t nr = 0;
	while (nr < LAB_SETS && inputs_of(told, nr) && c->bytes <= room / (nr + 1))
		nr++;
	return nr;
}

static double told_ns(const json_t *data, const char *shape)
{
	size_t i;
	json_t *row;
	json_array_foreach(json_object_get(data, "times"), i, row)
	{
		if (strcmp(json_text_or(row, "shape", ""), shape) == 0)
			return json_real_or(row, "ns", 0);
	}
	return 0;
}

/* The quickest shape is always measured. */
static double longest_allowed(const struct lab_cases *c, double seconds)
{
	double allowed = seconds * SHARE_OF_REFERENCE * 1e9;
	double quickest = INFINITY;
	for (size_t i = 0; i < c->nr; i++)
		quickest = fmin(quickest, c->items[i].told_ns);
	return fmax(allowed, quickest);
}

int lab_cases_make(struct lab_cases *c, const json_t *data, double seconds, struct arena *a,
		   struct err *e)
{
	const json_t *task = json_object_get(data, "task");
	const json_t *shapes = json_object_get(task, "shapes");
	size_t nr = json_array_size(shapes);
	size_t bytes = 0;
	size_t nr_made = 0;
	c->nr = nr < LAB_SHAPES ? nr : LAB_SHAPES;
	for (size_t i = 0; i < c->nr; i++) {
		if (read_case(&c->items[i], json_object_get(task, "args"),
			      json_array_get(shapes, i), a, e) < 0)
			return -1;
		c->items[i].told_ns = told_ns(data, c->items[i].name);
	}
	double longest = longest_allowed(c, seconds);
	for (size_t i = 0; i < c->nr; i++) {
		struct lab_case *item = &c->items[i];
		const json_t *told = json_array_get(shapes, i);
		item->nr_sets = count_sets(item, told, max_bytes - bytes);
		if (!item->nr_sets || item->told_ns > longest) {
			item->ops = NULL;
			continue;
		}
		if (fill_case(item, told, e) < 0)
			return -1;
		bytes += item->bytes * item->nr_sets;
		nr_made++;
	}
	return nr_made ? 0 : err_set(e, ERR_INPUT, "no shape that could be measured is told");
}

static double mean_magnitude(const struct lab_operand *op)
{
	double sum = 0;
	size_t nr = 0;
	for (size_t i = 0; i < op->nr; i++) {
		double value = fabs(dtype_load(op->arg.dtype, op->want, i));
		if (!isfinite(value))
			continue;
		sum += value;
		nr++;
	}
	return nr ? sum / (double)nr : 0;
}

void lab_cases_seal(struct lab_cases *c)
{
	for (size_t i = 0; i < c->nr; i++)
		for (size_t k = 0; c->items[i].ops && k < c->items[i].nr; k++) {
			struct lab_operand *op = &c->items[i].ops[k];
			if (!op->want)
				continue;
			op->mean = mean_magnitude(op);
			mprotect(op->want, op->room, PROT_READ);
		}
}

static void release_operand(const struct lab_operand *op)
{
	if (op->base)
		munmap(op->base, op->room + PAGE);
	if (op->want)
		munmap(op->want, op->room);
	if (op->pristine)
		munmap(op->pristine, op->room);
	for (size_t i = 0; i < ARRAY_LEN(op->more); i++)
		if (op->more[i])
			munmap(op->more[i], op->room);
}

void lab_cases_release(struct lab_cases *c)
{
	for (size_t i = 0; i < c->nr; i++)
		for (size_t k = 0; c->items[i].ops && k < c->items[i].nr; k++)
			release_operand(&c->items[i].ops[k]);
	*c = (struct lab_cases){ 0 };
}
