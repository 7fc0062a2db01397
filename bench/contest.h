/*
 * Contestants of bench/tuner: programs that compute the same operator from the same memory, one
 * process each, so that nobody's thread pool, floating-point mode or state is another's. They take
 * turns in random order; before a call the operands are pushed out of the caches, as forge-worker
 * does. Who computes something else than the reference, or fails, is out, with the reason.
 */
#ifndef FORGE_BENCH_CONTEST_H
#define FORGE_BENCH_CONTEST_H

#include <math.h>

#include "base/rng.h"
#include "bench/kit.h"
#include "build/shim.h"
#include "judge/compare.h"
#include "judge/fill.h"
#include "judge/poison.h"
#include "judge/tolerance.h"
#include "sys/cpu.h"
#include "sys/lock.h"
#include "sys/priority.h"
#include "sys/side.h"

enum { CONTEST_PAGE = 4096, CONTEST_LINE = 64, PARTY_MAX_ARGS = 64, MAX_RANK = 16 };

/* Rounding in another order stays far below this, wrong arithmetic far above. */
static const double contest_tolerance = 1e-3;

/* Waiting for others that time, per contest; and for one answer. */
#define CONTEST_PATIENCE_NS (120 * NS_PER_S)
#define PARTY_DEADLINE_NS (20 * NS_PER_S)

/* As bench/party.c reads it. */
struct contest_head {
	uint64_t nr_args;
	uint64_t offset[PARTY_MAX_ARGS];
};

/* The operands of one shape. */
struct bed {
	const struct shape *shape;
	struct region region;
	size_t bytes[PARTY_MAX_ARGS];         /* of tensors; 0: a scalar */
	unsigned char *first[PARTY_MAX_ARGS]; /* inout: what stands there before a call */
	unsigned char *want[PARTY_MAX_ARGS];  /* outputs: the reference's answer */
};

enum party_kind { PARTY_NAIVE, PARTY_COMPILER, PARTY_PARALLEL, PARTY_TUNER, PARTY_LIBRARY };

struct party {
	enum party_kind kind;
	char *name;          /* "gcc -O3 -march=native" */
	char *flags;         /* how it was built; NULL: a library */
	char *version;       /* of its compiler or library, or NULL */
	char *program;       /* NULL: it could not be built */
	bool is_unbound;     /* its threads find their cores themselves */
	const char *env;     /* one more variable, or NULL */
	struct child *child; /* NULL: not in the contest */
	char *lack;          /* why not */
	double *ns;          /* [shape * nr_rounds + round] */
};

struct contest {
	struct task task;
	struct bed *beds; /* visible shapes */
	size_t nr_beds;
	struct party *parties; /* the first is the naive one */
	size_t nr_parties;
	size_t nr_rounds;
	char *dir;
	struct rng rng;
	struct tolerances tolerances; /* those that the run froze; empty: none are known */
	uint64_t waited_ns;           /* for forge-workers that time */
};

/* ---- operands ---- */

static inline unsigned char *bed_at(const struct bed *b, size_t arg)
{
	const struct contest_head *head = (const void *)b->region.addr;
	return b->region.addr + head->offset[arg];
}

static inline int bed_make(struct bed *b, const struct task *t, const struct shape *s,
			   struct err *e)
{
	struct contest_head head = { .nr_args = t->nr_args };
	size_t end = CONTEST_PAGE;
	b->shape = s;
	for (size_t i = 0; i < t->nr_args; i++) {
		size_t nr = 0;
		if (arg_elements(&t->args[i], &s->dims, &nr, e) < 0)
			return -1;
		if (t->args[i].role != ARG_SCALAR)
			b->bytes[i] = nr * dtype_bytes(t->args[i].dtype);
		/* Not all at the same place of a page: they would meet in the same cache sets. */
		head.offset[i] = end + (i % 8) * 2 * CONTEST_LINE;
		end = (head.offset[i] + b->bytes[i] + CONTEST_PAGE) / CONTEST_PAGE * CONTEST_PAGE;
	}
	if (region_make(&b->region, end + CONTEST_PAGE, true, e) < 0)
		return -1;
	memcpy(b->region.addr, &head, sizeof(head));
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role == ARG_SCALAR &&
		    arg_scalar(&t->args[i], &s->dims, bed_at(b, i), e) < 0)
			return -1;
	return 0;
}

static inline int bed_fill(struct bed *b, const struct task *t, const struct group *g,
			   uint64_t seed, struct err *e)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		if (!arg_is_input(&t->args[i]) || !b->bytes[i])
			continue;
		if (fill_arg(&t->args[i], b->shape, g, seed, bed_at(b, i), e) < 0)
			return -1;
		if (!arg_is_output(&t->args[i]))
			continue;
		free(b->first[i]);
		b->first[i] = xmalloc(b->bytes[i]);
		memcpy(b->first[i], bed_at(b, i), b->bytes[i]);
	}
	return 0;
}

/* As before a first call: outputs hold nothing of the last one. */
static inline void bed_reset(const struct bed *b, const struct task *t)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		if (b->first[i])
			memcpy(bed_at(b, i), b->first[i], b->bytes[i]);
		else if (t->args[i].role == ARG_OUT)
			poison_fill(bed_at(b, i), b->bytes[i], 0);
	}
}

static inline void bed_flush(const struct bed *b, const struct task *t)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (b->bytes[i])
			cpu_flush(bed_at(b, i), b->bytes[i]);
}

static inline void bed_keep_answer(struct bed *b, const struct task *t)
{
	for (size_t i = 0; i < t->nr_args; i++) {
		if (!arg_is_output(&t->args[i]))
			continue;
		b->want[i] = b->want[i] ? b->want[i] : xmalloc(b->bytes[i] + 1);
		memcpy(b->want[i], bed_at(b, i), b->bytes[i]);
	}
}

static inline void bed_release(struct bed *b)
{
	for (size_t i = 0; i < PARTY_MAX_ARGS; i++) {
		free(b->first[i]);
		free(b->want[i]);
	}
	region_release(&b->region);
}

/* What two answers may differ by. Where the task's own tolerance is wider, as for sums around zero,
 * each may be that far from the truth. */
static inline struct tolerance contest_tolerance_of(const struct tolerances *t, const char *group,
						    const char *output)
{
	const struct tolerance *own = tolerances_find(t, group, output);
	return (struct tolerance){
		.slice = fmax(contest_tolerance, own ? 2 * own->slice : 0),
		.tensor = fmax(contest_tolerance, own ? 2 * own->tensor : 0),
	};
}

/* Does this output equal the reference's? */
static inline bool bed_output_is_right(const struct bed *b, const struct arg *arg, size_t i,
				       const struct tolerance *allowed)
{
	struct err e = { 0 };
	int64_t extent[MAX_RANK] = { 0 };
	size_t nr = b->bytes[i] / dtype_bytes(arg->dtype);
	AUTO_FREE double *want = NULL;
	kit_check(arg_extents(arg, &b->shape->dims, extent, &e), &e);
	if (dtype_is_float(arg->dtype)) {
		want = xcalloc(nr + 1, sizeof(*want));
		for (size_t k = 0; k < nr; k++)
			want[k] = dtype_load(arg->dtype, b->want[i], k);
	}
	struct compare_spec spec = {
		.dtype = arg->dtype,
		.extent = extent,
		.rank = arg->nr_shape,
		.got = bed_at(b, i),
		.want = want ? (const void *)want : b->want[i],
		.tol_slice = allowed->slice,
		.tol_tensor = allowed->tensor,
	};
	struct compare c;
	compare_run(&spec, &c);
	return !c.nr_wrong && !c.nr_poison;
}

/* ---- contestants ---- */

static inline struct party *contest_add(struct contest *c, enum party_kind kind, const char *name)
{
	c->parties = xreallocarray(c->parties, c->nr_parties + 1, sizeof(*c->parties));
	struct party *p = &c->parties[c->nr_parties++];
	*p = (struct party){ .kind = kind, .name = xstrdup(name) };
	return p;
}

/* Out of the contest. */
static inline void party_dismiss(struct party *p, const char *why)
{
	child_free(&p->child);
	if (!p->lack)
		p->lack = xstrdup(why);
}

/* Run a tool; what it says when it fails becomes the party's lack. */
static inline bool party_tool(struct party *p, const struct strv *argv)
{
	struct err e = { 0 };
	struct proc_spec spec = { .argv = (const char *const *)argv->items,
				  .deadline_ns = 120 * NS_PER_S };
	AUTO_PROC_RESULT struct proc_result done;
	if (proc_run(&done, &spec, &e) < 0) {
		party_dismiss(p, e.text);
		return false;
	}
	if (proc_result_is_ok(&done))
		return true;
	const char *error = strstr(done.err.text, "error: ");
	error = error ? error : done.err.text;
	AUTO_FREE char *line = xstrndup(error, strcspn(error, "\n"));
	party_dismiss(p, line);
	return false;
}

/* Compile one file to an object beside it. The alignment is what forge-worker adds, too. */
static inline bool party_compile(struct party *p, const char *flags, const char *source,
				 const char *object)
{
	AUTO_STRV struct strv argv = { 0 };
	strv_split(&argv, flags, " ");
	strv_split(&argv, "-Iinclude -falign-functions=64 -falign-loops=64 -c -o", " ");
	strv_add(&argv, object);
	strv_add(&argv, source);
	return party_tool(p, &argv);
}

/* No flag of a contestant reaches the linker: -ffast-math would change the mode of the process. */
static inline void party_link(struct party *p, const struct contest *c, const char *object,
			      const char *libs)
{
	AUTO_FREE char *program = xasprintf("%s.party", object);
	AUTO_STRV struct strv argv = { 0 };
	strv_split(&argv, "gcc -fopenmp -o", " ");
	strv_add(&argv, program);
	strv_add(&argv, object);
	strv_addf(&argv, "%s/party.o", c->dir);
	strv_addf(&argv, "%s/shim.o", c->dir);
	strv_split(&argv, libs, " ");
	strv_add(&argv, "-lm");
	if (party_tool(p, &argv))
		p->program = take_ptr(&program);
}

/* From the text of a source. */
static inline void party_build(struct party *p, const struct contest *c, const char *flags,
			       const char *text)
{
	struct err e = { 0 };
	AUTO_FREE char *source = xasprintf("%s/%zu.c", c->dir, c->nr_parties);
	AUTO_FREE char *object = xasprintf("%s/%zu.o", c->dir, c->nr_parties);
	kit_check(file_write_text(source, text, &e), &e);
	if (party_compile(p, flags, source, object))
		party_link(p, c, object, "");
}

/* What all programs have in common: how a contestant is called. */
static inline void contest_build_frame(const struct contest *c)
{
	struct err e = { 0 };
	struct party frame = { .name = NULL };
	AUTO_STR struct str shim = STR_INIT;
	AUTO_FREE char *source = path_join(c->dir, "shim.c");
	AUTO_FREE char *shim_object = path_join(c->dir, "shim.o");
	AUTO_FREE char *party_object = path_join(c->dir, "party.o");
	kit_check(shim_source(&c->task, BUILD_CANDIDATE, &shim, &e), &e);
	kit_check(file_write_text(source, shim.text, &e), &e);
	if (!party_compile(&frame, "gcc -O2", source, shim_object) ||
	    !party_compile(&frame, "gcc -O2", "bench/party.c", party_object))
		kit_check(err_set(&e, ERR_CHILD, "%s", frame.lack), &e);
}

/* The environment of forge-runner; for libraries, the same for their own thread pools. */
static inline int party_start(struct party *p, const struct contest *c, struct err *e)
{
	AUTO_STRV struct strv argv = { 0 };
	AUTO_STRV struct strv env = { 0 };
	strv_add(&argv, p->program);
	for (size_t i = 0; i < c->nr_beds; i++)
		strv_addf(&argv, "/proc/%ld/fd/%d", (long)getpid(), c->beds[i].region.fd);
	strv_addf(&env, "OMP_NUM_THREADS=%u", c->task.threads);
	strv_addf(&env, "OMP_THREAD_LIMIT=%u", c->task.threads);
	strv_addf(&env, "OPENBLAS_NUM_THREADS=%u", c->task.threads);
	strv_split(&env, "OMP_DYNAMIC=false GOMP_SPINCOUNT=6000 OPENBLAS_THREAD_TIMEOUT=18", " ");
	strv_add(&env, p->is_unbound ? "OMP_PROC_BIND=false" : "OMP_PROC_BIND=true");
	if (p->env)
		strv_add(&env, p->env);
	struct proc_spec spec = { .argv = (const char *const *)argv.items,
				  .env = (const char *const *)env.items };
	return child_start(&p->child, &spec, e);
}

/* All threads of a party, for a timed call only; see sys/priority.h. Nothing where it is not to be
 * had. */
static inline void party_set_priority(const struct party *p, enum priority priority)
{
	struct err e = { 0 };
	AUTO_STRV struct strv tids = { 0 };
	AUTO_FREE char *dir = xasprintf("/proc/%ld/task", (long)child_pid(p->child));
	if (priority_is_throttled() || dir_list(dir, &tids, &e) < 0)
		return;
	for (size_t i = 0; i < tids.nr; i++)
		priority_set_thread((pid_t)strtol(tids.items[i], NULL, 10), priority);
}

/* One order; nanoseconds, or a negative number after the party left the contest. */
static inline double party_order(struct party *p, const char *order, size_t shape)
{
	struct err e = { 0 };
	AUTO_STR struct str line = STR_INIT;
	AUTO_FREE char *text = xasprintf("%s %zu", order, shape);
	if (child_write_line(p->child, text, PARTY_DEADLINE_NS, &e) == 0 &&
	    child_read_line(p->child, &line, PARTY_DEADLINE_NS, &e) == 1)
		return strtod(line.text, NULL);
	party_set_priority(p, PRIORITY_ORDINARY);
	AUTO_FREE char *why = xasprintf("%s: %s %s", order, e.text, child_stderr(p->child));
	party_dismiss(p, why);
	return -1;
}

/* ---- the contest ---- */

/* One call on fresh outputs; the party may leave. */
static inline void contest_answer(const struct contest *c, struct party *p, size_t shape)
{
	bed_reset(&c->beds[shape], &c->task);
	if (p->child && party_order(p, "prepare", shape) >= 0 && party_order(p, "time", shape) >= 0)
		party_order(p, "finish", shape);
}

static inline void contest_check(const struct contest *c, struct party *p, size_t shape,
				 const struct group *g)
{
	const struct bed *b = &c->beds[shape];
	contest_answer(c, p, shape);
	for (size_t i = 0; p->child && i < c->task.nr_args; i++) {
		const struct arg *arg = &c->task.args[i];
		const struct tolerance allowed =
			contest_tolerance_of(&c->tolerances, g->name, arg->name);
		if (!arg_is_output(arg) || bed_output_is_right(b, arg, i, &allowed))
			continue;
		AUTO_FREE char *why =
			xasprintf("wrong %s at %s/%s", arg->name, b->shape->name, g->name);
		party_dismiss(p, why);
	}
}

/* All groups, the first last: it is the one that is timed. */
static inline void contest_check_shape(struct contest *c, size_t shape)
{
	struct err e = { 0 };
	struct bed *b = &c->beds[shape];
	for (size_t g = b->shape->nr_groups; g-- > 0;) {
		const struct group *group = &b->shape->groups[g];
		kit_check(bed_fill(b, &c->task, group, rng_next(&c->rng), &e), &e);
		contest_answer(c, &c->parties[0], shape);
		bed_keep_answer(b, &c->task);
		for (size_t i = 1; i < c->nr_parties; i++)
			if (c->parties[i].child)
				contest_check(c, &c->parties[i], shape, group);
	}
}

/* The lock under which forge-workers time. Whoever waited too long in all goes on beside them. */
static inline void contest_lock(struct contest *c, struct lock *l)
{
	struct err e = { 0 };
	AUTO_FREE char *path = xasprintf("/tmp/forge-timing-%ld.lock", (long)getuid());
	const uint64_t start_ns = clock_mono_ns();
	while (lock_take(l, path, &e) < 0 &&
	       c->waited_ns + clock_mono_ns() - start_ns < CONTEST_PATIENCE_NS)
		clock_sleep_ns(5 * NS_PER_MS);
	c->waited_ns += clock_mono_ns() - start_ns;
}

static inline void contest_round(struct contest *c, size_t shape, size_t round)
{
	AUTO_LOCK struct lock lock = LOCK_INIT;
	AUTO_FREE size_t *order = xcalloc(c->nr_parties, sizeof(*order));
	contest_lock(c, &lock);
	rng_permute(&c->rng, order, c->nr_parties);
	for (size_t k = 0; k < c->nr_parties; k++) {
		struct party *p = &c->parties[order[k]];
		if (!p->child)
			continue;
		bed_reset(&c->beds[shape], &c->task);
		bed_flush(&c->beds[shape], &c->task);
		party_set_priority(p, PRIORITY_KERNEL);
		p->ns[shape * c->nr_rounds + round] = party_order(p, "time", shape);
		if (p->child)
			party_set_priority(p, PRIORITY_ORDINARY);
	}
}

static inline int contest_start(struct contest *c, struct err *e)
{
	for (size_t i = 0; i < c->nr_parties; i++) {
		struct party *p = &c->parties[i];
		p->ns = xcalloc(c->nr_beds * c->nr_rounds + 1, sizeof(*p->ns));
		if (p->program && party_start(p, c, e) < 0)
			return -1;
	}
	return 0;
}

/* A core that idled wakes late, up to milliseconds on a crowded host, so each call is prepared on
 * the one of the last thread, as forge-worker does (docs/format/doorbell.md). Nothing where binding
 * is not to be had. */
static inline void contest_settle(const struct contest *c, const struct cpu_list *usable)
{
	struct err ignored = { 0 };
	unsigned nr = c->task.threads < usable->nr ? c->task.threads : usable->nr;
	if (nr)
		cpu_pin(usable->ids[nr - 1], &ignored);
}

static inline void contest_call_all(struct contest *c)
{
	const struct party *naive = &c->parties[0];
	for (size_t shape = 0; naive->child && shape < c->nr_beds; shape++)
		contest_check_shape(c, shape);
	for (size_t round = 0; naive->child && round < c->nr_rounds; round++)
		for (size_t shape = 0; naive->child && shape < c->nr_beds; shape++)
			contest_round(c, shape, round);
}

/* Without the reference there is nothing to compare with. */
static inline int contest_run(struct contest *c, struct err *e)
{
	const struct party *naive = &c->parties[0];
	struct cpu_list usable;
	if (cpu_usable(&usable, e) < 0 || contest_start(c, e) < 0)
		return -1;
	contest_settle(c, &usable);
	contest_call_all(c);
	if (cpu_pin_list(&usable, e) < 0)
		return -1;
	return naive->child ? 0 : err_set(e, ERR_CHILD, "the reference: %s", naive->lack);
}

static inline int contest_open(struct contest *c, const char *task_dir, struct err *e)
{
	if (task_load(&c->task, task_dir, e) < 0)
		return -1;
	if (c->task.nr_args > PARTY_MAX_ARGS)
		return err_set(e, ERR_INPUT, "%s has too many arguments", c->task.name);
	c->beds = xcalloc(c->task.shapes.nr + 1, sizeof(*c->beds));
	for (size_t i = 0; i < c->task.shapes.nr; i++) {
		const struct shape *s = &c->task.shapes.items[i];
		if (!s->held_out && bed_make(&c->beds[c->nr_beds++], &c->task, s, e) < 0)
			return -1;
	}
	if (dir_make(c->dir, e) < 0)
		return -1;
	contest_build_frame(c);
	return 0;
}

static inline void contest_release(struct contest *c)
{
	tolerances_release(&c->tolerances);
	for (size_t i = 0; i < c->nr_parties; i++) {
		struct party *p = &c->parties[i];
		child_free(&p->child);
		free(p->name);
		free(p->flags);
		free(p->version);
		free(p->program);
		free(p->lack);
		free(p->ns);
	}
	free(c->parties);
	for (size_t i = 0; i < c->nr_beds; i++)
		bed_release(&c->beds[i]);
	free(c->beds);
	free(c->dir);
	task_release(&c->task);
}
#define AUTO_CONTEST __attribute__((cleanup(contest_release)))

#endif
