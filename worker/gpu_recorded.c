#include "worker/gpu_recorded.h"

/*
 * Parameters of kernels are bytes; which of them are addresses nobody says. An address of an
 * operand moves with it, everything else must stay: so every aligned word is held against both
 * layouts. A word that moves in another way is a launch that depends on where operands lie.
 */

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/verdict.h"

struct pair {
	struct gpu_recorded *r;
	const struct gpu_seen *one;
	const struct gpu_seen *two;
	unsigned char *other; /* records of the second recording */
	struct verdict *v;
};

/* Within an operand or right behind it. */
static bool resolve(const struct gpu_seen *a, uint64_t word, struct gpu_relocation *out)
{
	for (size_t i = 0; i < a->fp->nr; i++) {
		const struct operand *o = &a->fp->items[i];
		if (!o->is_tensor || word < a->at[i] || word - a->at[i] > o->bytes)
			continue;
		out->arg = (uint32_t)i;
		out->offset = word - a->at[i];
		return true;
	}
	return false;
}

static uint64_t word_at(const unsigned char *bytes, uint32_t place)
{
	uint64_t word = 0;
	memcpy(&word, bytes + place, sizeof(word));
	return word;
}

static void add(struct gpu_recorded *r, const struct gpu_relocation *x)
{
	r->items = xreallocarray(r->items, r->nr + 1, sizeof(*r->items));
	r->items[r->nr++] = *x;
}

static bool take_word(struct pair *p, uint32_t place)
{
	struct gpu_relocation first = { .place = place };
	struct gpu_relocation second = { .place = place };
	const uint64_t a = word_at(p->r->bytes, place);
	const uint64_t b = word_at(p->other, place);
	if (resolve(p->one, a, &first) && resolve(p->two, b, &second) && first.arg == second.arg &&
	    first.offset == second.offset) {
		add(p->r, &first);
		return true;
	}
	return a == b;
}

static void differs(struct pair *p, const char *what, const char *name)
{
	*p->v = verdict_make(REASON_bad_launch,
			     "%s of kernel %.100s change with the operands' addresses; a pointer "
			     "must lie within an operand, and the padding of a struct must be zero",
			     what, name);
}

static uint32_t place_of(const struct pair *p, const void *at)
{
	return (uint32_t)((const unsigned char *)at - p->r->bytes);
}

/* As it was handed out: host code that changes one could read from it which call is played. */
static bool is_whole(const struct gpu_recorded *r, const struct gpu_tensor_mark *mark)
{
	static const struct gpu_tensor_mark blank;
	return mark->index < r->nr_tensors &&
	       memcmp(mark->zeros, blank.zeros, sizeof(mark->zeros)) == 0;
}

/* A mark counts the maps of its own call. */
static void take_marks(struct pair *p, const struct gpu_record *kernel, uint32_t begin)
{
	struct gpu_recorded *r = p->r;
	struct gpu_tensor_mark mark;
	const uint32_t len = kernel->launch->param_bytes;
	for (uint32_t at = 0; at + sizeof(mark) <= len; at += sizeof(uint64_t)) {
		memcpy(&mark, kernel->values + at, sizeof(mark));
		if (memcmp(mark.magic, r->head.magic, sizeof(mark.magic)) != 0)
			continue;
		if (!is_whole(r, &mark))
			*p->v = verdict_make(REASON_bad_launch,
					     "kernel %.100s has a tensor map that was not encoded",
					     kernel->name);
		r->marks = xreallocarray(r->marks, r->nr_marks + 1, sizeof(*r->marks));
		r->marks[r->nr_marks++] = begin + at;
	}
}

static void take_params(struct pair *p, const struct gpu_record *r)
{
	const uint32_t begin = place_of(p, r->values);
	const uint32_t end = begin + (uint32_t)gpu_record_padded(r->launch->param_bytes);
	take_marks(p, r, begin);
	for (uint32_t place = begin; place < end; place += sizeof(uint64_t))
		if (!take_word(p, place)) {
			differs(p, "parameters", r->name);
			return;
		}
}

/* An address that stands alone has to be one. */
static void take_address(struct pair *p, const uint64_t *at, const char *what)
{
	const size_t before = p->r->nr;
	if (!take_word(p, place_of(p, at)) || p->r->nr == before)
		*p->v = verdict_make(REASON_bad_launch, "%s of memory that is no operand", what);
}

static bool has_same_head(const struct gpu_record *a, const struct gpu_record *b)
{
	struct gpu_launch x = *a->launch;
	struct gpu_launch y = *b->launch;
	x.at = y.at = 0;
	const size_t rest = (size_t)((const char *)a->values - (const char *)(a->launch + 1));
	return memcmp(&x, &y, sizeof(x)) == 0 && memcmp(a->launch + 1, b->launch + 1, rest) == 0;
}

static void take_record(struct pair *p, const struct gpu_record *a, const struct gpu_record *b)
{
	if (!has_same_head(a, b)) {
		differs(p, "sizes", a->launch->kind == GPU_LAUNCH_KERNEL ? a->name : "(none)");
		return;
	}
	switch (a->launch->kind) {
	case GPU_LAUNCH_KERNEL:
		p->r->nr_nodes++;
		take_params(p, a);
		return;
	case GPU_LAUNCH_MEMSET:
		p->r->nr_nodes++;
		take_address(p, &a->launch->at, "a memset");
		return;
	default:
		p->r->nr_tensors++;
		take_address(p, (const uint64_t *)(const void *)a->values, "a tensor map");
		for (uint32_t i = sizeof(uint64_t); i < sizeof(struct gpu_tensor); i++)
			if (a->values[i] != b->values[i])
				differs(p, "tensor maps", "(none)");
		return;
	}
}

static void take_records(struct pair *p)
{
	uint64_t at = 0;
	for (uint32_t i = 0; i < p->r->head.nr && p->v->state == VERDICT_NONE; i++) {
		struct gpu_record a;
		struct gpu_record b;
		if (gpu_record_at(p->r->bytes, p->r->head.bytes, at, &a) < 0 ||
		    gpu_record_at(p->other, p->r->head.bytes, at, &b) < 0) {
			*p->v = verdict_make(REASON_bad_launch,
					     "the recording does not hold together");
			return;
		}
		take_record(p, &a, &b);
		at += a.launch->bytes;
	}
}

void gpu_recorded_make(struct gpu_recorded *r, const struct gpu_seen *one,
		       const struct gpu_seen *two, struct verdict *v)
{
	struct gpu_launches other;
	*r = (struct gpu_recorded){ 0 };
	memcpy(&r->head, one->bytes, sizeof(r->head));
	memcpy(&other, two->bytes, sizeof(other));
	if (r->head.nr != other.nr || r->head.bytes != other.bytes) {
		*v = verdict_make(REASON_bad_launch,
				  "%u launches at one time and %u at another: what is launched "
				  "may depend on nothing but the arguments",
				  r->head.nr, other.nr);
		return;
	}
	r->bytes = xmalloc(r->head.bytes + 1);
	AUTO_FREE unsigned char *copy = xmalloc(r->head.bytes + 1);
	memcpy(r->bytes, (const unsigned char *)one->bytes + sizeof(r->head), r->head.bytes);
	memcpy(copy, (const unsigned char *)two->bytes + sizeof(other), r->head.bytes);
	struct pair p = { .r = r, .one = one, .two = two, .other = copy, .v = v };
	take_records(&p);
	if (v->state == VERDICT_NONE && r->nr_nodes == 0)
		*v = verdict_make(REASON_bad_launch, "nothing was launched");
}

void gpu_recorded_release(struct gpu_recorded *r)
{
	free(r->bytes);
	free(r->items);
	free(r->marks);
	*r = (struct gpu_recorded){ 0 };
}

static void move_mark(const struct gpu_recorded *r, unsigned call, char *at)
{
	struct gpu_tensor_mark mark;
	memcpy(&mark, at, sizeof(mark));
	mark.index += (uint64_t)call * r->nr_tensors;
	memcpy(at, &mark, sizeof(mark));
}

void gpu_recorded_write(const struct gpu_recorded *r, const uint64_t *at, unsigned call,
			struct str *out)
{
	const size_t base = out->len;
	str_add_len(out, r->bytes, r->head.bytes);
	for (size_t i = 0; i < r->nr; i++) {
		const struct gpu_relocation *x = &r->items[i];
		const uint64_t word = at[x->arg] + x->offset;
		memcpy(out->text + base + x->place, &word, sizeof(word));
	}
	for (size_t i = 0; i < r->nr_marks; i++)
		move_mark(r, call, out->text + base + r->marks[i]);
}
