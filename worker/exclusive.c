#include "worker/exclusive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "worker/progress.h"

/* A replicate takes a fraction of a second, or some with slow kernels. */
#define MAX_WAIT_NS (120 * NS_PER_S)
#define LOOK_NS (5 * NS_PER_MS)
/* Jobs that take turns wait a little all the time; that is nothing to tell. */
#define QUIET_NS NS_PER_S

static uint64_t patience_ns(const struct worker *w)
{
	uint64_t half = worker_left_ns(w) / 2;
	return half < MAX_WAIT_NS ? half : MAX_WAIT_NS;
}

/* Who holds it stands in the error as "... in use by process PID; CURE". */
static void tell(const struct err *e)
{
	const char *found = strstr(e->text, "process ");
	const char *holder = found ? found : "unknown process";
	AUTO_FREE char *why = xasprintf("waiting for another measurement on this machine (%.*s)",
					(int)strcspn(holder, ";"), holder);
	progress_wait("time", why);
}

/* Whoever gives every job cores of its own (bench/spread) names a lock for each group of cores. */
static char *lock_path(void)
{
	const char *own = getenv("FORGE_TIMING_LOCK");
	if (own && *own)
		return xstrdup(own);
	return xasprintf("/tmp/forge-timing-%ld.lock", (long)getuid());
}

void exclusive_take(struct worker *w, struct lock *l)
{
	AUTO_SPEND(w, wait_ns);
	AUTO_FREE char *path = lock_path();
	const uint64_t until_ns = clock_mono_ns() + patience_ns(w);
	const uint64_t quiet_until_ns = clock_mono_ns() + QUIET_NS;
	bool is_told = false;
	struct err e = { 0 };
	while (lock_take(l, path, &e) < 0) {
		if (e.kind != ERR_CONFLICT || clock_mono_ns() > until_ns) {
			worker_note(w, "timed beside other jobs of this machine: %s", e.text);
			w->is_realtime = false;
			return;
		}
		if (!is_told && clock_mono_ns() > quiet_until_ns) {
			tell(&e);
			is_told = true;
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
