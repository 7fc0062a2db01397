/* layernorm by oneDNN, on the caller's row-major matrices. */
#include "onednn.h"

void layernorm(const float *x, const float *gamma, const float *beta, float *y, int64_t rows,
	       int64_t cols, float eps);

static void make(struct plan *p, int64_t rows, int64_t cols, float eps,
		 const float *const operand[4])
{
	const dnnl_dims_t dims = { rows, cols };
	const dnnl_dims_t row_dims = { rows };
	const dnnl_dims_t col_dims = { cols };
	dnnl_memory_desc_t md, stat_md, scale_md;
	dnnl_layer_normalization_desc_t desc;
	check(dnnl_memory_desc_init_by_tag(&md, 2, dims, dnnl_f32, dnnl_ab));
	check(dnnl_memory_desc_init_by_tag(&stat_md, 1, row_dims, dnnl_f32, dnnl_a));
	check(dnnl_memory_desc_init_by_tag(&scale_md, 1, col_dims, dnnl_f32, dnnl_a));
	check(dnnl_layer_normalization_forward_desc_init(&desc, dnnl_forward_inference, &md,
							 &stat_md, eps,
							 dnnl_use_scale | dnnl_use_shift));
	dnnl_primitive_desc_destroy(plan_build(p, &desc));
	plan_bind(p, DNNL_ARG_SRC, &md, operand[0]);
	plan_bind(p, DNNL_ARG_SCALE, &scale_md, operand[1]);
	plan_bind(p, DNNL_ARG_SHIFT, &scale_md, operand[2]);
	plan_bind(p, DNNL_ARG_DST, &md, operand[3]);
}

void layernorm(const float *x, const float *gamma, const float *beta, float *y, int64_t rows,
	       int64_t cols, float eps)
{
	const float *const operand[4] = { x, gamma, beta, y };
	struct plan *p = plan_of(y);
	if (!p->primitive)
		make(p, rows, cols, eps, operand);
	plan_run(p);
}
