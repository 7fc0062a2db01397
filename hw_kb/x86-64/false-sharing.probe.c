/* Two threads, each counting in variables of its own: all in one line, and 256 bytes apart. A round
 * counts when both threads had their cores to themselves and ran at the same time. */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

/* ---- clock: the same text in every probe of this folder ---- */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}
/* ---- */

/* ---- needs: the same text in every probe that has it ---- */
static void needs(int is_there, const char *what)
{
	if (is_there)
		return;
	fprintf(stderr, "needs %s\n", what);
	exit(77);
}
/* ---- */

/* ---- cores: the same text in every probe that has it ---- */
static int same_core(int a, int b)
{
	char path[96];
	char list[2][64] = { "", "" };
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path,
			 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", i ? b : a);
		FILE *f = fopen(path, "r");
		if (!f)
			return 0;
		if (!fgets(list[i], sizeof list[i], f))
			list[i][0] = 0;
		fclose(f);
	}
	return list[0][0] && strcmp(list[0], list[1]) == 0;
}

/* The first processor that may be used and one of another core; what cannot be read counts as two.
 */
static void two_cores(int core[2])
{
	cpu_set_t set;
	int nr = 0;
	needs(sched_getaffinity(0, sizeof set, &set) == 0, "an affinity mask");
	for (int cpu = 0; cpu < CPU_SETSIZE && nr < 2; cpu++)
		if (CPU_ISSET(cpu, &set) && (nr == 0 || !same_core(core[0], cpu)))
			core[nr++] = cpu;
	needs(nr == 2, "two cores");
}

static void stay_on(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}
/* ---- */

enum { STEPS = 50000, PAIRS_WANTED = 41, PAIRS_NEEDED = 5, SAME_LINE = 4, OTHER_LINE = 32 };

typedef void work_fn(volatile long *counter);

struct stretch {
	double begin_ns;
	double wall_ns;
	double cpu_ns;
};

struct team {
	_Atomic long go __attribute__((aligned(256))); /* round the peer shall run; -1: end */
	_Atomic long here __attribute__((aligned(256)));
	_Atomic long seen __attribute__((aligned(256)));
	_Atomic long done __attribute__((aligned(256)));
	volatile long counter[64] __attribute__((aligned(256)));
	work_fn *peer_work;
	long peer_place;
	int peer_core;
	long round;
	struct stretch peer;
};

static void plain(volatile long *counter)
{
	for (int i = 0; i < STEPS; i++)
		counter[i & 3] += i;
}

static void atomically(volatile long *counter)
{
	for (int i = 0; i < STEPS; i++)
		__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void nothing(volatile long *counter)
{
	(void)counter;
}

/* Keeps the units for arithmetic busy, which threads of one core share. */
static void arithmetic(volatile long *counter)
{
	__m128 v[8];
	for (int k = 0; k < 8; k++) {
		v[k] = _mm_set1_ps((float)counter[OTHER_LINE + 16]);
		__asm__ volatile("" : "+x"(v[k]));
	}
	for (int i = 0; i < STEPS; i++)
		for (int k = 0; k < 8; k++) {
			v[k] = _mm_mul_ps(v[k], v[k]);
			__asm__ volatile("" : "+x"(v[k]));
		}
}

static double cpu_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static struct stretch timed(work_fn *work, volatile long *counter)
{
	const double cpu = cpu_ns();
	const double wall = now_ns();
	work(counter);
	const double wall_end = now_ns();
	return (struct stretch){ wall, wall_end - wall, cpu_ns() - cpu };
}

static void wait_for(_Atomic long *flag, long round)
{
	while (atomic_load_explicit(flag, memory_order_acquire) != round)
		_mm_pause();
}

static void *peer_main(void *state)
{
	struct team *t = state;
	stay_on(t->peer_core);
	for (long round = 1;; round++) {
		long go = 0;
		while ((go = atomic_load(&t->go)) < round && go >= 0)
			_mm_pause();
		if (go < 0)
			return NULL;
		atomic_store(&t->here, round);
		wait_for(&t->seen, round);
		t->peer = timed(t->peer_work, &t->counter[t->peer_place]);
		atomic_store(&t->done, round);
	}
}

static int was_alone(const struct stretch *s)
{
	return s->cpu_ns >= 0.9 * s->wall_ns;
}

/* Time of this thread's work beside the peer's; 0: the two were disturbed or apart in time. */
static double round_ns(struct team *t, work_fn *mine, work_fn *of_peer, long place)
{
	const long round = ++t->round;
	t->peer_work = of_peer;
	t->peer_place = place;
	atomic_store(&t->go, round);
	wait_for(&t->here, round);
	atomic_store(&t->seen, round);
	const struct stretch own = timed(mine, &t->counter[0]);
	wait_for(&t->done, round);
	const double apart = own.begin_ns - t->peer.begin_ns;
	if (!was_alone(&own) || (of_peer != nothing && !was_alone(&t->peer)) ||
	    apart > 0.1 * own.wall_ns || -apart > 0.1 * own.wall_ns)
		return 0;
	return own.wall_ns;
}

/* Median of the ratios of work with the peer at `place` to work with the peer's other work. */
static double loss(struct team *t, work_fn *mine, long place, work_fn *of_peer)
{
	double ratio[PAIRS_WANTED];
	int n = 0;
	const double end = now_ns() + 2.8e9;
	while (n < PAIRS_WANTED && now_ns() < end) {
		const double together = round_ns(t, mine, mine, place);
		const double apart = round_ns(t, mine, of_peer, OTHER_LINE);
		if (together > 0 && apart > 0)
			ratio[n++] = together / apart;
	}
	if (n >= PAIRS_NEEDED)
		return median(ratio, n);
	fprintf(stderr, "only %d rounds without other work on the two cores\n", n);
	exit(1);
}

int main(void)
{
	static struct team t;
	int core[2];
	pthread_t peer;
	two_cores(core);
	t.peer_core = core[1];
	stay_on(core[0]);
	if (pthread_create(&peer, NULL, peer_main, &t) != 0)
		return 1;
	const double shared_units = loss(&t, arithmetic, OTHER_LINE, nothing);
	needs(shared_units < 1.4, "two cores; these two share the units of one");
	const double of_atomic = loss(&t, atomically, SAME_LINE, atomically);
	const double of_plain = loss(&t, plain, SAME_LINE, plain);
	atomic_store(&t.go, -1);
	pthread_join(peer, NULL);
	printf("atomic_loss %.4g ratio\n", of_atomic);
	printf("plain_loss %.4g ratio\n", of_plain);
	printf("arithmetic_beside_alone %.4g ratio\n", shared_units);
	return 0;
}
