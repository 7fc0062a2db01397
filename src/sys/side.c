#include "sys/side.h"

/* The worker's half of the doorbell. The timed window is: read the clock, ring (store, fence, look
 * whether the runner sleeps), wait for the answer, read the clock. Everything else is outside it.
 * While spinning the clock and the runner's pidfd are looked at now and then: a deadline is met to
 * about 50 us, a death seen within a few ms or at once if the runner could say so. */

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "sys/cpu.h"
#include "sys/doorbell.h"
#include "sys/last_words.h"
#include "sys/sandbox.h"
#include "sys/watch.h"

_Static_assert((int)SIDE_MAX_REGIONS == (int)DOORBELL_MAX_REGIONS, "one limit");
_Static_assert((int)SIDE_MAX_SLOTS == (int)DOORBELL_MAX_SLOTS, "one limit");

enum {
	SPIN_BATCH = 1024,       /* looks at the answer between looks at the clock: 15-40 us */
	SLICE_MS = 20,           /* longest futex sleep between looks at the pidfd */
	SPARE_TASKS = 2,         /* above the pool, for the process limit */
	MEMORY_SLACK = 24 << 20, /* page tables, stacks, the runner's own */
	/* Turns a docked pool thread spins before it sleeps. libgomp's 300000 burn 5-10 ms of a
	 * core after every region, which on a shared core is the next side's time; 0 pays a wake-up
	 * of 20-50 us at every region. This is about 0.1 ms, so that a kernel of many regions stays
	 * hot and a side is quiet soon after it answered. */
	POOL_SPINS = 6000,
};

static const uint64_t death_check_ns = 2 * NS_PER_MS;
static const uint64_t prepare_deadline_ns = 10 * NS_PER_S;
static const uint64_t settle_ns = 5 * NS_PER_MS;

struct side {
	struct sandbox box;
	struct doorbell_orders *orders;
	struct doorbell_reply *reply;
	struct watch watch;
	uint32_t seq;
	unsigned threads;
	bool sleeps;
	bool is_ready;
	bool is_prepared;
	bool by_futex;
	uint64_t deadline_ns;
	size_t nr_regions;
	uint64_t region_at[SIDE_MAX_REGIONS]; /* as told before the object's code ran */
	uint64_t region_len[SIDE_MAX_REGIONS];
	bool region_writable[SIDE_MAX_REGIONS];
	uint64_t born_ns; /* one reading of both clocks, for the rate of the runner's ticks */
	uint64_t born_ticks;
};

enum waited { WAITED_ANSWER, WAITED_DEATH, WAITED_DEADLINE };

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
		if (is_dead(s))
			return WAITED_DEATH;
		check_ns = *end_ns + death_check_ns;
	}
}

static enum waited wait_sleeping(const struct side *s, uint64_t until_ns, uint64_t *end_ns)
{
	for (;;) {
		uint32_t ack = read_ack(s);
		*end_ns = clock_mono_ns();
		if (ack == s->seq)
			return WAITED_ANSWER;
		if (ack == DOORBELL_ACK_DEAD || is_dead(s))
			return WAITED_DEATH;
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

static void await_death(const struct side *s)
{
	struct pollfd fd = { .fd = s->box.pidfd, .events = POLLIN };
	poll(&fd, 1, 1000);
}

/* The side is over: take its last words. -1 when it was the runner that failed. */
static int conclude(struct side *s, enum waited how, struct side_state *st, struct err *e)
{
	int status = 0;
	if (how == WAITED_DEATH)
		await_death(s);
	bool hit_memory = sandbox_hit_memory(&s->box);
	sandbox_stop(&s->box, &status);
	struct doorbell_reply reply;
	memcpy(&reply, s->reply, sizeof(reply));
	reply.text[DOORBELL_TEXT_BYTES - 1] = 0;
	struct last_words w = {
		.reply = &reply,
		.status = status,
		.killed_by_us = how == WAITED_DEADLINE,
		.hit_memory = hit_memory,
		.was_ready = s->is_ready,
		.nr_regions = s->nr_regions,
		.region_at = s->region_at,
		.region_len = s->region_len,
		.region_writable = s->region_writable,
	};
	s->is_prepared = false;
	if (last_words_read(&w, st))
		return 0;
	return err_set(e, ERR_CHILD, "forge-runner failed: %s", st->text);
}

/* The doorbell page as shared memory; the runner's descriptor comes with it. */
static int make_page(void **at, int *fd, size_t len, bool writable, struct err *e)
{
	struct region r;
	if (region_make(&r, len, writable, e) < 0)
		return -1;
	*at = r.addr;
	*fd = r.fd;
	return 0;
}

static void fill_regions(struct side *s, const struct side_spec *spec)
{
	s->nr_regions = spec->nr_regions;
	s->orders->nr_regions = (uint32_t)spec->nr_regions;
	for (size_t i = 0; i < spec->nr_regions; i++) {
		const struct region *r = &spec->regions[i];
		s->region_len[i] = r->len;
		s->region_writable[i] = r->writable;
		s->orders->regions[i] =
			(struct doorbell_region){ .len = r->len, .writable = r->writable };
	}
}

/* The main thread's core first, then the others from the top: the worker tends to sit on the first.
 * Nobody is bound if there are fewer cores than threads, or no wish for one thread. */
static void fill_cpus(struct side *s, const struct side_spec *spec, const struct cpu_list *cpus)
{
	struct doorbell_orders *o = s->orders;
	if (spec->cpu >= 0)
		o->cpus[o->nr_cpus++] = (uint32_t)spec->cpu;
	else if (spec->threads == 1)
		return;
	for (unsigned i = cpus->nr; i-- > 0;)
		if ((int)cpus->ids[i] != spec->cpu && o->nr_cpus < DOORBELL_MAX_CPUS)
			o->cpus[o->nr_cpus++] = cpus->ids[i];
}

static void fill_orders(struct side *s, const struct side_spec *spec, const struct cpu_list *cpus)
{
	struct doorbell_orders *o = s->orders;
	o->version = DOORBELL_VERSION;
	o->bell = 1; /* being ready is the answer to order 1 */
	o->threads = spec->threads;
	o->memory_bytes = spec->memory_bytes ? spec->memory_bytes : SIDE_DEFAULT_MEMORY_BYTES;
	o->accept_weak = spec->accept_weak;
	s->threads = spec->threads;
	s->sleeps = cpus->nr < 2;
	fill_regions(s, spec);
	fill_cpus(s, spec, cpus);
}

static int start_box(struct side *s, const struct side_spec *spec, const struct cpu_list *cpus,
		     const int *fds, struct err *e)
{
	AUTO_FREE char *nr = xasprintf("OMP_NUM_THREADS=%u", spec->threads);
	AUTO_FREE char *max = xasprintf("OMP_THREAD_LIMIT=%u", spec->threads);
	AUTO_FREE char *spins = xasprintf("GOMP_SPINCOUNT=%d", POOL_SPINS);
	const char *env[] = { nr, max, spins, "OMP_DYNAMIC=false", NULL };
	struct sandbox_spec box = {
		.program_path = spec->runner_path,
		.object_path = spec->so_path,
		.fds = fds,
		.nr_fds = DOORBELL_FD_REGIONS - DOORBELL_FD_ORDERS + spec->nr_regions,
		.cpus = cpus,
		.memory_bytes = s->orders->memory_bytes + MEMORY_SLACK,
		.max_tasks = spec->threads + SPARE_TASKS,
		.env = env,
		.accept_weak = spec->accept_weak,
	};
	return sandbox_start(&s->box, &box, e);
}

/* Make both pages and start the runner with them and the regions as its descriptors. */
static int launch(struct side *s, const struct side_spec *spec, const struct cpu_list *cpus,
		  struct err *e)
{
	AUTO_CLOSE int orders_fd = -1;
	AUTO_CLOSE int reply_fd = -1;
	void *at[2] = { NULL, NULL };
	if (make_page(&at[0], &orders_fd, sizeof(*s->orders), false, e) < 0)
		return -1;
	s->orders = at[0];
	if (make_page(&at[1], &reply_fd, sizeof(*s->reply), true, e) < 0)
		return -1;
	s->reply = at[1];
	int fds[DOORBELL_FD_REGIONS + SIDE_MAX_REGIONS] = { orders_fd, reply_fd };
	for (size_t i = 0; i < spec->nr_regions; i++)
		fds[DOORBELL_FD_REGIONS - DOORBELL_FD_ORDERS + i] = spec->regions[i].fd;
	fill_orders(s, spec, cpus);
	return start_box(s, spec, cpus, fds, e);
}

/* The runner said it is ready: from here on its page is the object's to write. */
static void note_ready(struct side *s)
{
	if (s->reply->affinity_errno)
		sandbox_lack_add(&s->box.lacks, SANDBOX_affinity, s->reply->affinity_errno);
	if (s->reply->seccomp_errno)
		sandbox_lack_add(&s->box.lacks, SANDBOX_seccomp, s->reply->seccomp_errno);
	s->sleeps = s->sleeps || sandbox_lacks_has(&s->box.lacks, SANDBOX_affinity);
	memcpy(s->region_at, s->reply->region_at, sizeof(s->region_at));
	watch_open(&s->watch, s->box.pid);
	s->born_ns = clock_mono_ns();
	s->born_ticks = cpu_ticks();
	s->is_ready = true;
}

static int check_spec(const struct side_spec *spec, struct err *e)
{
	if (spec->threads < 1 || spec->threads > DOORBELL_MAX_CPUS)
		return err_set(e, ERR_INPUT, "a side with %u threads", spec->threads);
	if (spec->nr_regions > SIDE_MAX_REGIONS)
		return err_set(e, ERR_INPUT, "a side with %zu regions (at most %d)",
			       spec->nr_regions, SIDE_MAX_REGIONS);
	return 0;
}

/* Start and wait until ready; the end, if any, is in `st`. */
static int bring_up(struct side *s, const struct side_spec *spec, struct side_state *st,
		    struct err *e)
{
	struct cpu_list own = { 0 };
	uint64_t end_ns = 0;
	if (!spec->cpus && cpu_usable(&own, e) < 0)
		return -1;
	if (launch(s, spec, spec->cpus ? spec->cpus : &own, e) < 0)
		return -1;
	s->seq = 1;
	enum waited how = wait_sleeping(s, clock_mono_ns() + prepare_deadline_ns, &end_ns);
	if (how == WAITED_DEADLINE)
		return err_set(e, ERR_TIMEOUT, "forge-runner did not get ready");
	if (how == WAITED_DEATH)
		return conclude(s, how, st, e);
	note_ready(s);
	return 0;
}

int side_start(struct side **out, const struct side_spec *spec, struct side_state *st,
	       struct err *e)
{
	*out = NULL;
	*st = (struct side_state){ .syscall_nr = -1 };
	if (check_spec(spec, e) < 0)
		return -1;
	struct side *s = xcalloc(1, sizeof(*s));
	s->box.pidfd = -1;
	int status = bring_up(s, spec, st, e);
	if (status == 0 && st->end == SIDE_ALIVE)
		*out = s;
	else
		side_free(&s);
	return status;
}

static int fill_slot(const struct side *s, const struct side_arg *a, struct doorbell_slot *slot,
		     struct err *e)
{
	*slot = (struct doorbell_slot){ .region = DOORBELL_SCALAR };
	if (a->is_scalar) {
		memcpy(&slot->value, a->scalar, sizeof(slot->value));
		return 0;
	}
	if (a->region >= s->nr_regions || a->offset > s->region_len[a->region])
		return err_set(e, ERR_INPUT, "argument at byte %llu of region %u: no such place",
			       (unsigned long long)a->offset, a->region);
	slot->region = a->region;
	slot->value = a->offset;
	return 0;
}

static int fill_slots(struct side *s, const struct side_call *c, struct err *e)
{
	size_t nr = size_mul(c->nr_calls, c->nr_args);
	if (nr > SIDE_MAX_SLOTS)
		return err_set(e, ERR_INPUT, "%u calls of %zu arguments: more than %d in all",
			       c->nr_calls, c->nr_args, SIDE_MAX_SLOTS);
	for (size_t i = 0; i < nr; i++)
		if (fill_slot(s, &c->args[i], &s->orders->slots[i], e) < 0)
			return -1;
	s->orders->nr_calls = c->nr_calls;
	s->orders->nr_args = (uint32_t)c->nr_args;
	return 0;
}

/* Ring and wait outside of any timing. */
static int exchange(struct side *s, enum doorbell_order order, uint32_t flags,
		    struct side_state *st, struct err *e)
{
	uint64_t until_ns = clock_mono_ns() + prepare_deadline_ns;
	uint64_t end_ns = 0;
	ring(s, order, flags | (s->sleeps ? ORDER_WAKE_ME : 0));
	enum waited how = s->sleeps ? wait_sleeping(s, until_ns, &end_ns)
				    : wait_spinning(s, until_ns, &end_ns);
	return how == WAITED_ANSWER ? 0 : conclude(s, how, st, e);
}

static int check_alive(const struct side *s, struct err *e)
{
	return s->box.pid ? 0 : err_set(e, ERR_INPUT, "this side has ended");
}

int side_prepare(struct side *s, const struct side_call *c, struct side_state *st, struct err *e)
{
	*st = (struct side_state){ .syscall_nr = -1 };
	if (check_alive(s, e) < 0 || fill_slots(s, c, e) < 0)
		return -1;
	s->by_futex = c->wait_by_futex || s->sleeps;
	s->deadline_ns = c->deadline_ns;
	s->is_prepared = true;
	return exchange(s, ORDER_PREPARE, s->sleeps ? 0 : ORDER_STAY_AWAKE, st, e);
}

static uint64_t ticks_to_ns(const struct side *s, uint64_t ticks)
{
	uint64_t ns = clock_mono_ns() - s->born_ns;
	uint64_t all = cpu_ticks() - s->born_ticks;
	return all ? (uint64_t)((double)ticks * (double)ns / (double)all) : 0;
}

static void fill_time(const struct side *s, struct side_time *t, const struct watch_counts *from)
{
	struct watch_counts to;
	watch_read(&s->watch, &to);
	t->wait_ns = to.wait_ns - from->wait_ns;
	t->cpu_ns = to.cpu_ns - from->cpu_ns;
	t->nivcsw = to.nivcsw - from->nivcsw;
	t->inner_ns = ticks_to_ns(s, s->reply->end_ticks - s->reply->begin_ticks);
	t->mxcsr_changed = s->reply->mxcsr_changed != 0;
}

/* The window. Nothing may be added between the two readings of the clock. */
static enum waited fire(struct side *s, uint32_t flags, struct side_time *t)
{
	uint64_t start_ns = clock_mono_ns();
	uint64_t until_ns = s->deadline_ns ? start_ns + s->deadline_ns : 0;
	ring(s, ORDER_FIRE, flags);
	enum waited how = s->by_futex ? wait_sleeping(s, until_ns, &t->end_ns)
				      : wait_spinning(s, until_ns, &t->end_ns);
	t->ns = t->end_ns - start_ns;
	return how;
}

static int fire_and_watch(struct side *s, uint32_t flags, struct side_time *t,
			  struct side_state *st, struct err *e)
{
	struct watch_counts from;
	*st = (struct side_state){ .syscall_nr = -1 };
	*t = (struct side_time){ 0 };
	if (check_alive(s, e) < 0)
		return -1;
	if (!s->is_prepared)
		return err_set(e, ERR_INPUT, "fire without prepare");
	s->is_prepared = false;
	watch_read(&s->watch, &from);
	enum waited how = fire(s, flags | (s->by_futex ? ORDER_WAKE_ME : 0), t);
	if (how != WAITED_ANSWER)
		return conclude(s, how, st, e);
	fill_time(s, t, &from);
	return 0;
}

int side_fire(struct side *s, struct side_time *t, struct side_state *st, struct err *e)
{
	return fire_and_watch(s, 0, t, st, e);
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

static int compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a;
	const uint64_t *y = b;
	return (*x > *y) - (*x < *y);
}

static int null_call(struct side *s, bool by_futex, uint64_t *ns)
{
	struct side_call call = { .nr_calls = 1, .wait_by_futex = by_futex };
	struct side_state st;
	struct side_time t;
	struct err e = { 0 };
	if (side_prepare(s, &call, &st, &e) < 0 || st.end != SIDE_ALIVE)
		return -1;
	if (fire_and_watch(s, ORDER_EMPTY_CALL, &t, &st, &e) < 0 || st.end != SIDE_ALIVE)
		return -1;
	*ns = t.ns;
	return 0;
}

uint64_t side_null_rtt_ns(struct side *s, bool by_futex, unsigned n)
{
	AUTO_FREE uint64_t *all = xcalloc(n ? n : 1, sizeof(*all));
	for (unsigned i = 0; i < n; i++)
		if (null_call(s, by_futex, &all[i]) < 0)
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
		if (now == before)
			return;
		before = now;
	} while (clock_mono_ns() < until_ns);
}

bool side_is_quiet(struct side *s, uint64_t window_ns)
{
	if (!s->box.pid)
		return true;
	settle(s);
	uint64_t before = watch_cpu_ns(&s->watch);
	clock_sleep_ns(window_ns);
	return watch_cpu_ns(&s->watch) == before && !watch_is_busy(&s->watch);
}

bool side_sleeps(const struct side *s)
{
	return s->sleeps;
}

pid_t side_pid(const struct side *s)
{
	return s->box.pid;
}

const struct sandbox_lacks *side_lacks(const struct side *s)
{
	return &s->box.lacks;
}

const char *side_end_name(enum side_end end)
{
	static const char *const names[] = {
		[SIDE_ALIVE] = "alive",
		[SIDE_EXITED] = "exited",
		[SIDE_CRASHED] = "crashed",
		[SIDE_FAULT_INPUT] = "fault_input",
		[SIDE_FAULT_GUARD] = "fault_guard",
		[SIDE_FORBIDDEN] = "forbidden",
		[SIDE_TIMEOUT] = "timeout",
		[SIDE_MEMORY] = "memory",
		[SIDE_KILLED] = "killed",
		[SIDE_START_FAILED] = "start_failed",
	};
	return names[end];
}

void side_free(struct side **slot)
{
	struct side *s = take_ptr(slot);
	if (!s)
		return;
	sandbox_stop(&s->box, NULL);
	watch_close(&s->watch);
	if (s->orders)
		munmap(s->orders, sizeof(*s->orders));
	if (s->reply)
		munmap(s->reply, sizeof(*s->reply));
	free(s);
}
