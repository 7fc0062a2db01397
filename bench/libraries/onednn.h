/* oneDNN's C interface (2.x) with what our wrappers share. A primitive is made at the first call of
 * a shape, which is never timed, and found again by the output it writes. */
#ifndef FORGE_BENCH_ONEDNN_H
#define FORGE_BENCH_ONEDNN_H

#include <oneapi/dnnl/dnnl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_PLANS = 32, MAX_OPERANDS = 6 };

struct plan {
	const void *key;
	dnnl_primitive_t primitive;
	dnnl_exec_arg_t args[MAX_OPERANDS];
	int nr_args;
};

static dnnl_engine_t engine;
static dnnl_stream_t stream;
static struct plan plans[MAX_PLANS];

static void check(dnnl_status_t status)
{
	if (status == dnnl_success)
		return;
	fprintf(stderr, "oneDNN: status %d\n", (int)status);
	exit(1);
}

static void open_engine(void)
{
	if (engine)
		return;
	check(dnnl_engine_create(&engine, dnnl_cpu, 0));
	check(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
}

/* The plan for this output; one without a primitive is new. */
static struct plan *plan_of(const void *key)
{
	open_engine();
	for (int i = 0; i < MAX_PLANS; i++) {
		if (plans[i].key && plans[i].key != key)
			continue;
		plans[i].key = key;
		return &plans[i];
	}
	exit(1);
}

/* `data` may be DNNL_MEMORY_ALLOCATE. */
static void plan_bind(struct plan *p, int arg, const dnnl_memory_desc_t *md, const void *data)
{
	dnnl_memory_t memory;
	check(dnnl_memory_create(&memory, md, engine, (void *)(uintptr_t)data));
	p->args[p->nr_args++] = (dnnl_exec_arg_t){ .arg = arg, .memory = memory };
}

/* A primitive of an operation's description; the primitive's own description is the caller's. */
static dnnl_primitive_desc_t plan_build(struct plan *p, const void *desc)
{
	dnnl_primitive_desc_t pd;
	check(dnnl_primitive_desc_create(&pd, desc, NULL, engine, NULL));
	check(dnnl_primitive_create(&p->primitive, pd));
	return pd;
}

static void plan_run(const struct plan *p)
{
	check(dnnl_primitive_execute(p->primitive, stream, p->nr_args, p->args));
	check(dnnl_stream_wait(stream));
}

#endif
