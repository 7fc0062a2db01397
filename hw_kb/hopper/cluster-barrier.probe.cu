/* A barrier of one block of 256 threads against a barrier of a cluster of two and of eight such blocks.
 */
/* ---- device: the same text in every probe of this folder ---- */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

[[maybe_unused]] static void hold(int is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "%s\n", what);
	exit(1);
}

static void check(cudaError_t code, const char *what)
{
	if (code == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
	exit(1);
}
#define CUDA(call) check(call, #call)

[[maybe_unused]] static void not_here(const char *why)
{
	fprintf(stderr, "%s\n", why);
	exit(77);
}

/* Multiprocessors of the device, which must be a Hopper. */
static int device_open(void)
{
	int nr = 0;
	cudaDeviceProp p;
	const cudaError_t code = cudaGetDeviceCount(&nr);
	if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver)
		not_here("no CUDA device");
	CUDA(code);
	CUDA(cudaGetDeviceProperties(&p, 0));
	if (p.major != 9 || p.minor != 0)
		not_here("the device is no Hopper");
	return p.multiProcessorCount;
}

static void *device_bytes(size_t bytes, int fill)
{
	void *p = NULL;
	CUDA(cudaMalloc(&p, bytes));
	CUDA(cudaMemset(p, fill, bytes));
	return p;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a;
	const double y = *(const double *)b;
	return (x > y) - (x < y);
}

[[maybe_unused]] static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}
/* ---- */

/* ---- cycles: the same text in every probe that has it ---- */
#define CYCLE_RUNS 31

/* Median of what a kernel of one short run says, in cycles of a multiprocessor. */
static double cycles_of(void (*launch)(void *state, long long *out), void *state)
{
	static long long *out;
	static double got[CYCLE_RUNS];
	long long one = 0;
	if (!out)
		out = (long long *)device_bytes(sizeof *out, 0);
	launch(state, out); /* loads the code */
	for (int i = 0; i < CYCLE_RUNS; i++) {
		launch(state, out);
		CUDA(cudaGetLastError());
		CUDA(cudaMemcpy(&one, out, sizeof one, cudaMemcpyDeviceToHost));
		got[i] = (double)one;
	}
	return median(got, CYCLE_RUNS);
}
/* ---- */

#define BLOCK 256
#define ROUNDS 256

static __global__ void __launch_bounds__(BLOCK) of_block(long long *out)
{
	__syncthreads();
	const long long start = clock64();
	for (int i = 0; i < ROUNDS; i++)
		__syncthreads();
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*out = clock64() - start;
}

static __global__ void __launch_bounds__(BLOCK) of_cluster(long long *out)
{
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
	const long long start = clock64();
	for (int i = 0; i < ROUNDS; i++)
		asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
	if (blockIdx.x == 0 && threadIdx.x == 0)
		*out = clock64() - start;
}

static void block(void *state, long long *out)
{
	(void)state;
	of_block<<<8, BLOCK>>>(out);
}

static void cluster(void *state, long long *out)
{
	cudaLaunchAttribute size;
	cudaLaunchConfig_t how = {};
	how.gridDim = dim3(8);
	how.blockDim = dim3(BLOCK);
	size.id = cudaLaunchAttributeClusterDimension;
	size.val.clusterDim.x = *(const unsigned *)state;
	size.val.clusterDim.y = 1;
	size.val.clusterDim.z = 1;
	how.attrs = &size;
	how.numAttrs = 1;
	CUDA(cudaLaunchKernelEx(&how, of_cluster, out));
}

int main(void)
{
	unsigned two = 2;
	unsigned eight = 8;
	device_open();
	const double of_one = cycles_of(block, NULL) / ROUNDS;
	const double of_two = cycles_of(cluster, &two) / ROUNDS;
	const double of_eight = cycles_of(cluster, &eight) / ROUNDS;
	printf("loss_2 %.4g ratio\n", of_two / of_one);
	printf("loss_8 %.4g ratio\n", of_eight / of_one);
	printf("block %.4g cycles\ncluster_2 %.4g cycles\ncluster_8 %.4g cycles\n", of_one, of_two, of_eight);
	return 0;
}
