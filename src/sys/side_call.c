#include "sys/side.h"

/* The worker's half of the doorbell. The timed window is: read the clock, ring (store, fence, look
 * whether the runner sleeps), wait for the answer, read the clock. Everything else is outside it.
 * While spinning the clock and the runner's pidfd are looked at now and then: a deadline is met to
 * about 50 us, a death seen within a few ms or at once if the runner could say so. */

#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "sys/cpu.h"
#include "sys/side_inner.h"

enum {
	PAGE_BYTES = 4096,
	SPIN_BATCH = 1024, /* looks at the answer between looks at the clock: 15-40 us */
	SLICE_MS = 20,     /* longest futex sleep between looks at the pidfd */
};

static const uint64_t death_check_ns = 2 * NS_PER_MS;
static const uint64_t half_check_ns = 100 * NS_PER_MS;
/* Time for the worker to fall asleep within a null call. */
static const uint64_t asleep_ns = NS_PER_MS / 5;
static const uint64_t fall_asleep_ns = 50 * NS_PER_US;
static const uint64_t settle_ns = 50 * NS_PER_MS;
/* So long a thread may wait for a core before its looks count against it. */
static const uint64_t starved_ns = 5 * NS_PER_S;
/* Clocks of two cores need not agree to the tick. */
static const uint64_t stamp_slack_ns = 20 * NS_PER_US;

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

static void futex_wait(const _Atomic uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
	syscall(SYS_futex, word, FUTEX_WAIT, value, &t, NULL, 0);
}

static bool is_dead(const struct side *s)
{
	struct pollfd fd = { .fd = s->box.pidfd, .events = POLLIN };
	return poll(&fd, 1, 0) > 0;
}

/* The process counts as dead only with its last thread; a main thread that ended can not answer.
 * Looked at by reading /proc, hence seldom. */
static enum waited find_end(const struct side *s, uint64_t now_ns, uint64_t *check_ns)
{
	if (is_dead(s))
		return WAITED_DEATH;
	if (s->threads == 1 || now_ns < *check_ns)
		return WAITED_ANSWER;
	*check_ns = now_ns + half_check_ns;
	return watch_lost_main(&s->watch) ? WAITED_HALF : WAITED_ANSWER;
}

static uint32_t read_ack(const struct side *s)
{
	return atomic_load_explicit(&s->reply->ack, memory_order_acquire);
}

static bool spin_batch(const struct side *s)
{
	for (int i = 0; i < SPIN_BATCH; i++) {
		if (read_ack(s) == s->seq)
			return true;
		relax();
	}
	return false;
}

static enum waited wait_spinning(const struct side *s, uint64_t until_ns, uint64_t *end_ns)
{
	uint64_t check_ns = clock_mono_ns() + death_check_ns;
	uint64_t half_ns = check_ns + half_check_ns;
	for (;;) {
		bool is_done = spin_batch(s);
		*end_ns = clock_mono_ns();
		if (is_done)
			return WAITED_ANSWER;
		if (until_ns && *end_ns >= until_ns)
			return WAITED_DEADLINE;
		if (read_ack(s) == DOORBELL_ACK_DEAD)
			return WAITED_DEATH;
		if (*end_ns < check_ns)
			continue;
		enum waited end = find_end(s, *end_ns, &half_ns);
		if (end != WAITED_ANSWER)
			return end;
		check_ns = *end_ns + death_check_ns;
	}
}

enum waited side_wait_sleeping(const struct side *s, uint64_t until_ns, uint64_t *end_ns)
{
	uint64_t half_ns = clock_mono_ns() + half_check_ns;
	for (;;) {
		uint32_t ack = read_ack(s);
		*end_ns = clock_mono_ns();
		if (ack == s->seq)
			return WAITED_ANSWER;
		enum waited end = find_end(s, *end_ns, &half_ns);
		if (ack == DOORBELL_ACK_DEAD || end != WAITED_ANSWER)
			return end == WAITED_ANSWER ? WAITED_DEATH : end;
		if (until_ns && *end_ns >= until_ns)
			return WAITED_DEADLINE;
		uint64_t ns = SLICE_MS * NS_PER_MS;
		if (until_ns && until_ns - *end_ns < ns)
			ns = until_ns - *end_ns;
		futex_wait(&s->reply->ack, ack, ns);
	}
}

static void ring(struct side *s, enum doorbell_order order, uint32_t flags)
{
	s->orders->order = order;
	s->orders->flags = flags;
	s->seq++;
	atomic_store(&s->orders->bell, s->seq);
	if (atomic_load(&s->reply->asleep))
		syscall(SYS_futex, &s->orders->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Pages of a region from the one that holds `offset` on. */
static uint64_t pages_from(uint64_t len, uint64_t offset)
{
	return len / PAGE_BYTES - offset / PAGE_BYTES;
}

static int fill_slot(const struct side *s, const struct side_arg *a, struct doorbell_slot *slot,
		     struct err *e)
{
	*slot = (struct doorbell_slot){ .region = DOORBELL_SCALAR };
	if (a->is_scalar) {
		memcpy(&slot->value, a->scalar, sizeof(slot->value));
		return 0;
	}
	if (a->region >= s->nr_regions || a->offset > s->region_len[a->region] ||
	    a->nr_warm_pages > pages_from(s->region_len[a->region], a->offset))
		return err_set(e, ERR_INPUT, "argument at byte %llu of region %u: no such place",
			       (unsigned long long)a->offset, a->region);
	slot->region = a->region;
	slot->value = a->offset;
	slot->nr_warm_pages = a->nr_warm_pages;
	return 0;
}

static int fill_slots(struct side *s, const struct side_call *c, struct err *e)
{
	size_t nr = size_mul(c->nr_calls, c->nr_args);
	if (c->copy >= s->nr_copies)
		return err_set(e, ERR_INPUT, "copy %u of an object that holds %u", c->copy,
			       s->nr_copies);
	if (nr && !c->args)
		return err_set(e, ERR_INPUT, "calls without arguments");
	if (nr > SIDE_MAX_SLOTS)
		return err_set(e, ERR_INPUT, "%u calls of %zu arguments: more than %d in all",
			       c->nr_calls, c->nr_args, SIDE_MAX_SLOTS);
	for (size_t i = 0; i < nr; i++)
		if (fill_slot(s, &c->args[i], &s->orders->slots[i], e) < 0)
			return -1;
	s->orders->nr_calls = c->nr_calls;
	s->orders->nr_args = (uint32_t)c->nr_args;
	s->orders->copy = c->copy;
	return 0;
}

/* Ring and wait outside of any timing. */
static int exchange(struct side *s, enum doorbell_order order, uint32_t flags,
		    struct side_state *st, struct err *e)
{
	uint64_t until_ns = clock_mono_ns() + SIDE_PREPARE_NS;
	uint64_t end_ns = 0;
	/* A kernel that uses every core also uses ours: spinning would keep its main thread off. */
	bool sleeps = s->sleeps || s->by_futex;
	ring(s, order, flags | (sleeps ? ORDER_WAKE_ME : 0));
	enum waited how = sleeps ? side_wait_sleeping(s, until_ns, &end_ns)
				 : wait_spinning(s, until_ns, &end_ns);
	return how == WAITED_ANSWER ? 0 : side_conclude(s, how, st, e);
}

static int check_alive(const struct side *s, struct err *e)
{
	return s->box.pid ? 0 : err_set(e, ERR_INPUT, "this side has ended");
}

/* Each thread of the pool has a core of its own, the main thread the first. */
static bool has_cores(const struct side *s)
{
	return s->threads > 1 && s->orders->nr_cpus >= s->threads && !s->sleeps;
}

int side_prepare(struct side *s, const struct side_call *c, struct side_state *st, struct err *e)
{
	*st = (struct side_state){ .syscall_nr = -1 };
	if (check_alive(s, e) < 0 || fill_slots(s, c, e) < 0)
		return -1;
	s->by_futex = c->wait != SIDE_SPIN || s->sleeps;
	bool sleeps_apart = c->wait != SIDE_SPIN && has_cores(s);
	s->is_beside = c->wait == SIDE_SLEEP_BESIDE && sleeps_apart;
	s->deadline_ns = c->deadline_ns;
	s->glimpse = c->glimpse;
	s->is_prepared = true;
	if (sleeps_apart && cpu_pin(s->orders->cpus[1], e) < 0)
		return -1;
	bool sleeps = s->sleeps || s->is_beside;
	const uint64_t begin_ns = clock_mono_ns();
	int rc = exchange(s, ORDER_PREPARE, sleeps ? 0 : ORDER_STAY_AWAKE, st, e);
	s->ready_ns = clock_mono_ns() - begin_ns;
	return rc;
}

static uint64_t ticks_to_ns(const struct side *s, uint64_t ticks)
{
	uint64_t ns = clock_mono_ns() - s->born_ns;
	uint64_t all = cpu_ticks() - s->born_ticks;
	return all ? (uint64_t)((double)ticks * (double)ns / (double)all) : 0;
}

static uint64_t ns_to_ticks(const struct side *s, uint64_t ns)
{
	double all_ns = (double)(clock_mono_ns() - s->born_ns);
	double all = (double)(cpu_ticks() - s->born_ticks);
	return all_ns > 0 ? (uint64_t)((double)ns * all / all_ns) : 0;
}

/* One fire, in ticks. */
struct window {
	uint64_t start_ticks;
	uint64_t end_ticks;
	bool is_stamped; /* by the runner, within it */
};

/* Its CPU time is exact only once it sleeps. What it says about that is good enough here. */
static void await_sleep(const struct side *s)
{
	uint64_t until_ns = clock_mono_ns() + fall_asleep_ns;
	while (!atomic_load(&s->reply->asleep) && clock_mono_ns() < until_ns)
		relax();
}

/* A runner that really answered has stamped both ends of its calls within the window. One whose
 * answer was written by the kernel still shows the stamps of an earlier window. */
static bool stamps_are_within(const struct side *s, const struct window *w)
{
	uint64_t begin = s->reply->begin_ticks;
	uint64_t end = s->reply->end_ticks;
	uint64_t slack = ns_to_ticks(s, stamp_slack_ns);
	return begin + slack >= w->start_ticks && begin <= end && end <= w->end_ticks + slack;
}

static void fill_time(const struct side *s, struct side_time *t, const struct watch_counts *from)
{
	struct watch_counts to;
	await_sleep(s);
	watch_read(&s->watch, &to);
	t->wait_ns = to.wait_ns - from->wait_ns;
	t->cpu_ns = to.cpu_ns - from->cpu_ns;
	t->nivcsw = to.nivcsw - from->nivcsw;
	t->inner_ns = ticks_to_ns(s, s->reply->end_ticks - s->reply->begin_ticks);
	t->mxcsr_changed = s->reply->mxcsr_changed != 0;
}

/* The window. Nothing may be added between the two readings of the clock. */
static enum waited fire(struct side *s, uint32_t flags, struct side_time *t, struct window *w)
{
	w->start_ticks = cpu_ticks();
	uint64_t start_ns = clock_mono_ns();
	uint64_t until_ns = s->deadline_ns ? start_ns + s->deadline_ns : 0;
	ring(s, ORDER_FIRE, flags);
	enum waited how = s->by_futex ? side_wait_sleeping(s, until_ns, &t->end_ns)
				      : wait_spinning(s, until_ns, &t->end_ns);
	w->end_ticks = cpu_ticks();
	w->is_stamped = how == WAITED_ANSWER && stamps_are_within(s, w);
	t->ns = t->end_ns - start_ns;
	return how;
}

static void take_glimpse(struct side_glimpse *g)
{
	for (unsigned i = 0; g && i < g->nr; i++)
		memcpy(g->seen[i], g->at[i], g->len[i]);
}

static int fire_and_watch(struct side *s, uint32_t flags, struct side_time *t,
			  struct side_state *st, struct err *e)
{
	struct watch_counts from;
	*st = (struct side_state){ .syscall_nr = -1 };
	*t = (struct side_time){ .ready_ns = s->ready_ns };
	if (check_alive(s, e) < 0)
		return -1;
	if (!s->is_prepared)
		return err_set(e, ERR_INPUT, "fire without prepare");
	s->is_prepared = false;
	if (s->is_beside) {
		await_sleep(s);
		if (cpu_pin(s->orders->cpus[0], e) < 0)
			return -1;
	}
	watch_read(&s->watch, &from);
	struct window w = { 0 };
	enum waited how = fire(s, flags | (s->by_futex ? ORDER_WAKE_ME : 0), t, &w);
	take_glimpse(s->glimpse);
	if (how != WAITED_ANSWER)
		return side_conclude(s, how, st, e);
	fill_time(s, t, &from);
	t->is_stamped = w.is_stamped;
	return 0;
}

int side_park(struct side *s, struct side_state *st, struct err *e)
{
	*st = (struct side_state){ .syscall_nr = -1 };
	if (check_alive(s, e) < 0)
		return -1;
	if (!s->is_prepared)
		return 0;
	s->is_prepared = false;
	return exchange(s, ORDER_PARK, 0, st, e);
}

int side_pool_modes(struct side *s, bool *changed, struct side_state *st, struct err *e)
{
	*st = (struct side_state){ .syscall_nr = -1 };
	*changed = false;
	if (check_alive(s, e) < 0)
		return -1;
	/* A region of the whole pool would have to make the threads that are missing. */
	if (s->threads == 1 || !watch_has_all(&s->watch))
		return 0;
	s->is_prepared = false;
	if (exchange(s, ORDER_MODES, 0, st, e) < 0)
		return -1;
	*changed = st->end == SIDE_ALIVE && s->reply->mxcsr_changed != 0;
	return 0;
}

static int compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;
	return (*x > *y) - (*x < *y);
}

static int empty_call(struct side *s, enum side_wait wait, struct side_time *t)
{
	struct side_call call = { .nr_calls = 1, .wait = wait };
	struct side_state st;
	struct err e = { 0 };
	if (side_prepare(s, &call, &st, &e) < 0 || st.end != SIDE_ALIVE)
		return -1;
	if (fire_and_watch(s, ORDER_EMPTY_CALL, t, &st, &e) < 0 || st.end != SIDE_ALIVE)
		return -1;
	return 0;
}

/* A wake-up must find us asleep, so the call lasts longer than falling asleep takes; its length is
 * known and taken off. */
static int null_call(struct side *s, enum side_wait wait, uint64_t *ns)
{
	uint64_t length_ns = wait != SIDE_SPIN || s->sleeps ? asleep_ns : 0;
	struct side_time t;
	s->orders->empty_ticks = ns_to_ticks(s, length_ns);
	if (empty_call(s, wait, &t) < 0)
		return -1;
	*ns = t.ns > length_ns ? t.ns - length_ns : 0;
	return 0;
}

int side_fire(struct side *s, struct side_time *t, struct side_state *st, struct err *e)
{
	struct side_time empty = { 0 };
	const enum side_wait wait = s->by_futex ? SIDE_SLEEP : SIDE_SPIN;
	if (fire_and_watch(s, 0, t, st, e) < 0)
		return -1;
	if (st->end != SIDE_ALIVE || t->is_stamped)
		return 0;
	/* On a machine whose cores count ticks of their own no call is ever stamped. */
	s->orders->empty_ticks = 0;
	t->is_forged = empty_call(s, wait, &empty) == 0 && empty.is_stamped;
	return 0;
}

uint64_t side_null_rtt_ns(struct side *s, enum side_wait wait, unsigned n)
{
	AUTO_FREE uint64_t *all = xcalloc(n ? n : 1, sizeof(*all));
	for (unsigned i = 0; i < n; i++)
		if (null_call(s, wait, &all[i]) < 0)
			return UINT64_MAX;
	qsort(all, n, sizeof(*all), compare_u64);
	return n ? all[n / 2] : UINT64_MAX;
}

/* Wait until the answer's aftermath is over: going to sleep, the pool's last spins. */
static void settle(const struct side *s)
{
	uint64_t until_ns = clock_mono_ns() + settle_ns;
	uint64_t before = watch_cpu_ns(&s->watch);
	do {
		clock_sleep_ns(NS_PER_MS / 10);
		uint64_t now = watch_cpu_ns(&s->watch);
		/* A thread that waits for a core to fall asleep on uses none meanwhile. */
		if (now == before && !watch_is_busy(&s->watch))
			return;
		before = now;
	} while (clock_mono_ns() < until_ns);
}

uint64_t side_cpu_ns(const struct side *s)
{
	return s->box.pid ? watch_cpu_ns(&s->watch) : 0;
}

bool side_falls_asleep(const struct side *s, uint64_t limit_ns)
{
	const uint64_t until_ns = clock_mono_ns() + limit_ns;
	while (s->box.pid && watch_is_busy(&s->watch)) {
		if (clock_mono_ns() > until_ns)
			return false;
		clock_sleep_ns(NS_PER_MS / 20);
	}
	return true;
}

enum rest { REST_QUIET, REST_WAITS, REST_WORKS };

static enum rest look(const struct side *s, uint64_t window_ns)
{
	if (!s->box.pid)
		return REST_QUIET;
	settle(s);
	uint64_t before = watch_cpu_ns(&s->watch);
	clock_sleep_ns(window_ns);
	if (watch_cpu_ns(&s->watch) != before)
		return REST_WORKS;
	return watch_is_busy(&s->watch) ? REST_WAITS : REST_QUIET;
}

bool side_is_quiet(struct side *s, uint64_t window_ns)
{
	return look(s, window_ns) == REST_QUIET;
}

bool side_comes_to_rest(struct side *s, uint64_t window_ns)
{
	enum { LOOKS = 6 };
	const uint64_t until_ns = clock_mono_ns() + starved_ns;
	unsigned nr_looks = 0;
	while (nr_looks < LOOKS) {
		enum rest rest = look(s, window_ns << nr_looks);
		if (rest == REST_QUIET)
			return true;
		if (rest == REST_WORKS || clock_mono_ns() > until_ns)
			nr_looks++;
	}
	return false;
}
