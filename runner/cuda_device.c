/*
 * Questions about the device, answered from the orders. Occupancy is computed as the driver does
 * since the sm_80 generation: registers are given to warps in units, warps to blocks in fours,
 * shared memory in units behind what the system reserves for each block; check-gpu holds it against
 * the driver's own answers.
 */
#include <string.h>

#include "runner/cuda_lent.h"

/* CU_DEVICE_ATTRIBUTE_* */
enum {
	ATTR_WARP_THREADS = 10,
	ATTR_THREADS_PER_SM = 39,
	ATTR_SHARED_PER_SM = 81,
	ATTR_REGISTERS_PER_SM = 82,
	ATTR_BLOCKS_PER_SM = 106,
	ATTR_RESERVED_SHARED = 111,
	REGISTER_UNIT = 256,
	WARP_UNIT = 4,
	SHARED_UNIT = 128,
};

/* struct cudaFuncAttributes, as far as it is filled. */
struct function_attributes {
	size_t shared_bytes;
	size_t constant_bytes;
	size_t local_bytes;
	int max_threads;
	int registers;
	int ptx_version;
	int binary_version;
	int cache_mode;
	int max_dynamic_shared_bytes;
	int carveout;
};

LENT(int, cudaGetDevice, (int *device))
{
	*device = 0;
	return CUDA_LENT_OK;
}

LENT(int, cudaDeviceGetAttribute, (int *value, int attribute, int device))
{
	(void)device;
	if (attribute < 0)
		return cuda_lent_answer(CUDA_LENT_INVALID_VALUE);
	*value = cuda_lent_attribute((unsigned)attribute);
	return CUDA_LENT_OK;
}

LENT(int, cudaFuncGetAttributes, (struct function_attributes * a, const void *stub))
{
	const struct cuda_lent_kernel *k = cuda_lent_find(stub);
	if (!k || !k->function)
		return cuda_lent_answer(CUDA_LENT_INVALID_FUNCTION);
	const struct gpu_function *f = k->function;
	*a = (struct function_attributes){
		.shared_bytes = (size_t)f->shared_bytes,
		.constant_bytes = (size_t)f->constant_bytes,
		.local_bytes = (size_t)f->local_bytes,
		.max_threads = f->max_threads,
		.registers = f->registers,
		.ptx_version = f->binary,
		.binary_version = f->binary,
		.max_dynamic_shared_bytes =
			k->max_shared_bytes ? (int)k->max_shared_bytes : f->max_shared_bytes,
		.carveout = k->carveout,
	};
	return CUDA_LENT_OK;
}

static int up(int value, int unit)
{
	return unit > 0 ? (value + unit - 1) / unit * unit : value;
}

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static int by_registers(const struct gpu_function *f, int warps)
{
	const int per_warp =
		up(f->registers * cuda_lent_attribute(ATTR_WARP_THREADS), REGISTER_UNIT);
	const int total = cuda_lent_attribute(ATTR_REGISTERS_PER_SM);
	if (per_warp <= 0)
		return INT32_MAX;
	/* A quarter of the file belongs to each of an SM's four schedulers. */
	return total / WARP_UNIT / per_warp * WARP_UNIT / warps;
}

static int by_shared(const struct gpu_function *f, size_t dynamic)
{
	const int wanted =
		up(f->shared_bytes + (int)dynamic + cuda_lent_attribute(ATTR_RESERVED_SHARED),
		   SHARED_UNIT);
	return wanted > 0 ? cuda_lent_attribute(ATTR_SHARED_PER_SM) / wanted : INT32_MAX;
}

static int blocks_per_sm(const struct gpu_function *f, int threads, size_t dynamic)
{
	const int warp = cuda_lent_attribute(ATTR_WARP_THREADS);
	const int warps = warp > 0 ? (threads + warp - 1) / warp : 0;
	if (threads <= 0 || threads > f->max_threads || warps == 0)
		return 0;
	int blocks = cuda_lent_attribute(ATTR_THREADS_PER_SM) / (warps * warp);
	blocks = smaller(blocks, cuda_lent_attribute(ATTR_BLOCKS_PER_SM));
	blocks = smaller(blocks, by_registers(f, up(warps, 1)));
	return smaller(blocks, by_shared(f, dynamic));
}

LENT(int, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int *blocks, const void *stub, int threads, size_t dynamic, unsigned flags))
{
	const struct cuda_lent_kernel *k = cuda_lent_find(stub);
	(void)flags;
	if (!k || !k->function)
		return cuda_lent_answer(CUDA_LENT_INVALID_FUNCTION);
	*blocks = dynamic > INT32_MAX / 2 ? 0 : blocks_per_sm(k->function, threads, dynamic);
	return CUDA_LENT_OK;
}

LENT(int, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, const void *stub, int threads, size_t dynamic))
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads,
								      dynamic, 0);
}

/* How clusters fall onto the units of a device only its driver knows. */

LENT(int, cudaOccupancyMaxActiveClusters, (int *clusters, const void *stub, const void *config))
{
	(void)stub;
	(void)config;
	*clusters = 0;
	return cuda_lent_answer(CUDA_LENT_NOT_SUPPORTED);
}

LENT(int, cudaOccupancyMaxPotentialClusterSize, (int *blocks, const void *stub, const void *config))
{
	(void)stub;
	(void)config;
	/* What every device with clusters can do. */
	*blocks = 8;
	return CUDA_LENT_OK;
}
