#include "worker/rotation.h"

/*
 * Every tensor of every set starts at a page plus a random multiple of 64 bytes; the three slots of
 * a round use the same sets, so an address can favour a round but not a side. Poison is written
 * past the caches: that is half the cost of writing and flushing, and the lines end where a cold
 * call must find them.
 *
 * Everything in the writable region that is no tensor holds a pattern, and is looked at when a
 * shape has been timed: what a kernel keeps there from call to call would be a cache.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/clock.h"
#include "base/mem.h"
#include "forge/kernel.h"
#include "judge/poison.h"
#include "sys/cpu.h"

enum { PAGE = 4096, LINE = 64 };

enum { GAP_SALT = 0x6a09 };
/* So much beyond the sets is looked at: 5 ms. */
static const size_t max_rest_bytes = (size_t)16 << 20;

/* Samples shorter than these drown in the doorbell: 0.4 us by spinning, 10 to 30 us through a futex
 * (feasibility notes 2). Longer ones are no better: what disturbs a shared machine lasts
 * milliseconds, so at the same cost many short rounds scatter less than few long ones. */
#define SPIN_SAMPLE_NS (80 * NS_PER_US)
#define FUTEX_SAMPLE_NS NS_PER_MS
/* A sample of the slower side need not be longer, unless every content takes part in it. */
#define SPIN_SLOW_SAMPLE_NS (300 * NS_PER_US)
#define FUTEX_SLOW_SAMPLE_NS NS_PER_MS

/* Memory for all sets of a shape. */
static const size_t max_sets_bytes = (size_t)256 << 20;
/* Small operands get more sets than calls, so that addresses differ between rounds as well. */
static const size_t small_sets_bytes = (size_t)16 << 20;
/* Samples up to this size fit the second-level TLB of what we run on (1536 to 2048 pages). */
static const size_t max_warm_bytes = (size_t)1024 * PAGE;
enum { SMALL_SETS = 12, MAX_CALLS = 1024 };

/* Rounds of a replicate by the sample's length, in parts of the job's: quick kernels can afford
 * more, and slow ones scatter less and have to end: the rule rests on replicates, whose median of
 * six long rounds is as good. On a shared machine the median of ln(R/R') had a standard deviation
 * of 2.0 % with 48 rounds of 0.1 ms, 1.5 % with 96 and 1.1 % with 192, which sees an effect of 5 %.
 */
struct pace {
	uint64_t below_ns;
	unsigned times;
	unsigned max_rounds;
};
#define LONG_NS (5 * NS_PER_MS)
static const struct pace paces[] = {
	{ 300 * NS_PER_US, 6, UINT_MAX },
	{ 1200 * NS_PER_US, 3, UINT_MAX },
	{ 2400 * NS_PER_US, 2, UINT_MAX },
	{ LONG_NS, 1, 24 },
	{ 15 * NS_PER_MS, 1, 15 },
	{ 60 * NS_PER_MS, 1, 9 },
	{ UINT64_MAX, 1, 6 },
};

static size_t room_of(const struct operand *o)
{
	return (o->bytes + PAGE + PAGE - 1) / PAGE * PAGE;
}

static unsigned region_of(const struct operand *o)
{
	return o->is_written ? ROTATION_WRITABLE : ROTATION_INPUTS;
}

static uint64_t smaller_nonzero(uint64_t a, uint64_t b)
{
	if (a == 0 || b == 0)
		return a + b;
	return a < b ? a : b;
}

static uint64_t slower_ns(const struct shape_cases *s)
{
	return s->call_ns[0] > s->call_ns[1] ? s->call_ns[0] : s->call_ns[1];
}

/* Both sides make the same calls on the same contents, which differ in what they cost (numbers too
 * small for their type alone can make a call six times as long). So that a reference of 20 ms is
 * not called as often as its candidate of 0.1 ms, the slower side's sample ends the growth: what
 * differs so much needs no long sample to be told apart. */
static uint64_t most_calls(const struct worker *w, const struct plan *p)
{
	uint64_t slow = slower_ns(p->s);
	uint64_t limit = w->task.threads > 1 ? FUTEX_SLOW_SAMPLE_NS : SPIN_SLOW_SAMPLE_NS;
	uint64_t calls = slow ? (limit + slow - 1) / slow : MAX_CALLS;
	return calls > p->nr_groups ? calls : p->nr_groups;
}

static unsigned choose_calls(const struct worker *w, const struct plan *p, size_t max_sets)
{
	uint64_t target = w->task.threads > 1 ? FUTEX_SAMPLE_NS : SPIN_SAMPLE_NS;
	uint64_t quick = smaller_nonzero(p->s->call_ns[0], p->s->call_ns[1]);
	uint64_t calls = quick ? (target + quick - 1) / quick : 1;
	uint64_t max_calls = SIDE_MAX_SLOTS / (w->task.nr_args ? w->task.nr_args : 1);
	if (max_calls > MAX_CALLS)
		max_calls = MAX_CALLS;
	if (max_calls > max_sets)
		max_calls = max_sets;
	if (max_calls > most_calls(w, p))
		max_calls = most_calls(w, p);
	return (unsigned)(calls < max_calls ? calls : max_calls);
}

/* The longer of the two samples. */
static uint64_t sample_ns(const struct plan *p)
{
	return slower_ns(p->s) * p->nr_calls;
}

/* Whole turns of all groups, as memory allows, so that every group weighs the same. */
static unsigned choose_sets(const struct plan *p, size_t room, size_t max_sets)
{
	size_t sets = p->nr_calls > p->nr_contents ? p->nr_calls : p->nr_contents;
	if (sets < SMALL_SETS && room * SMALL_SETS <= small_sets_bytes)
		sets = SMALL_SETS;
	sets = (sets + p->nr_groups - 1) / p->nr_groups * p->nr_groups;
	if (sets > max_sets)
		sets = max_sets < p->nr_groups ? max_sets : max_sets - max_sets % p->nr_groups;
	return (unsigned)(sets > p->nr_calls ? sets : p->nr_calls);
}

/* The first round of a part is a warm-up; more parts would make that a large share. */
enum { PART_ROUNDS = 3, WARMUP_ROUNDS = 3 };
/* One such sample warms up as well as three short ones, and what a new place costs its first call
 * (a few microseconds of cold code) is lost in it. */
#define LONG_SAMPLE_NS (NS_PER_MS * 6 / 5)

static unsigned choose_parts(const struct worker *w, unsigned rounds)
{
	unsigned copies = w->builds[PARTY_CANDIDATE].nr_copies;
	unsigned parts = rounds / PART_ROUNDS;
	parts = parts < copies ? parts : copies;
	return parts ? parts : 1;
}

/* Long samples of sides that are far apart: whether one is four times as fast as the other needs no
 * median of fifteen rounds, and the replicates give the interval. */
#define FAR_APART 4
enum { FAR_ROUNDS = 5 };

bool plan_is_far_apart(const struct plan *p)
{
	return sample_ns(p) >= LONG_NS &&
	       slower_ns(p->s) > FAR_APART * smaller_nonzero(p->s->call_ns[0], p->s->call_ns[1]);
}

static unsigned choose_rounds(const struct worker *w, const struct plan *p)
{
	const struct pace *pace = paces;
	while (sample_ns(p) >= pace->below_ns)
		pace++;
	unsigned most = plan_is_far_apart(p) ? FAR_ROUNDS : pace->max_rounds;
	unsigned rounds = w->job.rounds * pace->times;
	return rounds < most ? rounds : most;
}

/* All timed groups; then all of them again, one by its near twin (worker/exchange.h), if there is
 * one. Groups may differ much in what they cost: one that came twice would change the speed-up from
 * job to job, for which one has a twin is drawn. */
static void choose_contents(struct plan *p)
{
	const struct shape_cases *s = p->s;
	const struct content *twin = s->nr > s->nr_groups ? &s->contents[s->nr_groups] : NULL;
	p->contents = xcalloc(2 * s->nr_groups + 1, sizeof(struct content *));
	for (size_t i = 0; i < s->nr_groups; i++)
		if (s->contents[i].is_expected && s->contents[i].group->is_timed)
			p->contents[p->nr_groups++] = &s->contents[i];
	p->nr_contents = p->nr_groups;
	if (!twin || !twin->is_expected || !twin->group->is_timed)
		return;
	for (size_t i = 0; i < p->nr_groups; i++) {
		struct content *own = p->contents[i];
		p->contents[p->nr_contents++] =
			own->group == twin->group ? &s->contents[s->nr_groups] : own;
	}
}

bool plan_init(struct plan *p, const struct worker *w, struct shape_cases *s)
{
	*p = (struct plan){ .s = s };
	choose_contents(p);
	if (p->nr_contents == 0)
		return false;
	for (size_t i = 0; i < s->fp.nr; i++)
		if (s->fp.items[i].is_tensor)
			p->set_bytes[region_of(&s->fp.items[i])] += room_of(&s->fp.items[i]);
	size_t room = p->set_bytes[ROTATION_INPUTS] + p->set_bytes[ROTATION_WRITABLE];
	size_t max_sets = room ? max_sets_bytes / room : SMALL_SETS;
	if (max_sets == 0)
		max_sets = 1;
	p->nr_calls = choose_calls(w, p, max_sets);
	p->nr_sets = choose_sets(p, room, max_sets);
	unsigned rounds = choose_rounds(w, p);
	p->nr_parts = choose_parts(w, rounds);
	p->nr_rounds = (rounds + p->nr_parts - 1) / p->nr_parts * p->nr_parts;
	p->nr_warmups = sample_ns(p) > LONG_SAMPLE_NS ? 1 : WARMUP_ROUNDS;
	p->warms_parts = sample_ns(p) <= LONG_SAMPLE_NS;
	p->warms_pages = w->job.is_cold && room * p->nr_calls <= max_warm_bytes;
	p->offsets = xcalloc((size_t)p->nr_sets * s->fp.nr, sizeof(*p->offsets));
	return true;
}

void plan_release(struct plan *p)
{
	free(p->contents);
	free(p->offsets);
	*p = (struct plan){ 0 };
}

struct content *plan_content(const struct plan *p, unsigned set)
{
	return p->contents[set % p->nr_contents];
}

unsigned plan_set(const struct plan *p, unsigned round, unsigned call)
{
	return (round * p->nr_calls + call) % p->nr_sets;
}

int rotation_make(struct rotation *r, const struct plan *plans, size_t nr, bool is_cold,
		  struct err *e)
{
	*r = (struct rotation){ .is_cold = is_cold };
	for (unsigned k = 0; k < ROTATION_REGIONS; k++)
		r->regions[k].fd = -1;
	for (unsigned k = 0; k < ROTATION_REGIONS; k++) {
		size_t most = PAGE;
		for (size_t i = 0; i < nr; i++) {
			size_t len = plans[i].set_bytes[k] * plans[i].nr_sets;
			most = len > most ? len : most;
		}
		if (region_make(&r->regions[k], most, k == ROTATION_WRITABLE, e) < 0)
			return -1;
	}
	const struct region *written = &r->regions[ROTATION_WRITABLE];
	poison_fill(written->addr, written->len, GAP_SALT);
	return 0;
}

void rotation_release(struct rotation *r)
{
	for (unsigned k = 0; k < ROTATION_REGIONS; k++)
		region_release(&r->regions[k]);
}

unsigned char *rotation_at(const struct rotation *r, const struct plan *p, unsigned set, size_t arg)
{
	const struct operand *o = &p->s->fp.items[arg];
	return r->regions[region_of(o)].addr + p->offsets[set * p->s->fp.nr + arg];
}

static void draw_offsets(struct plan *p, struct rng *rng)
{
	const struct footprint *fp = &p->s->fp;
	uint64_t next[ROTATION_REGIONS] = { 0 };
	for (unsigned set = 0; set < p->nr_sets; set++) {
		for (size_t i = 0; i < fp->nr; i++) {
			const struct operand *o = &fp->items[i];
			if (!o->is_tensor)
				continue;
			uint64_t shift = rng_below(rng, PAGE / FORGE_ALIGN) * FORGE_ALIGN;
			p->offsets[set * fp->nr + i] = next[region_of(o)] + shift;
			next[region_of(o)] += room_of(o);
		}
	}
}

void rotation_restore(const struct rotation *r, const struct plan *p, unsigned set, size_t arg)
{
	memcpy(rotation_at(r, p, set, arg), plan_content(p, set)->in[arg],
	       p->s->fp.items[arg].bytes);
}

/* What the shape before left, and what this one is going to take. */
static void fill_gaps(struct rotation *r, const struct plan *p)
{
	size_t used = p->set_bytes[ROTATION_WRITABLE] * p->nr_sets;
	poison_fill(r->regions[ROTATION_WRITABLE].addr, used > r->used_bytes ? used : r->used_bytes,
		    GAP_SALT);
	r->used_bytes = used;
}

/* Before and behind a tensor in its room; the bytes up to the next whole pattern are left out. */
static bool has_whole_gaps(const struct rotation *r, const struct plan *p, unsigned set, size_t arg)
{
	const struct operand *o = &p->s->fp.items[arg];
	const unsigned char *base = r->regions[ROTATION_WRITABLE].addr;
	size_t at = p->offsets[set * p->s->fp.nr + arg];
	size_t from = at / PAGE * PAGE;
	size_t end = (at + o->bytes + POISON_PERIOD - 1) / POISON_PERIOD * POISON_PERIOD;
	return poison_is_intact(base + from, at - from, GAP_SALT, NULL) &&
	       poison_is_intact(base + end, from + room_of(o) - end, GAP_SALT, NULL);
}

static bool is_rest_whole(const struct rotation *r, struct rng *rng)
{
	const struct region *written = &r->regions[ROTATION_WRITABLE];
	size_t from = r->used_bytes;
	size_t len = written->len - from;
	if (len > max_rest_bytes) {
		from += (size_t)rng_below(rng, (len - max_rest_bytes) / PAGE) * PAGE;
		len = max_rest_bytes;
	}
	return poison_is_intact(written->addr + from, len, GAP_SALT, NULL);
}

const char *rotation_stray_write(const struct rotation *r, const struct plan *p, struct rng *rng)
{
	for (unsigned set = 0; set < p->nr_sets; set++)
		for (size_t i = 0; i < p->s->fp.nr; i++)
			if (p->s->fp.items[i].is_written && !has_whole_gaps(r, p, set, i))
				return p->s->fp.items[i].arg->name;
	return is_rest_whole(r, rng) ? NULL : "";
}

void rotation_place(struct rotation *r, struct plan *p, struct rng *rng)
{
	fill_gaps(r, p);
	draw_offsets(p, rng);
	for (unsigned set = 0; set < p->nr_sets; set++)
		for (size_t i = 0; i < p->s->fp.nr; i++)
			if (p->s->fp.items[i].is_tensor && p->s->fp.items[i].is_input)
				rotation_restore(r, p, set, i);
}

static uint32_t pages_of(size_t bytes, uint64_t offset)
{
	return (uint32_t)((bytes + offset % PAGE + PAGE - 1) / PAGE);
}

static struct side_arg arg_of(const struct plan *p, unsigned set, size_t arg)
{
	const struct operand *o = &p->s->fp.items[arg];
	struct side_arg a = { .is_scalar = !o->is_tensor };
	if (a.is_scalar) {
		memcpy(a.scalar, o->scalar_bytes, sizeof(a.scalar));
		return a;
	}
	a.region = region_of(o);
	a.offset = p->offsets[set * p->s->fp.nr + arg];
	if (p->warms_pages)
		a.nr_warm_pages = pages_of(o->bytes, a.offset);
	return a;
}

void rotation_args(const struct plan *p, unsigned round, struct side_arg *args)
{
	size_t nr = p->s->fp.nr;
	for (unsigned call = 0; call < p->nr_calls; call++)
		for (size_t i = 0; i < nr; i++)
			args[call * nr + i] = arg_of(p, plan_set(p, round, call), i);
}

/* `to` is aligned to a line. What does not fill a line is written and flushed. */
static void poison_past_caches(unsigned char *to, size_t len, uint64_t salt)
{
	size_t at = 0;
#ifdef __SSE2__
	unsigned char line[LINE];
	poison_fill(line, sizeof(line), salt);
	__m128i word;
	memcpy(&word, line, sizeof(word));
	for (; at + LINE <= len; at += LINE)
		for (size_t k = 0; k < LINE; k += sizeof(word))
			_mm_stream_si128((__m128i *)(void *)(to + at + k), word);
	_mm_sfence();
#endif
	poison_fill(to + at, len - at, salt);
	cpu_flush(to + at, len - at);
}

static void prepare_written(const struct rotation *r, unsigned char *at, size_t len,
			    bool with_poison, uint64_t salt)
{
	if (with_poison && r->is_cold)
		poison_past_caches(at, len, salt);
	else if (with_poison)
		poison_fill(at, len, salt);
	else if (r->is_cold)
		cpu_flush(at, len);
}

static void prepare_set(const struct rotation *r, const struct plan *p, unsigned set,
			bool with_poison, uint64_t salt)
{
	for (size_t i = 0; i < p->s->fp.nr; i++) {
		const struct operand *o = &p->s->fp.items[i];
		if (!o->is_tensor)
			continue;
		unsigned char *at = rotation_at(r, p, set, i);
		if (o->is_written && o->is_input)
			rotation_restore(r, p, set, i);
		if (o->is_written && !o->is_input)
			prepare_written(r, at, o->bytes, with_poison, salt);
		else if (r->is_cold)
			cpu_flush(at, o->bytes);
	}
}

void rotation_prepare(struct rotation *r, const struct plan *p, unsigned round, bool with_poison,
		      uint64_t salt)
{
	for (unsigned call = 0; call < p->nr_calls; call++)
		prepare_set(r, p, plan_set(p, round, call), with_poison, salt);
}
