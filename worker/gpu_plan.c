#include "worker/gpu_plan.h"

/*
 * A window is cold once: its sets are flushed before it, and each is used by one call, so all calls
 * of a sample are cold. Many short calls in one window are what makes an event's resolution (half a
 * microsecond) and the start of a graph (some microseconds) small beside them.
 */

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

#define SAMPLE_NS (300 * NS_PER_US)
enum { MAX_CALLS = 32, MAX_WINDOWS = 3, MAX_KNOWN = 256 };
static const size_t max_sets_bytes = (size_t)4 << 30;

/* The rule rests on replicates, whose median of six long rounds is as good. */
static const struct {
	uint64_t below_ns;
	unsigned max_rounds;
} paces[] = {
	{ 5 * NS_PER_MS, UINT32_MAX },
	{ 15 * NS_PER_MS, 15 },
	{ 60 * NS_PER_MS, 9 },
	{ UINT64_MAX, 6 },
};

static uint64_t slower_ns(const struct shape_cases *s)
{
	return s->call_ns[0] > s->call_ns[1] ? s->call_ns[0] : s->call_ns[1];
}

/* A group may cost many times what another does (divisions by numbers too small for their type): a
 * sample with one call more of it would say something else than the next. */
static unsigned whole_turns(size_t calls, size_t nr_groups, size_t limit)
{
	const size_t up = (calls + nr_groups - 1) / nr_groups * nr_groups;
	const size_t down = limit / nr_groups * nr_groups;
	return (unsigned)(up <= limit ? up : down ? down : calls);
}

/* The quicker side's sample shall be long enough, but memory is bounded. */
static unsigned choose_calls(const struct gpu_plan *p, size_t max_sets)
{
	const uint64_t a = p->s->call_ns[0];
	const uint64_t b = p->s->call_ns[1];
	const uint64_t quick = a && b ? (a < b ? a : b) : a + b;
	uint64_t calls = quick ? (SAMPLE_NS + quick - 1) / quick : 1;
	const size_t limit = max_sets < 1 ? 1 : max_sets < MAX_CALLS ? max_sets : MAX_CALLS;
	return whole_turns(calls < limit ? (size_t)calls : limit, p->nr_groups, limit);
}

static unsigned choose_rounds(const struct worker *w, const struct gpu_plan *p)
{
	const uint64_t sample_ns = slower_ns(p->s) * p->nr_calls;
	size_t i = 0;
	while (sample_ns >= paces[i].below_ns)
		i++;
	return w->job.rounds < paces[i].max_rounds ? w->job.rounds : paces[i].max_rounds;
}

/* All groups; then all of them again, one by its near twin, if there is one: as for C kernels
 * (worker/rotation.c). */
static void order_contents(struct gpu_plan *p)
{
	const unsigned nr = p->nr_contents;
	const bool has_twin =
		p->s->nr > p->s->nr_groups && p->s->contents[p->s->nr_groups].group->is_timed;
	p->nr_groups = nr - has_twin;
	p->order = xcalloc(2 * nr + 1, sizeof(*p->order));
	for (unsigned i = 0; i < p->nr_groups; i++)
		p->order[p->nr_order++] = i;
	for (unsigned i = 0; has_twin && i < p->nr_groups; i++)
		p->order[p->nr_order++] =
			p->contents[i]->group == p->contents[nr - 1]->group ? nr - 1 : i;
}

static void find_contents(struct gpu_plan *p)
{
	p->contents = xcalloc(p->s->nr + 1, sizeof(struct content *));
	for (size_t i = 0; i < p->s->nr; i++)
		if (p->s->contents[i].group->is_timed)
			p->contents[p->nr_contents++] = &p->s->contents[i];
	order_contents(p);
	p->known = xcalloc(p->nr_contents + 1, sizeof(*p->known));
}

bool gpu_plan_init(struct gpu_plan *p, const struct worker *w, struct shape_cases *s)
{
	*p = (struct gpu_plan){ .s = s };
	find_contents(p);
	if (p->nr_contents == 0)
		return false;
	for (size_t i = 0; i < s->fp.nr; i++)
		p->nr_outputs += s->fp.items[i].is_output;
	const size_t max_sets =
		s->fp.tensor_bytes ? max_sets_bytes / s->fp.tensor_bytes : MAX_CALLS;
	p->nr_calls = choose_calls(p, max_sets);
	const size_t windows = max_sets / p->nr_calls;
	p->nr_windows = (unsigned)(windows < 1 ? 1 : windows < MAX_WINDOWS ? windows : MAX_WINDOWS);
	p->nr_rounds = choose_rounds(w, p);
	return true;
}

void gpu_plan_release(struct gpu_plan *p)
{
	for (unsigned i = 0; p->known && i < p->nr_contents; i++)
		free(p->known[i].prints);
	for (unsigned i = 0; i < GPU_PARTIES; i++)
		gpu_recorded_release(&p->recorded[i]);
	free(p->known);
	free(p->order);
	free(p->contents);
	*p = (struct gpu_plan){ 0 };
}

/* The next content each time that a window comes back, so that an address holds them all. */
unsigned gpu_plan_content(const struct gpu_plan *p, unsigned round, unsigned call)
{
	const unsigned at = round % p->nr_windows + round / p->nr_windows + call;
	return p->order[at % p->nr_order];
}

bool gpu_known_has(const struct gpu_plan *p, unsigned content, const uint64_t *prints)
{
	const struct gpu_known *k = &p->known[content];
	const size_t bytes = p->nr_outputs * sizeof(*prints);
	for (size_t i = 0; i < k->nr; i++)
		if (memcmp(k->prints + i * p->nr_outputs, prints, bytes) == 0)
			return true;
	return false;
}

/* A kernel whose bits change from call to call is judged at every call once this is full. */
void gpu_known_add(struct gpu_plan *p, unsigned content, const uint64_t *prints)
{
	struct gpu_known *k = &p->known[content];
	if (k->nr == MAX_KNOWN)
		return;
	k->prints = xreallocarray(k->prints, (k->nr + 1) * (p->nr_outputs + 1), sizeof(*prints));
	memcpy(k->prints + k->nr * p->nr_outputs, prints, p->nr_outputs * sizeof(*prints));
	k->nr++;
}
