/* How long it takes to have work begun on another core and to learn that it is done: by a thread
 * made for it, by one that sleeps, by one that spins, and by a parallel region of OpenMP. */
#define _GNU_SOURCE
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

enum { MADE = 101, WOKEN = 201, SPUN = 2001, REGIONS = 501, WARM = 20 };

struct team {
	_Atomic long go __attribute__((aligned(256)));
	_Atomic long done __attribute__((aligned(256)));
	pthread_mutex_t lock;
	pthread_cond_t changed;
	long asked;
	long answered;
	int peer_core;
};

static void *nothing(void *state)
{
	return state;
}

static double make_ns(void)
{
	static double took[MADE];
	for (int i = 0; i < MADE; i++) {
		pthread_t peer;
		const double start = now_ns();
		if (pthread_create(&peer, NULL, nothing, NULL) != 0)
			exit(1);
		pthread_join(peer, NULL);
		took[i] = now_ns() - start;
	}
	return median(took, MADE);
}

static void *spinner(void *state)
{
	struct team *t = state;
	stay_on(t->peer_core);
	for (long i = 1; i <= SPUN; i++) {
		while (atomic_load_explicit(&t->go, memory_order_acquire) != i)
			__builtin_ia32_pause();
		atomic_store_explicit(&t->done, i, memory_order_release);
	}
	return NULL;
}

static double spin_ns(struct team *t)
{
	static double took[SPUN];
	pthread_t peer;
	if (pthread_create(&peer, NULL, spinner, t) != 0)
		exit(1);
	for (long i = 1; i <= SPUN; i++) {
		const double start = now_ns();
		atomic_store_explicit(&t->go, i, memory_order_release);
		while (atomic_load_explicit(&t->done, memory_order_acquire) != i)
			__builtin_ia32_pause();
		took[i - 1] = now_ns() - start;
	}
	pthread_join(peer, NULL);
	return median(took, SPUN);
}

static void *sleeper(void *state)
{
	struct team *t = state;
	stay_on(t->peer_core);
	pthread_mutex_lock(&t->lock);
	while (t->answered < WOKEN) {
		while (t->asked == t->answered)
			pthread_cond_wait(&t->changed, &t->lock);
		t->answered = t->asked;
		pthread_cond_broadcast(&t->changed);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static double wake_ns(struct team *t)
{
	static double took[WOKEN];
	pthread_t peer;
	if (pthread_create(&peer, NULL, sleeper, t) != 0)
		exit(1);
	for (long i = 1; i <= WOKEN; i++) {
		const double start = now_ns();
		pthread_mutex_lock(&t->lock);
		t->asked = i;
		pthread_cond_broadcast(&t->changed);
		while (t->answered != i)
			pthread_cond_wait(&t->changed, &t->lock);
		pthread_mutex_unlock(&t->lock);
		took[i - 1] = now_ns() - start;
	}
	pthread_join(peer, NULL);
	return median(took, WOKEN);
}

#ifdef _OPENMP
static double region_ns(void)
{
	static double took[REGIONS + WARM];
	for (int i = 0; i < REGIONS + WARM; i++) {
		const double start = now_ns();
#pragma omp parallel num_threads(2)
		{
			__asm__ volatile("" ::: "memory");
		}
		took[i] = now_ns() - start;
	}
	return median(took + WARM, REGIONS);
}
#endif

int main(void)
{
	static struct team t = { .lock = PTHREAD_MUTEX_INITIALIZER,
				 .changed = PTHREAD_COND_INITIALIZER };
	int core[2];
	two_cores(core);
#ifdef _OPENMP
	printf("region %.4g us\n", region_ns() / 1000);
#endif
	const double made = make_ns(); /* before this thread is bound: its children inherit that */
	t.peer_core = core[1];
	stay_on(core[0]);
	const double spun = spin_ns(&t);
	const double woken = wake_ns(&t);
	printf("made_over_spinning %.4g ratio\n", made / spun);
	printf("woken_over_spinning %.4g ratio\n", woken / spun);
	printf("made %.4g us\nwoken %.4g us\nspinning %.4g us\n", made / 1000, woken / 1000,
	       spun / 1000);
	return 0;
}
