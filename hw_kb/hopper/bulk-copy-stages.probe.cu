/* Bulk copies into one, two, four or eight buffers of 16 KiB, in one block a multiprocessor.
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

/* ---- copies: the same text in every probe that has it ---- */
[[maybe_unused]] static inline __device__ uint32_t shared_of(const void *p)
{
	return (uint32_t)__cvta_generic_to_shared(p);
}

[[maybe_unused]] static inline __device__ void barrier_init(uint64_t *bar, uint32_t arrivals)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(bar)), "r"(arrivals)
		     : "memory");
}

/* What was initialised is seen by the copy engine and by the blocks of the cluster. */
[[maybe_unused]] static inline __device__ void barrier_publish(void)
{
	asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

[[maybe_unused]] static inline __device__ void barrier_arrive(uint64_t *bar)
{
	asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_of(bar)) : "memory");
}

[[maybe_unused]] static inline __device__ void barrier_expect(uint64_t *bar, uint32_t bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_of(bar)),
		     "r"(bytes)
		     : "memory");
}

[[maybe_unused]] static inline __device__ void barrier_wait(uint64_t *bar, uint32_t parity)
{
	uint32_t is_done = 0;
	while (!is_done)
		asm volatile("{\n"
			     ".reg .pred p;\n"
			     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
			     "selp.b32 %0, 1, 0, p;\n"
			     "}\n"
			     : "=r"(is_done)
			     : "r"(shared_of(bar)), "r"(parity)
			     : "memory");
}

[[maybe_unused]] static inline __device__ void bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
		     "[%0], [%1], %2, [%3];" ::"r"(shared_of(to)),
		     "l"(from), "r"(bytes), "r"(shared_of(bar))
		     : "memory");
}
/* ---- */

/* ---- ring: the same text in every probe that has it ---- */
#define READERS 128 /* four warps read; the first lane of a fifth brings */
#define RING_HEAD 256 /* bytes of shared memory for barriers, before the buffers */
#define RING_MAX_STAGES 16

/* Buffers of shared memory, filled in turn by bulk copies in pieces, read by four warps. */
template <int STAGES, int TILE, int PIECE>
static __global__ void __launch_bounds__(READERS + 32)
	ring(const char *in, unsigned *out, int nr_tiles)
{
	extern __shared__ __align__(128) char smem[];
	uint64_t *full = (uint64_t *)smem;
	uint64_t *empty = full + RING_MAX_STAGES;
	char *tiles = smem + RING_HEAD;
	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++) {
			barrier_init(full + s, 1);
			barrier_init(empty + s, READERS / 32);
		}
		barrier_publish();
	}
	__syncthreads();
	const bool brings = threadIdx.x >= READERS;
	if (brings && threadIdx.x > READERS)
		return;
	unsigned sum = 0;
	int n = 0;
	for (int t = (int)blockIdx.x; t < nr_tiles; t += (int)gridDim.x, n++) {
		const int s = n % STAGES;
		const uint32_t turn = (uint32_t)(n / STAGES);
		char *tile = tiles + s * TILE;
		if (brings) {
			if (turn > 0)
				barrier_wait(empty + s, (turn - 1) & 1);
			barrier_expect(full + s, TILE);
#pragma unroll 4
			for (int at = 0; at < TILE; at += PIECE)
				bulk_load(tile + at, in + (size_t)t * TILE + at, PIECE, full + s);
			continue;
		}
		barrier_wait(full + s, turn & 1);
		const uint4 *words = (const uint4 *)tile;
#pragma unroll 4
		for (int k = 0; k < TILE / 16 / READERS; k++) {
			const uint4 v = words[k * READERS + threadIdx.x];
			sum += v.x + v.y + v.z + v.w;
		}
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			barrier_arrive(empty + s);
	}
	if (!brings)
		atomicAdd(out, sum);
}

struct ring_input {
	const char *in;
	unsigned *out;
	size_t bytes;
	int sms;
};

template <int STAGES, int TILE, int PIECE> static void ring_launch(void *state)
{
	const struct ring_input *s = (const struct ring_input *)state;
	ring<STAGES, TILE, PIECE><<<s->sms, READERS + 32, RING_HEAD + STAGES * TILE>>>(
		s->in, s->out, (int)(s->bytes / TILE));
}

/* Bytes of the input are 1: the sum says whether each word came once. */
template <int STAGES, int TILE, int PIECE> static struct arm ring_arm(struct ring_input *s)
{
	struct arm a = { ring_launch<STAGES, TILE, PIECE>, s, (double)s->bytes / 1e9 };
	unsigned got = 0;
	CUDA(cudaFuncSetAttribute(ring<STAGES, TILE, PIECE>,
				  cudaFuncAttributeMaxDynamicSharedMemorySize,
				  RING_HEAD + STAGES * TILE));
	CUDA(cudaMemset(s->out, 0, sizeof got));
	a.launch(s);
	CUDA(cudaMemcpy(&got, s->out, sizeof got, cudaMemcpyDeviceToHost));
	hold(got == (unsigned)(s->bytes / 4) * 0x01010101u, "not every word came once");
	return a;
}
/* ---- */

#define TILE (16 << 10)

int main(void)
{
	struct ring_input s = { .bytes = (size_t)512 << 20, .sms = device_open() };
	s.in = (const char *)device_bytes(s.bytes, 1);
	s.out = (unsigned *)device_bytes(sizeof *s.out, 0);
	struct arm one = ring_arm<1, TILE, TILE>(&s);
	struct arm two = ring_arm<2, TILE, TILE>(&s);
	struct arm four = ring_arm<4, TILE, TILE>(&s);
	struct arm eight = ring_arm<8, TILE, TILE>(&s);
	printf("gain_4 %.4g ratio\n", ratio_of(&one, &four, 60));
	printf("gain_4_over_2 %.4g ratio\n", ratio_of(&two, &four, 60));
	printf("gain_8_over_4 %.4g ratio\n", ratio_of(&four, &eight, 60));
	printf("rate_1 %.4g GB/s\nrate_2 %.4g GB/s\nrate_4 %.4g GB/s\nrate_8 %.4g GB/s\n",
	       1e9 / one.ns, 1e9 / two.ns, 1e9 / four.ns, 1e9 / eight.ns);
	return 0;
}
