/* A copy from device memory to device memory whose threads move 2, 4, 8 or 16 bytes each.
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

/* ---- arms: the same text in every probe that has it ---- */
#define SLOT_NS 150000.0   /* far above what a start costs */
#define LEAD_CYCLES 40000  /* the host enqueues meanwhile: no start is waited for in a slot */
#define WARM_CYCLES 50000000 /* until the clock of an idle device has risen */
#define REPS_MAX 64
#define ROUNDS_MIN 15
#define ROUNDS_MAX 201

struct arm {
	void (*launch)(void *state); /* enqueues one repetition */
	void *state;
	double work; /* units of work in one repetition; times are compared per unit */
	double ns;   /* of one unit, median of the last comparison */
};

static __global__ void spin(long long cycles)
{
	const long long start = clock64();
	while (clock64() - start < cycles)
		;
}

static double unit_ns(const struct arm *a, int reps)
{
	static cudaEvent_t begin;
	static cudaEvent_t end;
	float ms = 0;
	if (!begin) {
		CUDA(cudaEventCreate(&begin));
		CUDA(cudaEventCreate(&end));
		spin<<<1, 1>>>(WARM_CYCLES);
	}
	spin<<<1, 1>>>(LEAD_CYCLES);
	CUDA(cudaEventRecord(begin));
	for (int i = 0; i < reps; i++)
		a->launch(a->state);
	CUDA(cudaEventRecord(end));
	CUDA(cudaGetLastError());
	CUDA(cudaEventSynchronize(end));
	CUDA(cudaEventElapsedTime(&ms, begin, end));
	return 1e6 * (double)ms / (reps * a->work);
}

static int slot_reps(const struct arm *a)
{
	int reps = 1;
	unit_ns(a, reps); /* loads the code */
	while (reps < REPS_MAX && unit_ns(a, reps) * reps * a->work < SLOT_NS)
		reps *= 2;
	return reps;
}

/* Time of a over time of b, per unit: median over neighbouring slots, which run a first and b first
 * in turn. */
static double ratio_of(struct arm *a, struct arm *b, double budget_ms)
{
	static double ratio[ROUNDS_MAX];
	static double of_a[ROUNDS_MAX];
	static double of_b[ROUNDS_MAX];
	const int reps_a = slot_reps(a);
	const int reps_b = slot_reps(b);
	double spent_ns = 0;
	int n = 0;
	while (n < ROUNDS_MAX && (n < ROUNDS_MIN || spent_ns < 1e6 * budget_ms)) {
		if (n % 2)
			of_a[n] = unit_ns(a, reps_a);
		of_b[n] = unit_ns(b, reps_b);
		if (n % 2 == 0)
			of_a[n] = unit_ns(a, reps_a);
		ratio[n] = of_a[n] / of_b[n];
		spent_ns += of_a[n] * a->work * reps_a + of_b[n] * b->work * reps_b;
		n++;
	}
	a->ns = median(of_a, n);
	b->ns = median(of_b, n);
	return median(ratio, n);
}
/* ---- */

#define BYTES ((size_t)256 << 20)

struct buffers {
	char *in;
	char *out;
};

static __global__ void fill(uint32_t *out, size_t nr)
{
	const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < nr)
		out[i] = (uint32_t)i * 2654435761u;
}

template <typename T> static __global__ void move(const T *in, T *out)
{
	const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[i];
}

template <typename T> static void launch(void *state)
{
	const struct buffers *b = (const struct buffers *)state;
	move<T><<<(unsigned)(BYTES / sizeof(T) / 256), 256>>>((const T *)b->in, (T *)b->out);
}

static void check_copy(const struct buffers *b)
{
	static char in[1 << 16];
	static char out[1 << 16];
	for (size_t at = 0; at < BYTES; at += BYTES - sizeof in) {
		CUDA(cudaMemcpy(in, b->in + at, sizeof in, cudaMemcpyDeviceToHost));
		CUDA(cudaMemcpy(out, b->out + at, sizeof out, cudaMemcpyDeviceToHost));
		hold(memcmp(in, out, sizeof in) == 0, "a copy is not like what was copied");
	}
	CUDA(cudaMemset(b->out, 0, BYTES));
}

int main(void)
{
	device_open();
	struct buffers b = { (char *)device_bytes(BYTES, 0), (char *)device_bytes(BYTES, 0) };
	const double gigabytes = 2.0 * (double)BYTES / 1e9;
	struct arm by_2 = { launch<uint16_t>, &b, gigabytes };
	struct arm by_4 = { launch<uint32_t>, &b, gigabytes };
	struct arm by_8 = { launch<uint2>, &b, gigabytes };
	struct arm by_16 = { launch<uint4>, &b, gigabytes };
	struct arm *all[] = { &by_2, &by_4, &by_8, &by_16 };
	fill<<<(unsigned)(BYTES / 4 / 256), 256>>>((uint32_t *)b.in, BYTES / 4);
	for (int i = 0; i < 4; i++) {
		all[i]->launch(&b);
		check_copy(&b);
	}
	printf("gain_over_2 %.4g ratio\n", ratio_of(&by_2, &by_16, 50));
	printf("gain_over_4 %.4g ratio\n", ratio_of(&by_4, &by_16, 50));
	printf("gain_over_8 %.4g ratio\n", ratio_of(&by_8, &by_16, 50));
	printf("rate_2 %.4g GB/s\nrate_4 %.4g GB/s\nrate_16 %.4g GB/s\n", 1e9 / by_2.ns, 1e9 / by_4.ns,
	       1e9 / by_16.ns);
	return 0;
}
