#include "worker/exclusive.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"

/* A replicate takes a fraction of a second, or some with slow kernels. */
#define MAX_WAIT_NS (120 * NS_PER_S)
#define LOOK_NS (5 * NS_PER_MS)

static uint64_t patience_ns(const struct worker *w)
{
	uint64_t half = worker_left_ns(w) / 2;
	return half < MAX_WAIT_NS ? half : MAX_WAIT_NS;
}

void exclusive_take(struct worker *w, struct lock *l)
{
	AUTO_SPEND(w, wait_ns);
	AUTO_FREE char *path = xasprintf("/tmp/forge-timing-%ld.lock", (long)getuid());
	const uint64_t until_ns = clock_mono_ns() + patience_ns(w);
	struct err e = { 0 };
	while (lock_take(l, path, &e) < 0) {
		if (e.kind != ERR_CONFLICT || clock_mono_ns() > until_ns) {
			worker_note(w, "timed beside other jobs of this machine: %s", e.text);
			w->is_realtime = false;
			return;
		}
		clock_sleep_ns(LOOK_NS);
	}
	w->has_machine = true;
}

void exclusive_give(struct worker *w, struct lock *l)
{
	w->has_machine = false;
	lock_release(l);
}
