/*
 * A rig for tests that need a real runner: compiles a few lines of C into an object with
 * forge_entry, starts a side on it with one read-only region (0) and one writable (1), and calls
 * it.
 */
#ifndef FORGE_TEST_SIDE_RIG_H
#define FORGE_TEST_SIDE_RIG_H

#include <stdint.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "sys/cpu.h"
#include "sys/proc.h"
#include "sys/sandbox.h"
#include "sys/side.h"
#include "test.h"

enum { RIG_IN = 0, RIG_OUT = 1, RIG_BYTES = 65536, RIG_FLOATS = RIG_BYTES / 4 };

struct rig {
	char dir[32];
	char *runner;
	char *so;
	struct region regions[2];
	struct cpu_list cpus;
	struct side *side;
	struct side_state st;
	struct side_time time;
	int64_t n; /* third argument; 0: RIG_FLOATS */
	enum side_wait wait;
};

/* What every kernel of the tests may use: raw system calls that no libc wrapper softens. */
#define RIG_PRELUDE                                                                                \
	"static inline long sys(long n, long a, long b, long c, long d)\n"                         \
	"{ long r; register long d4 __asm__(\"r10\") = d;\n"                                       \
	"  __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(n), \"D\"(a), \"S\"(b), \"d\"(c),"     \
	"  \"r\"(d4) : \"rcx\", \"r11\", \"memory\"); return r; }\n"                               \
	"#define IN ((const float *)args[0])\n"                                                    \
	"#define OUT ((float *)args[1])\n"                                                         \
	"#define N (*(const long *)args[2])\n"
#define RIG_ENTRY "void forge_entry(void *const *args) "

static char *rig_runner_path(void)
{
	const char *given = getenv("FORGE_RUNNER");
	if (given)
		return xstrdup(given);
	AUTO_FREE char *here = path_of_program();
	return xasprintf("%s/../../bin/forge-runner", here);
}

static inline void rig_gcc(const char *const *argv)
{
	struct err e = { 0 };
	AUTO_PROC_RESULT struct proc_result result = { 0 };
	struct proc_spec spec = { .argv = argv };
	CHECK_OK(proc_run(&result, &spec, &e));
	if (!proc_result_is_ok(&result))
		printf("# %s\n", result.err.text);
	CHECK(proc_result_is_ok(&result));
}

/* In two steps, as the builder does: -fopenmp at link time would bring in a second libgomp. */
static inline void rig_compile(struct rig *r, const char *source, const char *flag)
{
	struct err e = { 0 };
	AUTO_FREE char *c = path_join(r->dir, "k.c");
	AUTO_FREE char *o = path_join(r->dir, "k.o");
	AUTO_FREE char *text = xasprintf(RIG_PRELUDE "%s", source);
	r->so = path_join(r->dir, "k.so");
	CHECK_OK(file_write_text(c, text, &e));
	rig_gcc((const char *const[]){ "gcc", "-w", "-O1", "-fPIC", "-c", flag, "-o", o, c, NULL });
	rig_gcc((const char *const[]){ "gcc", "-shared", "-nostdlib", "-o", r->so, o, NULL });
}

static inline void rig_build(struct rig *r, const char *source, const char *flag)
{
	*r = (struct rig){ .dir = "/tmp/forge-side-XXXXXX" };
	CHECK(mkdtemp(r->dir));
	r->runner = rig_runner_path();
	if (!file_exists(r->runner))
		SKIP("no forge-runner beside the tests");
	rig_compile(r, source, flag);
}

static inline void rig_map(struct rig *r)
{
	struct err e = { 0 };
	CHECK_OK(cpu_usable(&r->cpus, &e));
	CHECK_OK(region_make(&r->regions[RIG_IN], RIG_BYTES, false, &e));
	CHECK_OK(region_make(&r->regions[RIG_OUT], RIG_BYTES, true, &e));
	for (int i = 0; i < RIG_FLOATS; i++)
		((float *)(void *)r->regions[RIG_IN].addr)[i] = (float)i;
}

static inline void rig_open(struct rig *r, const char *source, const char *flag)
{
	rig_build(r, source, flag);
	rig_map(r);
}

static struct side_spec rig_spec(const struct rig *r)
{
	return (struct side_spec){
		.runner_path = r->runner,
		.so_path = r->so,
		.threads = 1,
		.cpu = r->cpus.ids[r->cpus.nr - 1],
		.cpus = &r->cpus,
		.regions = r->regions,
		.nr_regions = 2,
		.memory_bytes = 64 << 20,
	};
}

/* A machine without namespaces can not run these; everywhere else a failure is a failure. */
static inline void rig_start_spec(struct rig *r, const struct side_spec *spec)
{
	struct err e = { 0 };
	int status = side_start(&r->side, spec, &r->st, &e);
	if (status < 0 && strstr(e.text, "gives us no namespaces"))
		SKIP(e.text);
	CHECK_OK(status);
}

static inline void rig_start(struct rig *r)
{
	struct side_spec spec = rig_spec(r);
	rig_start_spec(r, &spec);
}

static inline float *rig_out(const struct rig *r)
{
	return (float *)(void *)r->regions[RIG_OUT].addr;
}

/* One call of forge_entry(in, out, n) with a deadline; the end is in r->st. */
static inline void rig_call(struct rig *r, uint64_t deadline_ns)
{
	struct err e = { 0 };
	struct side_arg args[3] = { { .region = RIG_IN },
				    { .region = RIG_OUT },
				    { .is_scalar = true } };
	int64_t n = r->n ? r->n : RIG_FLOATS;
	memcpy(args[2].scalar, &n, sizeof(n));
	struct side_call call = {
		.args = args,
		.nr_args = 3,
		.nr_calls = 1,
		.deadline_ns = deadline_ns,
		.wait = r->wait,
	};
	CHECK_OK(side_prepare(r->side, &call, &r->st, &e));
	if (r->st.end == SIDE_ALIVE)
		CHECK_OK(side_fire(r->side, &r->time, &r->st, &e));
}

static inline void rig_close(struct rig *r)
{
	struct err e = { 0 };
	side_free(&r->side);
	for (int i = 0; i < 2; i++)
		region_release(&r->regions[i]);
	free(r->so);
	free(r->runner);
	CHECK_OK(tree_remove(r->dir, &e));
}

/* Build, start, call once, give the end. */
static inline struct side_state rig_end_of(const char *source, const char *flag)
{
	struct rig r;
	rig_open(&r, source, flag);
	rig_start(&r);
	if (r.st.end == SIDE_ALIVE)
		rig_call(&r, 5 * NS_PER_S);
	struct side_state st = r.st;
	printf("# %s: %s\n", side_end_name(st.end), st.text);
	rig_close(&r);
	return st;
}

#endif
