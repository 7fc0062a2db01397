#include "runner/gpu/gpu_state.h"

/*
 * One sample. Everything of it is in the stream before the hold lets go, so no launch gap of the
 * host falls into the window. Between the release and the end event the host does nothing but look
 * at the event: no kernel of ours, and no code of a candidate, runs meanwhile. Only for a side
 * that waits for the device inside of its call nothing is held: what its host code takes is its own
 * time. A sample whose hold gave up is an error and not repeated, for its kernels have seen the
 * inputs.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NULL_SAMPLES = 21, MAX_CALLS = 256 };

static const uint64_t hold_begin_ns = 3000000000; /* after flushing, poisoning, copying */
static const uint64_t quick_ns = 1000000000;      /* far less than a hold lasts */

struct sample {
	struct gpu_program *program;
	int slot;
	unsigned first;
	unsigned calls;
	unsigned contents[MAX_CALLS];
	uint64_t poison;
	uint64_t key;
	uint64_t deadline_ns;
	bool is_cold;
	bool looks_at_inputs;
	unsigned nr_outputs; /* fingerprints of one pass */
	unsigned nr_inputs;
	double event_ns;
	double print_ns;
	uint64_t released_ns;
	uint64_t end_ns;
	uint64_t idle_ns;
};

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int parse_contents(struct forge_gpu *g, struct gpu_request *q, struct sample *s)
{
	const char *list = gpu_word(q, "contents");
	uint64_t nr = 0;
	for (const char *at = list ? list : ""; gpu_list_next(&at, &nr);) {
		if (s->calls == MAX_CALLS || nr >= g->operands.nr_contents)
			return gpu_fail(g, GPU_USAGE, "sample: contents=%.60s", list);
		s->contents[s->calls++] = (unsigned)nr;
	}
	return s->calls ? 0 : gpu_fail(g, GPU_USAGE, "sample: wants contents=");
}

static int parse_sample(struct forge_gpu *g, struct gpu_request *q, struct sample *s)
{
	uint64_t first = 0;
	uint64_t cold = 0;
	uint64_t deadline_ms = 0;
	uint64_t inputs = 0;
	if (gpu_slot(g, q, &s->slot) < 0 || gpu_number(g, q, "first", &first) < 0 ||
	    parse_contents(g, q, s) < 0 || gpu_hex(g, q, "poison", &s->poison) < 0 ||
	    gpu_hex(g, q, "key", &s->key) < 0 || gpu_number(g, q, "cold", &cold) < 0 ||
	    gpu_number(g, q, "deadline_ms", &deadline_ms) < 0)
		return -1;
	if (gpu_word(q, "inputs") && gpu_number(g, q, "inputs", &inputs) < 0)
		return -1;
	s->first = (unsigned)first;
	s->is_cold = cold != 0;
	s->looks_at_inputs = inputs != 0;
	s->deadline_ns = deadline_ms * 1000000;
	s->program = gpu_program_find(g, s->slot, s->first, s->calls);
	if (s->program)
		return 0;
	return gpu_fail(g, GPU_USAGE, "sample: the slot has no program for %u calls from set %u on",
			s->calls, s->first);
}

static bool is_output(const struct gpu_arg *a)
{
	return a->kind == GPU_OUT || a->kind == GPU_INOUT;
}

static int restore(struct forge_gpu *g, const struct sample *s, unsigned call, unsigned arg)
{
	const struct gpu_arg *a = &g->operands.args[arg];
	const cuda_address at = gpu_place(g, s->slot, s->first + call, arg);
	if (a->bytes == 0)
		return 0;
	switch (a->kind) {
	case GPU_IN:
	case GPU_INOUT:
		return gpu_check(g,
				 g->cuda.copy(at, gpu_content_place(g, s->contents[call], arg),
					      a->bytes, g->stream),
				 "restore an input");
	case GPU_OUT:
	case GPU_WORKSPACE:
		return gpu_fill(g, at, a->bytes, s->poison);
	case GPU_SCALAR:
	case GPU_NR_KINDS:
		break;
	}
	return 0;
}

static int restore_all(struct forge_gpu *g, const struct sample *s)
{
	for (unsigned call = 0; call < s->calls; call++)
		for (unsigned arg = 0; arg < g->operands.nr_args; arg++)
			if (restore(g, s, call, arg) < 0)
				return -1;
	return 0;
}

static int flush(struct forge_gpu *g, const struct sample *s)
{
	if (!s->is_cold || !g->flush)
		return 0;
	if (g->cuda.reset_persisting)
		g->cuda.reset_persisting();
	return gpu_check(g, g->cuda.set(g->flush, 0, 2 * g->l2_bytes, g->stream), "flush");
}

/* Fingerprints of all outputs, by call and output, from a place on. */
static int print_outputs(struct forge_gpu *g, const struct sample *s, unsigned place)
{
	for (unsigned call = 0; call < s->calls; call++)
		for (unsigned arg = 0; arg < g->operands.nr_args; arg++) {
			const struct gpu_arg *a = &g->operands.args[arg];
			if (is_output(a) &&
			    gpu_print(g, gpu_place(g, s->slot, s->first + call, arg), a->bytes,
				      s->key, place++) < 0)
				return -1;
		}
	return 0;
}

/* Those of inputs that kernels only read, and of what they hold when nobody writes. */
static int print_inputs(struct forge_gpu *g, const struct sample *s, unsigned place)
{
	for (unsigned call = 0; call < s->calls; call++)
		for (unsigned arg = 0; arg < g->operands.nr_args; arg++) {
			const struct gpu_arg *a = &g->operands.args[arg];
			if (a->kind != GPU_IN)
				continue;
			if (gpu_print(g, gpu_place(g, s->slot, s->first + call, arg), a->bytes,
				      s->key, place++) < 0 ||
			    gpu_print(g, gpu_content_place(g, s->contents[call], arg), a->bytes,
				      s->key, place++) < 0)
				return -1;
		}
	return 0;
}

static int count_prints(struct forge_gpu *g, struct sample *s)
{
	for (unsigned arg = 0; arg < g->operands.nr_args; arg++) {
		s->nr_outputs += is_output(&g->operands.args[arg]) ? s->calls : 0;
		s->nr_inputs += g->operands.args[arg].kind == GPU_IN ? s->calls : 0;
	}
	s->nr_inputs = s->looks_at_inputs ? s->nr_inputs : 0;
	if (2 * s->nr_outputs + 2 * s->nr_inputs > GPU_MAX_PRINTS)
		return gpu_fail(g, GPU_USAGE, "sample: more than %d fingerprints", GPU_MAX_PRINTS);
	return 0;
}

static int record(struct forge_gpu *g, int event)
{
	return gpu_check(g, g->cuda.event_record(g->events[event], g->stream), "event");
}

static int run_program(struct forge_gpu *g, const struct gpu_program *p)
{
	if (p->exec)
		return gpu_check(g, g->cuda.graph_launch(p->exec, g->stream), "replay");
	if (p->enqueue && p->enqueue(p->ctx, g->stream) != 0)
		return gpu_fail(g, GPU_REFUSED, "the side failed to enqueue its kernels");
	return p->enqueue ? 0 : gpu_nothing(g);
}

static int window(struct forge_gpu *g, const struct gpu_program *p)
{
	if (record(g, GPU_EVENT_BEGIN) < 0 || run_program(g, p) < 0)
		return -1;
	return record(g, GPU_EVENT_END);
}

/* What is before the hold in the stream takes its time. A fault there ends the wait, too. */
static int await_hold(struct forge_gpu *g)
{
	const uint64_t until_ns = now_ns() + hold_begin_ns;
	while (g->flags[0] != g->ticket) {
		const int code = g->cuda.stream_query(g->stream);
		if (code != CUDA_NOT_READY && code != CUDA_OK)
			return gpu_check(g, code, "prepare a sample");
		if (now_ns() > until_ns)
			return gpu_fail(g, GPU_SYSTEM, "the device did not begin a sample");
	}
	return 0;
}

static int await_event(struct forge_gpu *g, int event, uint64_t deadline_ns)
{
	const uint64_t until_ns = now_ns() + deadline_ns;
	for (;;) {
		const int code = g->cuda.event_query(g->events[event]);
		if (code != CUDA_NOT_READY)
			return gpu_check(g, code, "sample");
		if (deadline_ns && now_ns() > until_ns) {
			g->is_lost = true;
			return gpu_fail(g, GPU_TIMEOUT, "no end within %llu ms",
					(unsigned long long)(deadline_ns / 1000000));
		}
	}
}

static int elapsed(struct forge_gpu *g, int from, int to, double *ns)
{
	float ms = 0;
	if (gpu_check(g, g->cuda.event_elapsed(&ms, g->events[from], g->events[to]), "events") < 0)
		return -1;
	*ns = (double)ms * 1e6;
	return 0;
}

static int clear_prints(struct forge_gpu *g, const struct sample *s)
{
	const unsigned nr = 2 * s->nr_outputs + 2 * s->nr_inputs;
	if (nr == 0)
		return 0;
	return gpu_check(g, g->cuda.set(g->prints, 0, nr * sizeof(uint64_t), g->stream), "memset");
}

static int prepare(struct forge_gpu *g, const struct sample *s)
{
	return restore_all(g, s) < 0 || clear_prints(g, s) < 0 || flush(g, s) < 0 ? -1 : 0;
}

static int enqueue(struct forge_gpu *g, const struct sample *s)
{
	if (window(g, s->program) < 0 || print_outputs(g, s, 0) < 0)
		return -1;
	return record(g, GPU_EVENT_PRINTED);
}

/* Released in any case: a stream that is held would stay so. */
static int enqueue_held(struct forge_gpu *g, struct sample *s)
{
	int rc = gpu_hold(g) < 0 ? -1 : enqueue(g, s);
	if (rc == 0)
		rc = await_hold(g);
	s->released_ns = now_ns();
	gpu_let_go(g);
	return rc;
}

static int enqueue_idle(struct forge_gpu *g, struct sample *s)
{
	if (gpu_check(g, g->cuda.stream_wait(g->stream), "prepare a sample") < 0)
		return -1;
	s->released_ns = now_ns();
	return enqueue(g, s);
}

static int too_slow(struct forge_gpu *g)
{
	return gpu_fail(g, GPU_SYSTEM,
			"a sample was not enqueued in time: other work takes all cores of this "
			"machine, or the host code waits for the device; leave it a core and "
			"repeat the job");
}

static int run_window(struct forge_gpu *g, struct sample *s)
{
	if (prepare(g, s) < 0)
		return -1;
	const bool is_held = !s->program->waits;
	const int rc = is_held ? enqueue_held(g, s) : enqueue_idle(g, s);
	if (rc < 0 || await_event(g, GPU_EVENT_END, s->deadline_ns) < 0)
		return -1;
	s->end_ns = now_ns();
	if (gpu_check(g, g->cuda.context_wait(), "sample") < 0)
		return -1;
	s->idle_ns = now_ns();
	return is_held && !gpu_was_held(g) ? too_slow(g) : 0;
}

static int call(struct forge_gpu *g, forge_gpu_enqueue_fn enqueue_fn, void *ctx)
{
	if (enqueue_fn(ctx, g->stream) != 0)
		return gpu_fail(g, GPU_REFUSED, "the side failed to enqueue its kernels");
	return 0;
}

/* One that returns at once now, and not while the stream was held. */
int forge_gpu_call_waits(struct forge_gpu *g, forge_gpu_enqueue_fn enqueue_fn, void *ctx)
{
	if (gpu_hold(g) < 0)
		return -1;
	int rc = call(g, enqueue_fn, ctx);
	gpu_let_go(g);
	if (rc < 0 || gpu_check(g, g->cuda.context_wait(), "a call") < 0)
		return -1;
	if (gpu_was_held(g))
		return 0;
	const uint64_t began_ns = now_ns();
	rc = call(g, enqueue_fn, ctx);
	const uint64_t took_ns = now_ns() - began_ns;
	if (rc < 0 || gpu_check(g, g->cuda.context_wait(), "a call") < 0)
		return -1;
	return took_ns < quick_ns ? 1 : too_slow(g);
}

static int look(struct forge_gpu *g, struct sample *s)
{
	const unsigned nr = 2 * s->nr_outputs + 2 * s->nr_inputs;
	if (elapsed(g, GPU_EVENT_BEGIN, GPU_EVENT_END, &s->event_ns) < 0 ||
	    elapsed(g, GPU_EVENT_END, GPU_EVENT_PRINTED, &s->print_ns) < 0 ||
	    print_outputs(g, s, s->nr_outputs) < 0)
		return -1;
	if (s->nr_inputs && print_inputs(g, s, 2 * s->nr_outputs) < 0)
		return -1;
	if (nr &&
	    gpu_check(g,
		      g->cuda.to_host(g->host_prints, g->prints, nr * sizeof(uint64_t), g->stream),
		      "download") < 0)
		return -1;
	return gpu_check(g, g->cuda.stream_wait(g->stream), "sample");
}

static unsigned nr_late(const struct forge_gpu *g, const struct sample *s)
{
	unsigned nr = 0;
	for (unsigned i = 0; i < s->nr_outputs; i++)
		nr += g->host_prints[i] != g->host_prints[s->nr_outputs + i];
	return nr;
}

/* Index of the first input that was written to, or -1. */
static int written_input(const struct forge_gpu *g, const struct sample *s)
{
	const uint64_t *prints = g->host_prints + 2 * s->nr_outputs;
	if (s->nr_inputs == 0)
		return -1;
	for (unsigned call = 0; call < s->calls; call++)
		for (unsigned arg = 0; arg < g->operands.nr_args; arg++) {
			if (g->operands.args[arg].kind != GPU_IN)
				continue;
			if (prints[0] != prints[1])
				return (int)arg;
			prints += 2;
		}
	return -1;
}

static void say_sample(const struct forge_gpu *g, const struct sample *s, struct gpu_reply *r)
{
	const double idle_ns = (double)(s->idle_ns - s->released_ns) - s->print_ns;
	gpu_say(r, " method=%s event_ns=%.0f sync_ns=%.0f wall_ns=%llu late=%u inputs=%d prints=",
		s->program->enqueue ? "direct" : "graph", s->event_ns, idle_ns > 0 ? idle_ns : 0,
		(unsigned long long)(s->end_ns - s->released_ns), nr_late(g, s),
		written_input(g, s));
	for (unsigned i = 0; i < s->nr_outputs; i++)
		gpu_say(r, "%s%llx", i ? "," : "", (unsigned long long)g->host_prints[i]);
	if (s->program->waits)
		gpu_say(r, " held=0");
}

int gpu_sample(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	struct sample s = { 0 };
	if (parse_sample(g, q, &s) < 0 || count_prints(g, &s) < 0 || run_window(g, &s) < 0 ||
	    look(g, &s) < 0)
		return -1;
	say_sample(g, &s, r);
	return 0;
}

/* Between the marks of a profiler, which replays each kernel and lets no other run meanwhile: so
 * nothing is held, and nothing is timed. */
static int play_marked(struct forge_gpu *g, const struct sample *s)
{
	if (g->cuda.profiler_start)
		g->cuda.profiler_start();
	int rc = run_program(g, s->program);
	if (rc == 0)
		rc = gpu_check(g, g->cuda.stream_wait(g->stream), "play");
	if (g->cuda.profiler_stop)
		g->cuda.profiler_stop();
	return rc;
}

int gpu_play(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	struct sample s = { 0 };
	if (parse_sample(g, q, &s) < 0 || restore_all(g, &s) < 0 ||
	    gpu_check(g, g->cuda.stream_wait(g->stream), "prepare") < 0 || play_marked(g, &s) < 0)
		return -1;
	gpu_say(r, " method=%s", s.program->enqueue ? "direct" : "graph");
	return 0;
}

static int compare_doubles(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Medians of windows around a kernel that does nothing. */
int gpu_null(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	double events[NULL_SAMPLES];
	double walls[NULL_SAMPLES];
	struct gpu_program nothing = { .calls = 0 };
	(void)q;
	for (unsigned i = 0; i < NULL_SAMPLES; i++) {
		struct sample s = { .program = &nothing, .deadline_ns = 1000000000 };
		if (run_window(g, &s) < 0 ||
		    elapsed(g, GPU_EVENT_BEGIN, GPU_EVENT_END, &events[i]) < 0)
			return -1;
		walls[i] = (double)(s.end_ns - s.released_ns);
	}
	qsort(events, NULL_SAMPLES, sizeof(events[0]), compare_doubles);
	qsort(walls, NULL_SAMPLES, sizeof(walls[0]), compare_doubles);
	gpu_say(r, " event_ns=%.0f wall_ns=%.0f", events[NULL_SAMPLES / 2],
		walls[NULL_SAMPLES / 2]);
	return 0;
}
