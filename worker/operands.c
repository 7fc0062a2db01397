#include "worker/operands.h"

/*
 * FORGE_ALIGN is promised to kernels, so "against the right guard" leaves up to 63 bytes between
 * the last element and the guard; these bytes are canary like the rest.
 */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "forge/kernel.h"
#include "judge/poison.h"

static size_t stored_bytes(const struct operand *o, bool is_oracle)
{
	if (!o->is_tensor)
		return 0;
	return is_oracle ? size_mul(o->nr, want_cell_bytes(o)) : o->bytes;
}

static size_t region_len(size_t bytes)
{
	size_t padded = (bytes + FORGE_ALIGN - 1) / FORGE_ALIGN * FORGE_ALIGN;
	return padded ? padded : FORGE_ALIGN;
}

int operands_make(struct operands *o, const struct footprint *fp, bool is_oracle, struct err *e)
{
	*o = (struct operands){ .fp = fp, .is_oracle = is_oracle };
	o->regions = xcalloc(fp->nr, sizeof(*o->regions));
	o->bytes = xcalloc(fp->nr, sizeof(*o->bytes));
	o->region_of = xcalloc(fp->nr, sizeof(*o->region_of));
	o->offsets = xcalloc(fp->nr, sizeof(*o->offsets));
	o->args = xcalloc(fp->nr, sizeof(*o->args));
	for (size_t i = 0; i < fp->nr; i++) {
		const struct operand *item = &fp->items[i];
		if (!item->is_tensor)
			continue;
		o->bytes[i] = stored_bytes(item, is_oracle);
		o->region_of[i] = (unsigned)o->nr_regions;
		if (region_make(&o->regions[o->nr_regions], region_len(o->bytes[i]),
				item->is_written, e) < 0)
			return err_wrap(e, "memory for argument %s", item->arg->name);
		o->nr_regions++;
	}
	return 0;
}

void operands_release(struct operands *o)
{
	for (size_t i = 0; i < o->nr_regions; i++)
		region_release(&o->regions[i]);
	free(o->regions);
	free(o->bytes);
	free(o->region_of);
	free(o->offsets);
	free(o->args);
	*o = (struct operands){ 0 };
}

unsigned char *operands_at(const struct operands *o, size_t arg)
{
	return o->regions[o->region_of[arg]].addr + o->offsets[arg];
}

/* Floats travel to the oracle as doubles, everything else as it is. */
static void copy_input(const struct operands *o, size_t arg, const unsigned char *from)
{
	const struct operand *item = &o->fp->items[arg];
	enum dtype t = item->arg->dtype;
	if (!o->is_oracle || !dtype_is_float(t)) {
		memcpy(operands_at(o, arg), from, item->bytes);
		return;
	}
	double *to = (double *)(void *)operands_at(o, arg);
	for (size_t i = 0; i < item->nr; i++)
		to[i] = dtype_load(t, from, i);
}

static void load_scalar(const struct operands *o, size_t arg)
{
	const struct operand *item = &o->fp->items[arg];
	struct side_arg *to = &o->args[arg];
	to->is_scalar = true;
	memcpy(to->scalar, item->scalar_bytes, sizeof(to->scalar));
	if (o->is_oracle && dtype_is_float(item->arg->dtype)) {
		double value = dtype_load(item->arg->dtype, item->scalar_bytes, 0);
		memcpy(to->scalar, &value, sizeof(value));
	}
}

static uint64_t offset_of(const struct operands *o, size_t arg, enum placement where)
{
	if (where == PLACED_LEFT)
		return 0;
	return o->regions[o->region_of[arg]].len - region_len(o->bytes[arg]);
}

/* Zeros beside an input would make a kernel right that reads past its end. Other bits than outputs
 * hold: a NaN that is carried along must not look like an output that was not written. */
static void poison_beside(const struct operands *o, size_t arg)
{
	const struct region *r = &o->regions[o->region_of[arg]];
	size_t end = o->offsets[arg] + o->bytes[arg];
	poison_fill(r->addr, o->offsets[arg], ~o->salt);
	poison_fill(r->addr + end, r->len - end, ~o->salt);
}

static void load_tensor(const struct operands *o, const struct content *c, size_t arg,
			enum placement where)
{
	const struct region *r = &o->regions[o->region_of[arg]];
	o->offsets[arg] = offset_of(o, arg, where);
	o->args[arg] = (struct side_arg){ .region = o->region_of[arg], .offset = o->offsets[arg] };
	if (r->writable)
		poison_fill(r->addr, r->len, o->salt);
	else
		poison_beside(o, arg);
	if (c->in[arg])
		copy_input(o, arg, c->in[arg]);
}

void operands_load(struct operands *o, const struct content *c, enum placement where, uint64_t salt)
{
	o->salt = salt;
	for (size_t i = 0; i < o->fp->nr; i++) {
		if (o->fp->items[i].is_tensor)
			load_tensor(o, c, i, where);
		else
			load_scalar(o, i);
	}
}

static bool canaries_are_intact(const struct operands *o, size_t arg)
{
	const struct region *r = &o->regions[o->region_of[arg]];
	/* The pattern repeats from the start of the region, so the second area begins at a
	 * multiple of its period; the few bytes before that are compared with the pattern too. */
	unsigned char pattern[POISON_PERIOD];
	poison_pattern(o->salt, pattern);
	for (size_t i = 0; i < r->len; i++) {
		if (i == o->offsets[arg])
			i += o->bytes[arg];
		if (i < r->len && r->addr[i] != pattern[i % POISON_PERIOD])
			return false;
	}
	return true;
}

const char *operands_stray_write(const struct operands *o)
{
	for (size_t i = 0; i < o->fp->nr; i++)
		if (o->fp->items[i].is_written && !canaries_are_intact(o, i))
			return o->fp->items[i].arg->name;
	return NULL;
}

const char *operands_name_of_region(const struct operands *o, unsigned region)
{
	for (size_t i = 0; i < o->fp->nr; i++)
		if (o->fp->items[i].is_tensor && o->region_of[i] == region)
			return o->fp->items[i].arg->name;
	return "?";
}
