#include "runner/bell.h"

/* Between orders the runner sleeps on the bell, a futex in the read-only page, so that several
 * runners can stand by on one core. Only between "prepare" and "fire" it spins, if told so: then
 * the bell costs a cache line's journey (0.2 us) instead of a wake-up (20 us). The spin has an end,
 * in case the worker was put off its core. `asleep` and the bell form a Dekker pair: each side
 * writes its own word, fences, and reads the other's. */

#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runner/faults.h"
#include "runner/machine.h"
#include "runner/pool.h"

/* About 50 ms of pauses on the machines we know; exactness does not matter. */
enum { SPIN_LIMIT = 3000000, PAGE_BYTES = 4096 };

struct bell {
	const struct room *room;
	uint32_t seq;
	bool stay_awake;
	uint32_t nr_calls;
	uint32_t nr_args;
	void *args[DOORBELL_MAX_SLOTS];
	uint64_t scalars[DOORBELL_MAX_SLOTS];
};

struct bell *bell_new(const struct room *room)
{
	struct bell *b =
		mmap(NULL, sizeof(*b), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b == MAP_FAILED)
		faults_give_up(room->reply, END_SETUP, "no memory for the call table");
	b->room = room;
	return b;
}

static long futex(const _Atomic uint32_t *word, int op, uint32_t value)
{
	return syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

static bool has_rung(const struct bell *b)
{
	return atomic_load_explicit(&b->room->orders->bell, memory_order_acquire) != b->seq;
}

static bool spin(const struct bell *b)
{
	for (unsigned i = 0; i < SPIN_LIMIT; i++) {
		if (has_rung(b))
			return true;
		machine_relax();
	}
	return false;
}

static void sleep_until_rung(const struct bell *b)
{
	struct doorbell_reply *reply = b->room->reply;
	atomic_store(&reply->asleep, 1);
	while (!has_rung(b))
		futex(&b->room->orders->bell, FUTEX_WAIT, b->seq);
	atomic_store(&reply->asleep, 0);
}

static void wait_for_order(struct bell *b)
{
	if (!b->stay_awake || !spin(b))
		sleep_until_rung(b);
	b->seq = atomic_load_explicit(&b->room->orders->bell, memory_order_acquire);
}

static void answer(const struct bell *b, uint32_t flags)
{
	struct doorbell_reply *reply = b->room->reply;
	atomic_store_explicit(&reply->ack, b->seq, memory_order_release);
	if (flags & ORDER_WAKE_ME)
		futex(&reply->ack, FUTEX_WAKE, 1);
}

static void *place_of(struct bell *b, size_t i)
{
	const struct doorbell_slot *slot = &b->room->orders->slots[i];
	b->scalars[i] = slot->value;
	if (slot->region == DOORBELL_SCALAR)
		return &b->scalars[i];
	return b->room->regions[slot->region] + slot->value;
}

/* Flushing a line translates its address and leaves no data in a cache: the window starts with the
 * same state of the TLB whoever ran on this core before. */
static void warm_pages(const struct doorbell_slot *slot, const char *at)
{
	for (uint32_t i = 0; i < slot->nr_warm_pages; i++)
		machine_flush_line(at + (size_t)i * PAGE_BYTES);
}

/* Turn places into pointers here, outside the timed window. The worker checked all places. */
static void prepare(struct bell *b)
{
	const struct doorbell_orders *o = b->room->orders;
	b->nr_calls = o->nr_calls;
	b->nr_args = o->nr_args;
	size_t nr = (size_t)b->nr_calls * b->nr_args;
	for (size_t i = 0; i < nr && i < DOORBELL_MAX_SLOTS; i++)
		b->args[i] = place_of(b, i);
	for (size_t i = 0; i < nr && i < DOORBELL_MAX_SLOTS; i++)
		warm_pages(&o->slots[i], b->args[i]);
}

static bool call_all(const struct bell *b, entry_fn entry)
{
	bool is_changed = false;
	for (uint32_t i = 0; i < b->nr_calls; i++) {
		machine_reset_fp();
		entry(b->args + (size_t)i * b->nr_args);
		is_changed |= machine_fp_changed();
	}
	return is_changed;
}

static void call_nothing(void *const *args)
{
	/* As opaque to the compiler as a loaded object. */
	__asm__ volatile("" ::"r"(args) : "memory");
}

/* What a round trip is measured with: the same path, a call that lasts as long as ordered. */
static bool call_empty(const struct bell *b, uint64_t begin)
{
	bool is_changed = call_all(b, call_nothing);
	uint64_t length = b->room->orders->empty_ticks;
	while (length && machine_ticks() - begin < length)
		machine_relax();
	return is_changed;
}

/* The worker asks for copies that it was told of. */
static entry_fn entry_of(const struct bell *b, const struct object *object)
{
	return object->entries[b->room->orders->copy % object->nr];
}

static void fire(const struct bell *b, entry_fn entry, bool is_empty)
{
	struct doorbell_reply *reply = b->room->reply;
	uint64_t begin = machine_ticks();
	bool is_changed = is_empty ? call_empty(b, begin) : call_all(b, entry);
	machine_drain_stores();
	reply->end_ticks = machine_ticks();
	reply->begin_ticks = begin;
	reply->mxcsr_changed = is_changed;
	if (is_changed)
		machine_restore_fp();
}

static void obey(struct bell *b, const struct object *object)
{
	const struct doorbell_orders *o = b->room->orders;
	uint32_t flags = o->flags;
	b->stay_awake = (flags & ORDER_STAY_AWAKE) != 0;
	if (o->order == ORDER_QUIT)
		_exit(0);
	if (o->order == ORDER_PREPARE)
		prepare(b);
	else if (o->order == ORDER_FIRE)
		fire(b, entry_of(b, object), (flags & ORDER_EMPTY_CALL) != 0);
	else if (o->order == ORDER_MODES)
		b->room->reply->mxcsr_changed = pool_modes_changed(o->threads);
	answer(b, flags);
}

void bell_await_load(struct bell *b)
{
	sleep_until_rung(b);
	b->seq = atomic_load_explicit(&b->room->orders->bell, memory_order_acquire);
}

_Noreturn void bell_serve(struct bell *b, const struct object *object)
{
	answer(b, ORDER_WAKE_ME);
	for (;;) {
		wait_for_order(b);
		obey(b, object);
	}
}
