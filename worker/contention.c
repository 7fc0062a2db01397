#include "worker/contention.h"

/*
 * Waiting in a run queue is counted by the kernel to the nanosecond; stolen time only in ticks of
 * 10 ms, so /proc is read once per tick and all rounds since the last look share the blame.
 */

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"

/* A wait below this share of the window is smaller than what the rule resolves (1 %). */
enum { WAIT_SHARE_INVERSE = 200 };
/* Rounds are dropped only if more than this share survives: a median stands up to the rest. */
static const double min_survivors = 0.60;
/* The gate of measurement notes 2.3: beyond it a trial is marked. */
static const double max_psi_share = 0.80;
static const double max_steal_share = 0.10;

#define TICK_NS (10 * NS_PER_MS)

void contention_init(struct contention *c, size_t max_rounds)
{
	*c = (struct contention){ .nr_rounds = max_rounds };
	c->was_stolen = xcalloc(max_rounds, sizeof(*c->was_stolen));
}

void contention_release(struct contention *c)
{
	free(c->was_stolen);
	*c = (struct contention){ 0 };
}

void contention_open(struct contention *c)
{
	cpu_load_read(&c->first);
	c->first_ns = clock_mono_ns();
	c->last = c->first;
	c->last_ns = c->first_ns;
}

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

bool contention_is_high(const struct contention *c, bool is_realtime)
{
	double disturbed = share((double)c->nr_disturbed, (double)c->nr_seen);
	return disturbed > 1 - min_survivors || c->steal_share > max_steal_share ||
	       (!is_realtime && c->psi_share > max_psi_share);
}

bool contention_close(struct contention *c, bool is_realtime)
{
	struct cpu_load now;
	cpu_load_read(&now);
	double wall_us = (double)(clock_mono_ns() - c->first_ns) / 1e3;
	c->psi_share = share((double)(now.psi_some_us - c->first.psi_some_us), wall_us);
	c->steal_share = share((double)(now.steal_ticks - c->first.steal_ticks),
			       (double)(now.total_ticks - c->first.total_ticks));
	return contention_is_high(c, is_realtime);
}

void contention_begin(struct contention *c)
{
	memset(c->was_stolen, 0, c->nr_rounds * sizeof(*c->was_stolen));
	c->last_round = 0;
}

void contention_round(struct contention *c, size_t round)
{
	uint64_t now_ns = clock_mono_ns();
	if (now_ns - c->last_ns < TICK_NS)
		return;
	struct cpu_load now;
	cpu_load_read(&now);
	if (now.steal_ticks > c->last.steal_ticks)
		for (size_t i = c->last_round; i <= round && i < c->nr_rounds; i++)
			c->was_stolen[i] = true;
	c->last = now;
	c->last_ns = now_ns;
	c->last_round = round + 1;
}

static bool is_disturbed(const struct contention *c, const struct sample *s)
{
	return s->wait_ns > s->ns / WAIT_SHARE_INVERSE || c->was_stolen[s->round];
}

static void mark_disturbed(struct contention *c, const struct sample *samples, size_t nr,
			   bool of_candidate)
{
	for (size_t i = 0; i < nr; i++)
		if ((samples[i].slot == SLOT_CANDIDATE) == of_candidate &&
		    is_disturbed(c, &samples[i]))
			c->was_stolen[samples[i].round] = true;
}

static size_t count_good(const struct contention *c, size_t nr_rounds)
{
	size_t nr = 0;
	for (size_t i = 0; i < nr_rounds; i++)
		nr += c->was_stolen[i] ? 0 : 1;
	return nr;
}

/* A kernel can make itself wait, and a contended job accuses later. So what disturbs the reference
 * says how busy the machine is; what is dropped is what either waited in. */
void contention_drop(struct contention *c, struct sample *samples, size_t nr, size_t nr_rounds)
{
	bool *is_bad = c->was_stolen; /* reused: stolen or waited */
	mark_disturbed(c, samples, nr, false);
	c->nr_seen += nr_rounds;
	c->nr_disturbed += nr_rounds - count_good(c, nr_rounds);
	mark_disturbed(c, samples, nr, true);
	const size_t left = count_good(c, nr_rounds);
	if ((double)left <= min_survivors * (double)nr_rounds)
		return;
	for (size_t i = 0; i < nr; i++)
		samples[i].is_dropped = is_bad[samples[i].round];
}

void contention_record(const struct contention *c, json_t *timing)
{
	json_object_set_new(timing, "psi_share", json_number(c->psi_share));
	json_object_set_new(timing, "steal_share", json_number(c->steal_share));
	json_object_set_new(timing, "disturbed_share",
			    json_number(share((double)c->nr_disturbed, (double)c->nr_seen)));
}
