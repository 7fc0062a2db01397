#include "tuner/lab_in.h"

/* Inside the child. Timed as the worker times: before every call the operands are pushed out of all
 * caches, the floating-point modes are fresh. A call during which one of the threads had to wait
 * for a processor does not count, as long as enough others do. */

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "base/clock.h"
#include "base/err.h"
#include "judge/poison.h"
#include "sys/cpu.h"

enum { MIN_CALLS = 3, MAX_CALLS = 201, SETTLED_CALLS = 15, CALM_PAIRS = 8, SALT = 77 };

#define TIME_NS (60 * NS_PER_MS)
/* Earlier once quartiles are this close, or three calls show it to be far behind the best. */
#define SETTLED_NS (12 * NS_PER_MS)
#define SETTLED_SPREAD 0.02
#define FAR_NS (6 * NS_PER_MS)
#define FAR_BEHIND 2.0
/* Two such calls say as much as three: what disturbs lasts milliseconds. */
#define SLOW_CALL_NS 100e6
/* A call so slow is not repeated: the checked one counts. */
#define VERY_SLOW_CALL_NS 1e9
/* What flows through the caches by itself needs no flush. */
static const size_t max_flushed_bytes = (size_t)64 << 20;
/* Being woken costs some microseconds on an idle machine too. */
#define DELAY_NS 20e3
#define DELAY_SHARE 0.02
/* In that time a pool thread falls asleep (POOL_SPINS in lab_run.c). */
#define POOL_REST_NS (NS_PER_MS / 4)
/* Of a disturbed call's time; what is less was not waiting for a processor. */
#define LEAST_WORKED 0.05
/* Relative errors up to this are rounding, to the lab; the judge's tolerances are its own. */
#define TOLERANCE 1e-3
#define TOLERANCE_ULPS 8

/* The main thread comes first, and moves by itself. */
static void give_core(const struct lab_delays *d, const char *tid)
{
	cpu_set_t set;
	if (d->nr == 0 || d->nr >= d->cores.nr)
		return;
	CPU_ZERO(&set);
	CPU_SET(d->cores.ids[d->nr], &set);
	sched_setaffinity((pid_t)strtol(tid, NULL, 10), sizeof(set), &set);
}

void lab_delays_open(struct lab_delays *d)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	d->nr = 0;
	while (dir && (entry = readdir(dir)) && d->nr < LAB_WATCHED) {
		if (entry->d_name[0] != '.')
			give_core(d, entry->d_name);
		AUTO_FREE char *path = xasprintf("/proc/self/task/%s/schedstat", entry->d_name);
		int fd = entry->d_name[0] == '.' ? -1 : open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0)
			d->fds[d->nr++] = fd;
	}
	if (dir)
		closedir(dir);
}

void lab_delays_close(struct lab_delays *d)
{
	while (d->nr)
		close(d->fds[--d->nr]);
}

/* Nanoseconds that each thread waited so far. */
struct waits {
	double ns[LAB_WATCHED];
};

/* The second number of each file. */
static void waits_read(struct waits *w, const struct lab_delays *d)
{
	for (size_t i = 0; i < d->nr; i++) {
		char text[96] = { 0 };
		ssize_t len = pread(d->fds[i], text, sizeof(text) - 1, 0);
		char *blank = len > 0 ? strchr(text, ' ') : NULL;
		w->ns[i] = blank ? strtod(blank, NULL) : 0;
	}
}

static bool is_written(const struct lab_operand *op)
{
	return op->bytes && op->arg.role != ARG_IN;
}

/* Where an operand is timed with one of the contents. */
static unsigned char *timed_at(const struct lab_operand *op, size_t set)
{
	bool is_elsewhere = set > 0 && op->arg.role == ARG_IN;
	return is_elsewhere ? op->more[set - 1] + (op->at - op->base) : op->at;
}

static void args_at_edge(const struct lab_case *c, void **args)
{
	for (size_t i = 0; i < c->nr; i++)
		args[i] = c->ops[i].arg.role == ARG_SCALAR ? (void *)c->ops[i].scalar
							   : c->ops[i].edge;
}

static void args_of_set(const struct lab_case *c, size_t set, void **args)
{
	for (size_t i = 0; i < c->nr; i++)
		args[i] = c->ops[i].arg.role == ARG_SCALAR ? (void *)c->ops[i].scalar
							   : timed_at(&c->ops[i], set);
}

static void reset_fp(void)
{
#if defined(__x86_64__)
	_mm_setcsr(0x1f80);
#endif
}

struct lab_cores lab_cores_find(unsigned threads)
{
	struct cpu_list cpus;
	struct err ignored = { 0 };
	struct lab_cores cores = { .nr = 0 };
	if (threads < 2 || threads > LAB_WATCHED || cpu_usable(&cpus, &ignored) < 0 ||
	    cpus.nr < threads)
		return cores;
	cores.nr = threads;
	memcpy(cores.ids, cpus.ids, threads * sizeof(cores.ids[0]));
	return cores;
}

static void move_to(const struct lab_cores *cores, unsigned thread)
{
	struct err ignored = { 0 };
	if (cores->nr)
		cpu_pin(cores->ids[thread], &ignored);
}

/* Restore what is read and written, leave nothing in any cache. */
static void prepare(const struct lab_case *c, size_t set, const struct lab_cores *cores)
{
	/* A pool thread that still spins there would wait for us, and be credited for it later. */
	if (cores->nr)
		clock_sleep_ns(POOL_REST_NS);
	move_to(cores, cores->nr - 1);
	for (size_t i = 0; i < c->nr; i++) {
		const struct lab_operand *op = &c->ops[i];
		if (op->pristine)
			memcpy(op->at, set ? op->more[set - 1] : op->pristine, op->bytes);
		if (op->bytes && c->bytes <= max_flushed_bytes)
			cpu_flush(timed_at(op, set), op->bytes);
	}
	move_to(cores, 0);
}

struct call {
	double took_ns;
	double worked_ns; /* without the longest wait of a thread; the others wait for it */
	bool is_calm;
};

static void account(struct call *c, const struct waits *before, const struct waits *after,
		    size_t nr)
{
	double sum = 0;
	double longest = 0;
	for (size_t i = 0; i < nr; i++) {
		double waited = after->ns[i] - before->ns[i];
		sum += waited;
		longest = fmax(longest, waited);
	}
	c->worked_ns = fmax(c->took_ns - longest, c->took_ns * LEAST_WORKED);
	c->is_calm = sum <= DELAY_NS + DELAY_SHARE * c->took_ns;
}

static struct call call_once(const struct lab_kernel *k, void *const *args,
			     const struct lab_delays *d)
{
	struct call call;
	struct waits before;
	struct waits after;
	waits_read(&before, d);
	reset_fp();
	uint64_t start_ns = clock_mono_ns();
	k->call(k->entry, args);
	call.took_ns = (double)(clock_mono_ns() - start_ns);
	waits_read(&after, d);
	account(&call, &before, &after, d->nr);
	return call;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), by_size);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

/* Times of calls; the calm ones once more. */
struct samples {
	double calm[MAX_CALLS];
	double all[MAX_CALLS];
	size_t nr_calm;
	size_t nr;
	size_t enough;
	size_t quieter; /* among disturbed calls, one in so many is quicker than what we take */
};

/* Is the median known well enough, or is it known to be far from the best? */
static bool is_settled(const struct samples *s, double best_ns, uint64_t spent_ns)
{
	double sorted[MAX_CALLS];
	size_t nr = s->nr_calm;
	if (nr < s->enough || nr % s->enough)
		return false;
	memcpy(sorted, s->calm, nr * sizeof(sorted[0]));
	qsort(sorted, nr, sizeof(sorted[0]), by_size);
	if (best_ns > 0 && spent_ns > FAR_NS && sorted[nr / 4] > FAR_BEHIND * best_ns)
		return true;
	return nr >= SETTLED_CALLS && spent_ns > SETTLED_NS &&
	       sorted[nr * 3 / 4] - sorted[nr / 4] < SETTLED_SPREAD * sorted[nr / 2];
}

static bool is_over(const struct samples *s, double best_ns, uint64_t spent_ns)
{
	if (s->nr == MAX_CALLS || is_settled(s, best_ns, spent_ns))
		return true;
	return s->nr >= s->enough && spent_ns > (s->nr_calm >= s->enough ? TIME_NS : 2 * TIME_NS);
}

/* What disturbs only ever adds time: where hardly a call was calm, the quicker ones are closer. */
static double typical(struct samples *s)
{
	if (s->nr_calm >= s->enough)
		return median(s->calm, s->nr_calm);
	qsort(s->all, s->nr, sizeof(s->all[0]), by_size);
	return s->all[s->nr / s->quieter];
}

/* One call on one of the contents. */
static struct call call_on(const struct lab_kernel *k, const struct lab_case *c, size_t set,
			   void **args, const struct lab_delays *d)
{
	args_of_set(c, set, args);
	prepare(c, set, &d->cores);
	return call_once(k, args, d);
}

/* All contents share the time that there is. */
static double time_set(const struct lab_kernel *k, const struct lab_case *c, size_t set,
		       struct samples *s, const struct lab_delays *d)
{
	void **args = xcalloc(c->nr + 1, sizeof(*args));
	uint64_t start_ns = clock_mono_ns();
	while (!is_over(s, c->best_ns, (clock_mono_ns() - start_ns) * c->nr_sets)) {
		struct call call = call_on(k, c, set, args, d);
		if (call.is_calm)
			s->calm[s->nr_calm++] = call.took_ns;
		s->all[s->nr++] = call.worked_ns;
	}
	free(args);
	return typical(s);
}

double lab_time(const struct lab_kernel *k, const struct lab_case *c, double first_ns,
		const struct lab_delays *d)
{
	double sum = 0;
	if (first_ns > VERY_SLOW_CALL_NS)
		return first_ns;
	for (size_t set = 0; set < c->nr_sets; set++) {
		struct samples s = { .enough = first_ns > SLOW_CALL_NS ? 1 : MIN_CALLS,
				     .quieter = d->nr > 1 ? 10 : 4 };
		sum += time_set(k, c, set, &s, d);
	}
	return sum / (double)c->nr_sets;
}

/* Each kernel's time over all contents. True if nobody disturbed the pair. */
static bool time_pair(const struct lab_kernel *two, const struct lab_case *c,
		      const struct lab_delays *d, void **args, double pair[2])
{
	bool is_calm = true;
	pair[0] = pair[1] = 0;
	for (size_t set = 0; set < c->nr_sets; set++)
		for (size_t i = 0; i < 2; i++) {
			struct call call = call_on(&two[i], c, set, args, d);
			is_calm &= call.is_calm;
			pair[i] += call.worked_ns;
		}
	return is_calm;
}

/* Calm pairs gather in front, the others behind them. */
void lab_time_pairs(const struct lab_kernel *two, const struct lab_case *c, double seconds,
		    const struct lab_delays *d, struct lab_report *r)
{
	double(*pairs)[2] = r->pairs[r->shape];
	size_t nr = 0;
	size_t nr_calm = 0;
	uint64_t end_ns = clock_mono_ns() + (uint64_t)(seconds * 1e9);
	uint64_t last_ns = clock_mono_ns() + (uint64_t)(2 * seconds * 1e9);
	void **args = xcalloc(c->nr + 1, sizeof(*args));
	while (nr < LAB_PAIRS &&
	       (nr < MIN_CALLS || clock_mono_ns() < (nr_calm < CALM_PAIRS ? last_ns : end_ns))) {
		double pair[2];
		bool is_calm = time_pair(two, c, d, args, pair);
		memcpy(pairs[nr], pair, sizeof(pair));
		if (is_calm) {
			memcpy(pairs[nr], pairs[nr_calm], sizeof(pair));
			memcpy(pairs[nr_calm++], pair, sizeof(pair));
		}
		nr++;
	}
	free(args);
	r->is_calm[r->shape] = nr_calm >= CALM_PAIRS;
	r->nr_pairs[r->shape] = nr_calm >= CALM_PAIRS ? nr_calm : nr;
}

static void poison_outputs(const struct lab_case *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		const struct lab_operand *op = &c->ops[i];
		if (!is_written(op))
			continue;
		poison_fill(op->base, op->room, SALT);
		if (op->pristine)
			memcpy(op->edge, op->pristine, op->bytes);
	}
}

static bool is_same(double got, double want)
{
	return got == want || (isnan(got) && isnan(want));
}

static double error_of(double got, double want, double mean)
{
	if (is_same(got, want))
		return 0;
	if (!isfinite(got) || !isfinite(want))
		return INFINITY;
	return fabs(got - want) / (fabs(want) + mean);
}

/* The same for all types; the common one is read without a detour. */
static double worst_error(const struct lab_operand *op, size_t *where)
{
	double worst = 0;
	bool is_plain = op->arg.dtype == DTYPE_F32;
	const float *got = (const float *)(const void *)op->edge;
	const float *want = (const float *)(const void *)op->want;
	for (size_t i = 0; i < op->nr; i++) {
		double error = is_plain
				       ? error_of((double)got[i], (double)want[i], op->mean)
				       : error_of(dtype_load(op->arg.dtype, op->edge, i),
						  dtype_load(op->arg.dtype, op->want, i), op->mean);
		if (error > worst) {
			worst = error;
			*where = i;
		}
	}
	return worst;
}

static bool judge_output(const struct lab_operand *op, const char *shape, struct lab_report *r)
{
	size_t where = 0;
	double allowed = fmax(TOLERANCE, TOLERANCE_ULPS * dtype_floor(op->arg.dtype));
	double error = worst_error(op, &where);
	r->error = fmax(r->error, error);
	if (error <= (dtype_is_float(op->arg.dtype) ? allowed : 0))
		return true;
	r->outcome = LAB_WRONG;
	snprintf(r->text, sizeof(r->text), "%.40s[%zu] at %.40s is %g, the reference says %g",
		 op->arg.name, where, shape, dtype_load(op->arg.dtype, op->edge, where),
		 dtype_load(op->arg.dtype, op->want, where));
	return false;
}

/* What stands before a written operand, and the rest of its last line. */
static bool is_beside_intact(const struct lab_operand *op, const char *shape, struct lab_report *r)
{
	const unsigned char *end = op->edge + op->bytes;
	unsigned char pattern[2 * POISON_PERIOD];
	poison_pattern(SALT, pattern);
	memcpy(pattern + POISON_PERIOD, pattern, POISON_PERIOD);
	bool is_fine = poison_is_intact(op->base, (size_t)(op->edge - op->base), SALT, NULL);
	for (const unsigned char *p = end; is_fine && p < op->base + op->room; p++)
		is_fine = *p == pattern[(size_t)(p - op->base) % POISON_PERIOD];
	if (is_fine)
		return true;
	r->outcome = LAB_WRONG;
	snprintf(r->text, sizeof(r->text), "it writes beside %.40s at %.40s", op->arg.name, shape);
	return false;
}

bool lab_check(const struct lab_kernel *k, const struct lab_case *c, bool is_reference,
	       const struct lab_delays *d, struct lab_report *r)
{
	void **args = xcalloc(c->nr + 1, sizeof(*args));
	args_at_edge(c, args);
	poison_outputs(c);
	r->first_ns[r->shape] = call_once(k, args, d).worked_ns;
	free(args);
	for (size_t i = 0; i < c->nr; i++) {
		struct lab_operand *op = &c->ops[i];
		if (is_written(op) && !is_beside_intact(op, c->name, r))
			return false;
		if (op->want && is_reference)
			memcpy(op->want, op->edge, op->bytes);
		else if (op->want && !judge_output(op, c->name, r))
			return false;
	}
	return true;
}
