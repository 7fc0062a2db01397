/* A table of 8 MiB or 16 MiB is read again after 512 MiB went through the second level of cache: without more, and
 * with a window of the stream that keeps it there. */
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

#define ROUNDS 41
#define BLOCK 256
#define LARGEST ((size_t)16 << 20)
#define STREAM ((size_t)512 << 20)

struct scene {
	const uint4 *table;
	size_t bytes; /* of it */
	const uint4 *stream;
	unsigned *out;
	int sms;
};

static __global__ void __launch_bounds__(BLOCK) read_all(const uint4 *in, size_t nr, unsigned *out)
{
	const size_t step = (size_t)gridDim.x * BLOCK;
	unsigned sum = 0;
#pragma unroll 4
	for (size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x; i < nr; i += step) {
		const uint4 v = in[i];
		sum += v.x + v.y + v.z + v.w;
	}
	if (sum == 1) /* never: sums are multiples of 0x01010101 */
		atomicAdd(out, sum);
}

static __global__ void spin(long long cycles)
{
	const long long start = clock64();
	while (clock64() - start < cycles)
		;
}

static void read_table(const struct scene *s, cudaStream_t stream)
{
	read_all<<<s->sms * 8, BLOCK, 0, stream>>>(s->table, s->bytes / sizeof(uint4), s->out);
}

/* Time of reading the table after everything else. */
static double again_ns(const struct scene *s, cudaStream_t stream)
{
	static cudaEvent_t begin;
	static cudaEvent_t end;
	float ms = 0;
	if (!begin) {
		CUDA(cudaEventCreate(&begin));
		CUDA(cudaEventCreate(&end));
	}
	read_table(s, stream);
	read_all<<<s->sms * 8, BLOCK, 0, stream>>>(s->stream, STREAM / sizeof(uint4), s->out);
	spin<<<1, 1, 0, stream>>>(40000);
	CUDA(cudaEventRecord(begin, stream));
	read_table(s, stream);
	CUDA(cudaEventRecord(end, stream));
	CUDA(cudaGetLastError());
	CUDA(cudaEventSynchronize(end));
	CUDA(cudaEventElapsedTime(&ms, begin, end));
	return 1e6 * (double)ms;
}

static cudaStream_t keeping_stream(const struct scene *s)
{
	cudaStream_t stream;
	cudaStreamAttrValue how = {};
	CUDA(cudaStreamCreate(&stream));
	how.accessPolicyWindow.base_ptr = (void *)s->table;
	how.accessPolicyWindow.num_bytes = s->bytes;
	how.accessPolicyWindow.hitRatio = 1.0f;
	how.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	how.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
	CUDA(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &how));
	return stream;
}

/* What is kept would stay for the other side, too. */
static double plain_ns(const struct scene *s, cudaStream_t stream)
{
	CUDA(cudaCtxResetPersistingL2Cache());
	return again_ns(s, stream);
}

static double gain(const struct scene *s, double *plain_us, double *kept_us)
{
	static double ratio[ROUNDS];
	static double of_plain[ROUNDS];
	static double of_kept[ROUNDS];
	cudaStream_t plain;
	CUDA(cudaStreamCreate(&plain));
	const cudaStream_t keeping = keeping_stream(s);
	plain_ns(s, plain);
	again_ns(s, keeping);
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 2)
			of_plain[i] = plain_ns(s, plain);
		of_kept[i] = again_ns(s, keeping);
		if (i % 2 == 0)
			of_plain[i] = plain_ns(s, plain);
		ratio[i] = of_plain[i] / of_kept[i];
	}
	*plain_us = median(of_plain, ROUNDS) / 1e3;
	*kept_us = median(of_kept, ROUNDS) / 1e3;
	return median(ratio, ROUNDS);
}

int main(void)
{
	struct scene s = { .sms = device_open() };
	cudaDeviceProp p;
	double plain_us;
	double kept_us;
	CUDA(cudaGetDeviceProperties(&p, 0));
	const size_t most = (size_t)p.persistingL2CacheMaxSize;
	if (most < LARGEST || cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, most) != cudaSuccess)
		not_here("no part of the cache can be set aside here");
	s.table = (const uint4 *)device_bytes(LARGEST, 1);
	s.stream = (const uint4 *)device_bytes(STREAM, 1);
	s.out = (unsigned *)device_bytes(sizeof *s.out, 0);
	spin<<<1, 1>>>(50000000);
	s.bytes = LARGEST;
	printf("gain_16 %.4g ratio\n", gain(&s, &plain_us, &kept_us));
	printf("plain_16 %.4g us\nkept_16 %.4g us\n", plain_us, kept_us);
	s.bytes = LARGEST / 2;
	printf("gain_8 %.4g ratio\n", gain(&s, &plain_us, &kept_us));
	printf("plain_8 %.4g us\nkept_8 %.4g us\n", plain_us, kept_us);
	printf("set_aside %.4g MiB\n", (double)most / (1 << 20));
	return 0;
}
