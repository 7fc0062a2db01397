/* A chain of dependent loads from the own shared memory, from that of another block of the cluster, and
 * from global memory in the second level of cache. */
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

#define LINKS 1024
#define STEPS 512

static inline __device__ uint32_t shared_of(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

static inline __device__ void cluster_wait(void)
{
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

/* Each word holds the place of the next in bytes. */
static inline __device__ void lay_chain(uint32_t *chain)
{
	for (int i = (int)threadIdx.x; i < LINKS; i += (int)blockDim.x)
		chain[i] = (uint32_t)((i + 33) % LINKS * 4);
}

template <bool IS_REMOTE>
static __global__ void __cluster_dims__(2, 1, 1) from_shared(long long *out)
{
	__shared__ uint32_t chain[LINKS];
	uint32_t base = shared_of(chain);
	uint32_t rank;
	lay_chain(chain);
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	cluster_wait();
	if (threadIdx.x == 0 && rank == 0) {
		uint32_t at = 0;
		if (IS_REMOTE)
			asm volatile("mapa.shared::cluster.u32 %0, %0, 1;" : "+r"(base));
		const long long start = clock64();
		for (int i = 0; i < STEPS; i++) {
			if (IS_REMOTE)
				asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(at) : "r"(base + at));
			else
				asm volatile("ld.shared::cta.u32 %0, [%1];" : "=r"(at) : "r"(base + at));
		}
		const long long end = clock64();
		*out = at == STEPS * 33 % LINKS * 4 ? end - start : -1;
	}
	cluster_wait();
}

static __global__ void from_cache(const char *chain, long long *out)
{
	uint32_t at = 0;
	for (int round = 0; round < 2; round++) {
		const long long start = clock64();
		at = 0;
		for (int i = 0; i < STEPS; i++)
			asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(at) : "l"(chain + at));
		*out = at == STEPS * 33 % LINKS * 4 ? clock64() - start : -1;
	}
}

static __global__ void lay_global(uint32_t *chain)
{
	lay_chain(chain);
}

static void own(void *state, long long *out)
{
	(void)state;
	from_shared<false><<<2, 128>>>(out);
}

static void remote(void *state, long long *out)
{
	(void)state;
	from_shared<true><<<2, 128>>>(out);
}

static void cache(void *state, long long *out)
{
	from_cache<<<1, 1>>>((const char *)state, out);
}

int main(void)
{
	device_open();
	uint32_t *chain = (uint32_t *)device_bytes(LINKS * sizeof *chain, 0);
	lay_global<<<1, 128>>>(chain);
	const double of_own = cycles_of(own, NULL) / STEPS;
	const double of_remote = cycles_of(remote, NULL) / STEPS;
	const double of_cache = cycles_of(cache, chain) / STEPS;
	hold(of_own > 0 && of_remote > 0 && of_cache > 0, "a chain ends where it should not");
	printf("remote_over_own %.4g ratio\n", of_remote / of_own);
	printf("cache_over_remote %.4g ratio\n", of_cache / of_remote);
	printf("own %.4g cycles\nremote %.4g cycles\ncache %.4g cycles\n", of_own, of_remote, of_cache);
	return 0;
}
