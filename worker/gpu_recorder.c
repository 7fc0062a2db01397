#include "worker/gpu_recorder.h"

/* The addresses are far apart, each at a place of its own in every recording, so that none can be
 * taken for another's, nor a number for an address in both. */

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/rng.h"
#include "forge/kernel.h"
#include "sys/side.h"
#include "worker/outcome.h"

enum { RECORDINGS = 2, DEVICE_ALIGN = 256, FIRST_BITS = 44, STEP_BITS = 38, SHIFT_BITS = 28 };

struct recorder {
	struct worker *w;
	const struct gpu_recorder_spec *spec;
	struct region regions[GPU_RECORDER_REGIONS];
	struct side *side;
	struct rng rng;
	uint64_t *at[RECORDINGS];
	void *seen[RECORDINGS];
};

static uint32_t put_bytes(unsigned char *base, uint32_t *end, const void *bytes, size_t len)
{
	const uint32_t at = *end;
	if (len > GPU_RECORDER_ORDERS_BYTES || at > GPU_RECORDER_ORDERS_BYTES - len)
		return 0;
	memcpy(base + at, bytes, len);
	*end = (uint32_t)gpu_record_padded(at + len);
	return at;
}

static bool put_kernel(unsigned char *base, uint32_t *end, const struct gpu_kernel *k,
		       struct gpu_function *f)
{
	*f = (struct gpu_function){ .nr_params = (uint32_t)k->params.nr,
				    .registers = k->registers,
				    .shared_bytes = k->shared_bytes,
				    .local_bytes = k->local_bytes,
				    .constant_bytes = k->constant_bytes,
				    .max_threads = k->max_threads,
				    .max_shared_bytes = k->max_shared_bytes,
				    .binary = k->binary };
	f->name_at = put_bytes(base, end, k->name, strlen(k->name) + 1);
	f->params_at =
		put_bytes(base, end, k->params.items, k->params.nr * sizeof(k->params.items[0]));
	return f->name_at && f->params_at;
}

static int put_kernels(struct gpu_recorder_orders *o, const struct gpu_image *im, struct err *e)
{
	unsigned char *base = (unsigned char *)o;
	uint32_t end = (uint32_t)gpu_record_padded(sizeof(*o));
	AUTO_FREE struct gpu_function *list = xcalloc(im->nr + 1, sizeof(*list));
	bool fits = true;
	for (size_t i = 0; fits && i < im->nr; i++)
		fits = put_kernel(base, &end, &im->kernels[i], &list[i]);
	o->nr_functions = (uint32_t)im->nr;
	o->functions_at = put_bytes(base, &end, list, im->nr * sizeof(*list));
	return fits && o->functions_at
		       ? 0
		       : err_set(e, ERR_INPUT, "%zu kernels are more than a recorder takes",
				 im->nr);
}

static int fill_orders(struct recorder *r, struct err *e)
{
	struct gpu_recorder_orders *o = (void *)r->regions[GPU_RECORDER_ORDERS].addr;
	const struct footprint *fp = r->spec->fp;
	if (fp->nr > GPU_RECORDER_MAX_ARGS)
		return err_set(e, ERR_INPUT, "%zu arguments are more than a recorder takes",
			       fp->nr);
	*o = (struct gpu_recorder_orders){
		.version = GPU_RECORDER_VERSION,
		.nr_args = (uint32_t)fp->nr,
		.stream = rng_next(&r->rng) >> 16 << 8 | 1,
		.magic = { rng_next(&r->rng), rng_next(&r->rng) },
	};
	memcpy(o->attributes, r->spec->device->attributes, sizeof(o->attributes));
	for (size_t i = 0; i < fp->nr; i++)
		o->is_pointer[i] = fp->items[i].is_tensor;
	return put_kernels(o, r->spec->image, e);
}

static int start(struct recorder *r, struct verdict *v, struct err *e)
{
	struct worker *w = r->w;
	AUTO_SPEND(w, start_ns);
	AUTO_FREE char *program = xasprintf("%s-cuda", w->runner_path);
	const struct side_spec spec = { .runner_path = program,
					.so_path = w->builds[r->spec->party].so_paths[0],
					.threads = 1,
					.cpu = worker_kernel_cpu(w),
					.cpus = &w->cpus,
					.regions = r->regions,
					.nr_regions = GPU_RECORDER_REGIONS,
					.accept_weak = w->job.accept_weak_sandbox };
	struct side_state st = { 0 };
	if (side_start(&r->side, &spec, &st, e) < 0)
		return err_wrap(e, "start the recorder of the %s", party_name(r->spec->party));
	if (!r->side) {
		*v = outcome_verdict(&st, NULL);
		return st.end == SIDE_KILLED ? OUTCOME_LOST : OUTCOME_VERDICT;
	}
	outcome_record_lacks(w, r->side);
	return OUTCOME_DONE;
}

static void draw_addresses(struct recorder *r, unsigned nr, struct side_arg *args)
{
	const struct footprint *fp = r->spec->fp;
	for (size_t i = 0; i < fp->nr; i++) {
		const struct operand *o = &fp->items[i];
		uint64_t at = (UINT64_C(1) << FIRST_BITS) + ((uint64_t)i << STEP_BITS);
		at += rng_below(&r->rng, UINT64_C(1) << SHIFT_BITS) * DEVICE_ALIGN;
		r->at[nr][i] = o->is_tensor ? at : 0;
		args[i].is_scalar = true;
		memcpy(args[i].scalar, o->is_tensor ? (const void *)&at : o->scalar_bytes,
		       sizeof(args[i].scalar));
	}
}

/* What the recorder said, copied before anything is believed of it. */
static int take(struct recorder *r, unsigned nr, struct verdict *v)
{
	struct gpu_recording head;
	const unsigned char *from = r->regions[GPU_RECORDER_ANSWER].addr;
	memcpy(&head, from, sizeof(head));
	head.refused[sizeof(head.refused) - 1] = 0;
	if (head.version != GPU_RECORDER_VERSION ||
	    head.launches.bytes > GPU_RECORDER_BYTES - sizeof(head))
		*v = verdict_make(REASON_bad_launch, "the recording does not hold together");
	else if (head.is_refused)
		*v = verdict_make(REASON_bad_launch, "%s", head.refused);
	if (v->state != VERDICT_NONE)
		return OUTCOME_VERDICT;
	const size_t len = sizeof(head.launches) + head.launches.bytes;
	r->seen[nr] = xmalloc(len);
	memcpy(r->seen[nr], &head.launches, sizeof(head.launches));
	memcpy((unsigned char *)r->seen[nr] + sizeof(head.launches), from + sizeof(head),
	       head.launches.bytes);
	return OUTCOME_DONE;
}

static int record_once(struct recorder *r, unsigned nr, struct verdict *v, struct err *e)
{
	const size_t nr_args = r->spec->fp->nr;
	AUTO_FREE struct side_arg *args = xcalloc(nr_args + 1, sizeof(*args));
	r->at[nr] = xcalloc(nr_args + 1, sizeof(*r->at[nr]));
	draw_addresses(r, nr, args);
	const struct outcome_call call = { .side = r->side,
					   .args = args,
					   .nr_args = nr_args,
					   .nr_calls = 1,
					   .call_deadline_ns = r->spec->call_deadline_ns,
					   .counter_ns = &r->w->spent.start_ns };
	struct side_time t = { 0 };
	int outcome = outcome_run(r->w, &call, &t, v, e);
	return outcome == OUTCOME_DONE ? take(r, nr, v) : outcome;
}

static int record_all(struct recorder *r, struct gpu_recorded *out, struct verdict *v,
		      struct err *e)
{
	int outcome = start(r, v, e);
	for (unsigned i = 0; outcome == OUTCOME_DONE && i < RECORDINGS; i++)
		outcome = record_once(r, i, v, e);
	if (outcome != OUTCOME_DONE)
		return outcome;
	const struct gpu_seen one = { r->seen[0], r->spec->fp, r->at[0] };
	const struct gpu_seen two = { r->seen[1], r->spec->fp, r->at[1] };
	gpu_recorded_make(out, &one, &two, v);
	return v->state == VERDICT_NONE ? OUTCOME_DONE : OUTCOME_VERDICT;
}

static void release(struct recorder *r)
{
	side_free(&r->side);
	for (unsigned i = 0; i < RECORDINGS; i++) {
		free(r->at[i]);
		free(r->seen[i]);
	}
	for (unsigned i = 0; i < GPU_RECORDER_REGIONS; i++)
		region_release(&r->regions[i]);
}

static int run(struct worker *w, const struct gpu_recorder_spec *spec, struct gpu_recorded *out,
	       struct verdict *v, struct err *e)
{
	struct recorder r = { .w = w, .spec = spec };
	for (unsigned i = 0; i < GPU_RECORDER_REGIONS; i++)
		r.regions[i].fd = -1;
	r.rng.seed = rng_derive(w->job.seed, spec->fp->shape->name);
	int outcome = region_make(&r.regions[GPU_RECORDER_ORDERS], GPU_RECORDER_ORDERS_BYTES, false,
				  e) < 0 ||
				      region_make(&r.regions[GPU_RECORDER_ANSWER],
						  GPU_RECORDER_BYTES, true, e) < 0 ||
				      fill_orders(&r, e) < 0
			      ? -1
			      : record_all(&r, out, v, e);
	release(&r);
	return outcome;
}

int gpu_recorder_run(struct worker *w, const struct gpu_recorder_spec *spec,
		     struct gpu_recorded *out, struct verdict *v, struct err *e)
{
	*out = (struct gpu_recorded){ 0 };
	for (int attempt = 0; attempt <= LOST_RETRIES; attempt++) {
		int outcome = run(w, spec, out, v, e);
		if (outcome != OUTCOME_LOST)
			return outcome;
	}
	return err_set(e, ERR_CHILD, "the recorder of the %s was killed %d times",
		       party_name(spec->party), LOST_RETRIES + 1);
}
