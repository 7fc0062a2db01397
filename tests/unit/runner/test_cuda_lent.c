#include "runner/cuda_lent.h"

#include <stdalign.h>
#include <string.h>

#include "test.h"

/* As nvcc's code and host functions see them. */
struct dim3 {
	unsigned x;
	unsigned y;
	unsigned z;
};
struct config {
	struct dim3 grid;
	struct dim3 block;
	size_t shared_bytes;
	void *stream;
	const void *attributes;
	unsigned nr_attributes;
};
struct attribute {
	unsigned id;
	unsigned pad;
	unsigned value[16];
};
void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name,
			    int threads, ...);
int cudaLaunchKernel(const void *stub, struct dim3 grid, struct dim3 block, void **args,
		     size_t shared_bytes, void *stream);
int cudaLaunchKernelExC(const struct config *c, const void *stub, void **args);
int cudaMemsetAsync(void *at, int value, size_t count, void *stream);
int cudaFuncSetAttribute(const void *stub, int attribute, int value);
int cudaGetLastError(void);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *stub, int threads,
						  size_t dynamic);
int cuTensorMapEncodeTiled(struct gpu_tensor_mark *map, int type, uint32_t rank, void *at,
			   const uint64_t *size, const uint64_t *stride, const uint32_t *box,
			   const uint32_t *step, int interleave, int swizzle, int promotion,
			   int fill);

enum { NAME_AT = 4096, PARAMS_AT = 4352, FUNCTIONS_AT = 4608 };

static alignas(4096) unsigned char orders_page[GPU_RECORDER_ORDERS_BYTES];
static alignas(4096) unsigned char answer_page[GPU_RECORDER_BYTES];
static struct gpu_recording *const answer = (void *)answer_page;
static const char stub[] = "stub";
static void *const stream = (void *)0x5100;
static const struct dim3 one = { 1, 1, 1 };

/* A kernel `scale` with parameters of 8 and 4 bytes, of a device like sm_90. */
static void open_recorder(void)
{
	struct gpu_recorder_orders *o = (void *)orders_page;
	const struct gpu_param params[] = { { 0, 8 }, { 8, 4 } };
	const struct gpu_function f = { .name_at = NAME_AT,
					.params_at = PARAMS_AT,
					.nr_params = 2,
					.registers = 32,
					.max_threads = 1024 };
	*o = (struct gpu_recorder_orders){ .version = GPU_RECORDER_VERSION,
					   .stream = (uint64_t)(uintptr_t)stream,
					   .magic = { 7, 9 },
					   .nr_functions = 1,
					   .functions_at = FUNCTIONS_AT };
	o->attributes[10] = 32;
	o->attributes[16] = 132;
	o->attributes[39] = 2048;
	o->attributes[81] = 233472;
	o->attributes[82] = 65536;
	o->attributes[106] = 32;
	o->attributes[111] = 1024;
	memcpy(orders_page + NAME_AT, "scale", 6);
	memcpy(orders_page + PARAMS_AT, params, sizeof(params));
	memcpy(orders_page + FUNCTIONS_AT, &f, sizeof(f));
	cuda_lent_open(o, answer);
	__cudaRegisterFunction(NULL, stub, NULL, "scale", -1);
}

static struct gpu_record record(uint64_t at)
{
	struct gpu_record r = { 0 };
	CHECK_INT(gpu_record_at((unsigned char *)(answer + 1), answer->launches.bytes, at, &r), 0);
	return r;
}

TEST(a_launch_becomes_a_record)
{
	open_recorder();
	uint64_t x = 0x1234567890;
	float s = 2;
	void *args[] = { &x, &s };
	const struct dim3 grid = { 5, 2, 1 };
	CHECK_INT(cudaLaunchKernel(stub, grid, (struct dim3){ 64, 1, 1 }, args, 256, stream), 0);
	CHECK_INT(answer->launches.nr, 1);
	const struct gpu_record r = record(0);
	CHECK_TEXT(r.name, "scale");
	CHECK_INT(r.launch->grid[1], 2);
	CHECK_INT(r.launch->shared_bytes, 256);
	CHECK_INT(r.launch->param_bytes, 12);
	CHECK(memcmp(r.values, &x, 8) == 0 && memcmp(r.values + 8, &s, 4) == 0);
	CHECK_INT(answer->is_refused, 0);
}

TEST(records_begin_anew_with_every_call)
{
	open_recorder();
	cudaFuncSetAttribute(stub, 8, 65536);
	cudaMemsetAsync((void *)0x1000, 1, 8, stream);
	CHECK_INT(answer->launches.nr, 1);
	cuda_lent_begin();
	CHECK_INT(answer->launches.nr, 0);
	CHECK_INT(cuda_lent_find(stub)->max_shared_bytes, 0);
}

TEST(attributes_of_a_launch_are_kept_or_refused)
{
	open_recorder();
	uint64_t x = 0;
	float s = 0;
	void *args[] = { &x, &s };
	struct attribute a = { .id = 4, .value = { 2, 1, 1 } };
	struct config c = { .grid = one, .block = one, .stream = stream, .attributes = &a };
	c.nr_attributes = 1;
	CHECK_INT(cudaLaunchKernelExC(&c, stub, args), 0);
	CHECK_INT(record(0).launch->cluster[0], 2);
	a = (struct attribute){ .id = 6, .value = { 1 } };
	CHECK_INT(cudaLaunchKernelExC(&c, stub, args), CUDA_LENT_NOT_SUPPORTED);
	CHECK_INT(answer->is_refused, 1);
	CHECK(strstr(answer->refused, "launch attribute 6") != NULL);
}

TEST(only_the_given_stream_is_taken)
{
	open_recorder();
	CHECK_INT(cudaMemsetAsync((void *)0x1000, 0, 8, NULL), CUDA_LENT_INVALID_HANDLE);
	CHECK(strstr(answer->refused, "another stream") != NULL);
	CHECK_INT(cudaGetLastError(), CUDA_LENT_INVALID_HANDLE);
	CHECK_INT(cudaGetLastError(), 0);
	CHECK_INT(answer->launches.nr, 0);
}

TEST(what_is_no_kernel_is_not_launched)
{
	open_recorder();
	CHECK_INT(cudaLaunchKernel(&one, one, one, NULL, 0, stream), CUDA_LENT_INVALID_FUNCTION);
	CHECK_INT(answer->is_refused, 1);
}

TEST(a_recording_that_is_full_says_so)
{
	open_recorder();
	int code = 0;
	for (unsigned i = 0; code == 0 && i < GPU_RECORDER_BYTES; i++)
		code = cudaMemsetAsync((void *)0x1000, 0, 8, stream);
	CHECK_INT(code, CUDA_LENT_INVALID_VALUE);
	CHECK(answer->launches.bytes <= GPU_RECORDER_BYTES - sizeof(*answer));
	CHECK(strstr(answer->refused, "more launches") != NULL);
}

TEST(a_tensor_map_is_a_mark_and_a_record)
{
	open_recorder();
	struct gpu_tensor_mark marks[2];
	const uint64_t size[] = { 64, 32 };
	const uint64_t stride[] = { 256 };
	const uint32_t box[] = { 16, 8 };
	const uint32_t step[] = { 1, 1 };
	for (int i = 0; i < 2; i++)
		CHECK_INT(cuTensorMapEncodeTiled(&marks[i], 7, 2, (void *)0x2000, size, stride, box,
						 step, 0, 3, 2, 0),
			  0);
	CHECK_INT(marks[1].index, 1);
	CHECK_INT(marks[1].magic[1], 9);
	struct gpu_tensor t;
	memcpy(&t, record(0).values, sizeof(t));
	CHECK_INT(t.at, 0x2000);
	CHECK_INT(t.stride[1], 256);
	CHECK_INT(t.swizzle, 3);
}

TEST(questions_are_answered_from_the_orders)
{
	open_recorder();
	int value = 0;
	CHECK_INT(cudaDeviceGetAttribute(&value, 16, 0), 0);
	CHECK_INT(value, 132);
	CHECK_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, stub, 256, 0), 0);
	CHECK_INT(value, 8); /* by threads, and by registers */
	CHECK_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, stub, 32, 0), 0);
	CHECK_INT(value, 32); /* by blocks */
	CHECK_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, stub, 64, 100000), 0);
	CHECK_INT(value, 2); /* by shared memory */
	CHECK_INT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, stub, 2048, 0), 0);
	CHECK_INT(value, 0);
}

TEST_MAIN()
