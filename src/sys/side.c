#include "sys/side.h"

/* A side's birth and death. The pages and regions are made here and reach the runner as
 * descriptors; where the runner mapped the regions is noted while its page still can be believed,
 * that is before the object is loaded. The order to load comes only when the launcher is done:
 * joining a cgroup can take 10 ms, which the runner's own start overlaps. */

#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "sys/cpu.h"
#include "sys/last_words.h"
#include "sys/side_inner.h"

_Static_assert((int)SIDE_MAX_REGIONS == (int)DOORBELL_MAX_REGIONS, "one limit");
_Static_assert((int)SIDE_MAX_SLOTS == (int)DOORBELL_MAX_SLOTS, "one limit");

enum {
	SPARE_TASKS = 2,         /* above the pool, for the process limit */
	MEMORY_SLACK = 24 << 20, /* page tables, stacks, the runner's own */
	/* Turns a docked pool thread spins before it sleeps. libgomp's 300000 burn 5-10 ms of a
	 * core after every region, which on a shared core is the next side's time; 0 pays a wake-up
	 * of 20-50 us at every region. This is about 0.1 ms, so that a kernel of many regions stays
	 * hot and a side is quiet soon after it answered. */
	POOL_SPINS = 6000,
};

static void await_death(const struct side *s)
{
	struct pollfd fd = { .fd = s->box.pidfd, .events = POLLIN };
	poll(&fd, 1, 1000);
}

/* Threads that die at real-time priority, and a worker that reaps at it, keep the cores from whom
 * they wait for. */
static void calm(struct side *s)
{
	if (priority_is_raised())
		priority_set_own(PRIORITY_ORDINARY);
	side_set_priority(s, PRIORITY_ORDINARY);
	watch_close(&s->watch);
}

int side_conclude(struct side *s, enum waited how, struct side_state *st, struct err *e)
{
	int status = 0;
	calm(s);
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
		.lost_main = how == WAITED_HALF,
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
	if (region_make_sparse(&r, len, writable, e) < 0)
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
	s->nr_copies = s->reply->nr_copies;
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
	/* Being ready is the answer to order 1, which is to load the object. */
	s->seq = 1;
	atomic_store(&s->orders->bell, s->seq);
	syscall(SYS_futex, &s->orders->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
	enum waited how = side_wait_sleeping(s, clock_mono_ns() + SIDE_PREPARE_NS, &end_ns);
	if (how == WAITED_DEADLINE)
		return err_set(e, ERR_TIMEOUT, "forge-runner did not get ready");
	if (how == WAITED_DEATH)
		return side_conclude(s, how, st, e);
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

bool side_sleeps(const struct side *s)
{
	return s->sleeps;
}

unsigned side_copies(const struct side *s)
{
	return s->nr_copies;
}

pid_t side_pid(const struct side *s)
{
	return s->box.pid;
}

void side_set_priority(const struct side *s, enum priority p)
{
	for (size_t i = 0; i < s->watch.nr; i++)
		priority_set_thread(s->watch.tids[i], p);
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
	calm(s);
	sandbox_stop(&s->box, NULL);
	if (s->orders)
		munmap(s->orders, sizeof(*s->orders));
	if (s->reply)
		munmap(s->reply, sizeof(*s->reply));
	free(s);
}
