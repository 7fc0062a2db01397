#include "runner/pool.h"

/* A parallel region that only prepares its threads leaves them docked in libgomp's pool, where the
 * kernel's regions of the same size find them. Each is bound to a core of its own: left alone, the
 * scheduler likes to wake them on the waker's core. If there are fewer cores than threads nobody is
 * bound. GOMP_SPINCOUNT (set by the worker) says how long a docked thread burns its core. */

#include <errno.h>
#include <sched.h>
#include <stddef.h>

#include "runner/faults.h"
#include "runner/machine.h"
#include "sys/doorbell.h"

/* libgomp's entry points; its header declares only the omp_ ones and may belong to clang. */
void GOMP_parallel(void (*fn)(void *), void *data, unsigned nr_threads, unsigned flags);
int omp_get_thread_num(void);
void omp_set_num_threads(int nr);
void omp_set_dynamic(int is_on);

struct gathering {
	const struct doorbell_orders *orders;
	struct doorbell_reply *reply;
	_Atomic unsigned nr_present;
};

static void bind_thread(const struct gathering *g, unsigned index)
{
	const struct doorbell_orders *o = g->orders;
	cpu_set_t set;
	if (o->nr_cpus < o->threads || index >= DOORBELL_MAX_CPUS)
		return;
	CPU_ZERO(&set);
	CPU_SET(o->cpus[index], &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		g->reply->affinity_errno = errno;
}

static void join(void *data)
{
	struct gathering *g = data;
	unsigned index = (unsigned)omp_get_thread_num();
	bind_thread(g, index);
	if (index > 0)
		faults_take_stack();
	g->nr_present++;
}

void pool_make(const struct doorbell_orders *orders, struct doorbell_reply *reply)
{
	struct gathering g = { .orders = orders, .reply = reply };
	omp_set_dynamic(0);
	omp_set_num_threads((int)orders->threads);
	if (orders->threads > 1)
		GOMP_parallel(join, &g, orders->threads, 0);
	else
		join(&g);
	if (g.nr_present != orders->threads)
		faults_give_up(reply, END_SETUP, "the thread pool could not be made");
}

static void look_at_modes(void *data)
{
	_Atomic bool *is_changed = data;
	if (!machine_fp_changed())
		return;
	*is_changed = true;
	machine_restore_fp();
}

bool pool_modes_changed(unsigned threads)
{
	_Atomic bool is_changed = false;
	GOMP_parallel(look_at_modes, &is_changed, threads, 0);
	return is_changed;
}
