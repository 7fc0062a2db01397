/* conv2d by oneDNN in one of three forms: on the caller's plain layouts; with the filters in the
 * layout it likes best (BLOCKED 1), as a network prepares them once; with image and result as well
 * (BLOCKED 2), as between two layers. What is not timed is done by party_prepare and party_finish.
 */
#include "onednn.h"

#ifndef BLOCKED
#define BLOCKED 0
#endif

typedef void (*flush_fn)(const void *from, size_t len);

void conv2d(const float *x, const float *f, float *y, int64_t cin, int64_t h, int64_t w,
	    int64_t cout, int64_t kh, int64_t kw);
void party_prepare(void *const *args);
void party_flush(void *const *args, flush_fn flush);
void party_finish(void *const *args);

enum { IMAGE, FILTERS, RESULT, NR };

static const int arg_of[NR] = { DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST };

static int is_own(int operand)
{
	return BLOCKED == 2 || (BLOCKED == 1 && operand == FILTERS);
}

/* What the caller has in memory. */
static void plain(dnnl_memory_desc_t md[NR], void *const *args)
{
	int64_t n[6];
	for (int i = 0; i < 6; i++)
		n[i] = *(const int64_t *)args[3 + i];
	const dnnl_dims_t image = { 1, n[0], n[1], n[2] };
	const dnnl_dims_t filters = { n[3], n[0], n[4], n[5] };
	const dnnl_dims_t result = { 1, n[3], n[1] - n[4] + 1, n[2] - n[5] + 1 };
	check(dnnl_memory_desc_init_by_tag(&md[IMAGE], 4, image, dnnl_f32, dnnl_abcd));
	check(dnnl_memory_desc_init_by_tag(&md[FILTERS], 4, filters, dnnl_f32, dnnl_abcd));
	check(dnnl_memory_desc_init_by_tag(&md[RESULT], 4, result, dnnl_f32, dnnl_abcd));
}

static void make(struct plan *p, void *const *args)
{
	const dnnl_dims_t ones = { 1, 1 };
	const dnnl_dims_t zeros = { 0, 0 };
	dnnl_memory_desc_t md[NR];
	dnnl_convolution_desc_t desc;
	plain(md, args);
	for (int i = 0; i < NR; i++)
		if (is_own(i))
			md[i].format_kind = dnnl_format_kind_any;
	check(dnnl_convolution_forward_desc_init(&desc, dnnl_forward_inference,
						 dnnl_convolution_direct, &md[IMAGE], &md[FILTERS],
						 NULL, &md[RESULT], ones, zeros, zeros));
	dnnl_primitive_desc_t pd = plan_build(p, &desc);
	for (int i = 0; i < NR; i++)
		plan_bind(p, arg_of[i],
			  dnnl_primitive_desc_query_md(pd, dnnl_query_exec_arg_md, arg_of[i]),
			  is_own(i) ? DNNL_MEMORY_ALLOCATE : args[i]);
	dnnl_primitive_desc_destroy(pd);
}

static void reorder(dnnl_memory_t from, dnnl_memory_t to)
{
	const dnnl_memory_desc_t *from_md, *to_md;
	dnnl_primitive_desc_t pd;
	dnnl_primitive_t primitive;
	check(dnnl_memory_get_memory_desc(from, &from_md));
	check(dnnl_memory_get_memory_desc(to, &to_md));
	check(dnnl_reorder_primitive_desc_create(&pd, from_md, engine, to_md, engine, NULL));
	check(dnnl_primitive_create(&primitive, pd));
	const dnnl_exec_arg_t args[2] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };
	check(dnnl_primitive_execute(primitive, stream, 2, args));
	check(dnnl_stream_wait(stream));
	dnnl_primitive_destroy(primitive);
	dnnl_primitive_desc_destroy(pd);
}

static dnnl_memory_t caller_memory(int operand, void *const *args)
{
	dnnl_memory_desc_t md[NR];
	dnnl_memory_t memory;
	plain(md, args);
	check(dnnl_memory_create(&memory, &md[operand], engine, args[operand]));
	return memory;
}

void party_prepare(void *const *args)
{
	struct plan *p = plan_of(args[RESULT]);
	if (!p->primitive)
		make(p, args);
	for (int i = 0; i < RESULT; i++) {
		if (!is_own(i))
			continue;
		dnnl_memory_t from = caller_memory(i, args);
		reorder(from, p->args[i].memory);
		dnnl_memory_destroy(from);
	}
}

void party_flush(void *const *args, flush_fn flush)
{
	const struct plan *p = plan_of(args[RESULT]);
	for (int i = 0; i < NR; i++) {
		const dnnl_memory_desc_t *md;
		void *data;
		if (!is_own(i))
			continue;
		check(dnnl_memory_get_memory_desc(p->args[i].memory, &md));
		check(dnnl_memory_get_data_handle(p->args[i].memory, &data));
		flush(data, dnnl_memory_desc_get_size(md));
	}
}

void party_finish(void *const *args)
{
	if (!is_own(RESULT))
		return;
	dnnl_memory_t to = caller_memory(RESULT, args);
	reorder(plan_of(args[RESULT])->args[RESULT].memory, to);
	dnnl_memory_destroy(to);
}

void conv2d(const float *x, const float *f, float *y, int64_t cin, int64_t h, int64_t w,
	    int64_t cout, int64_t kh, int64_t kw)
{
	(void)x, (void)f, (void)cin, (void)h, (void)w, (void)cout, (void)kh, (void)kw;
	plan_run(plan_of(y));
}
