#include "worker/gpu_roofline.h"

/* A task all of whose tensors have 32 bits or more is held against the f32 units, others against
 * the matrix units. */

#include <stdlib.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "build/gpu_measure.h"
#include "sys/gpu.h"
#include "worker/worker.h"

static bool has_narrow_tensor(const struct task *t)
{
	for (size_t i = 0; i < t->nr_args; i++)
		if (t->args[i].role != ARG_SCALAR && dtype_bytes(t->args[i].dtype) < sizeof(float))
			return true;
	return false;
}

static struct gpu_rates rates_of(const struct worker *w, const struct ceilings *c)
{
	return (struct gpu_rates){
		.bytes_per_s = c->copy_bytes_per_s,
		.most_flops_per_s = c->matrix_flops_per_s,
		.flops_per_s =
			has_narrow_tensor(&w->task) ? c->matrix_flops_per_s : c->f32_flops_per_s,
	};
}

struct gpu_rates gpu_rates_take(struct worker *w)
{
	AUTO_GPU_CEILINGS struct gpu_ceilings known = { 0 };
	struct gpu gpu;
	struct err why = { 0 };
	/* Only the driver of a real device can be measured. */
	const bool may_measure = !getenv("FORGE_CUDA_DRIVER");
	if (gpu_probe(&gpu, NULL, &why) < 0 ||
	    gpu_measure_ceilings(&gpu, may_measure, &known, &why) < 0)
		known.is_there = false;
	worker_record(w, "ceilings", known.is_there ? ceilings_to_json(&known.c) : json_null());
	if (!known.is_there)
		worker_note(w, "no ceilings of the GPU, so no place below the roofline: %s",
			    *why.text ? why.text : "none are stored");
	if (known.trouble)
		worker_note(w, "the ceilings of the GPU are measured in every job: %s",
			    known.trouble);
	return known.is_there ? rates_of(w, &known.c) : (struct gpu_rates){ 0 };
}
