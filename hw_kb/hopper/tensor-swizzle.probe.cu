/* A tile of 64 rows of 128 bytes, brought by one tensor copy with and without the 128-byte swizzle, and
 * read by columns of 16 bytes, eight rows at once, as matrix fragments are. */
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

/* ---- tensor: the same text in every probe that has it ---- */
#include <cuda.h>

typedef CUresult (*encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
			      const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
			      const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
			      CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/* A map of 16-bit elements, `cols` in a row, of which boxes of box_cols x box_rows are copied. */
static CUtensorMap map_of(void *at, size_t rows, size_t cols, unsigned box_rows, unsigned box_cols,
			  CUtensorMapSwizzle swizzle)
{
	static encode_fn encode;
	CUtensorMap map;
	const cuuint64_t size[2] = { cols, rows };
	const cuuint64_t pitch[1] = { cols * 2 };
	const cuuint32_t box[2] = { box_cols, box_rows };
	const cuuint32_t step[2] = { 1, 1 };
	if (!encode) {
		void *entry = NULL;
		cudaDriverEntryPointQueryResult found;
		CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
						      cudaEnableDefault, &found));
		hold(entry && found == cudaDriverEntryPointSuccess, "the driver makes no tensor maps");
		encode = (encode_fn)entry;
	}
	hold(encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, at, size, pitch, box, step,
		    CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
		    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS,
	     "a tensor map is refused");
	return map;
}

static inline __device__ void tensor_load(void *to, const CUtensorMap *map, int col, int row,
					  uint64_t *bar)
{
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
		     "bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_of(to)),
		     "l"(map), "r"(col), "r"(row), "r"(shared_of(bar))
		     : "memory");
}
/* ---- */

#define BLOCK 256
#define ROWS 64
#define ROW_BYTES 128
#define TILE (ROWS * ROW_BYTES)
#define PASSES 64

struct tile {
	CUtensorMap map;
	unsigned *out;
	int sms;
};

/* Where 16 bytes of a row lie: the hardware's rule for this swizzle. */
template <bool IS_SWIZZLED> static inline __device__ int place(int row, int chunk)
{
	return row * ROW_BYTES + 16 * (IS_SWIZZLED ? chunk ^ (row % 8) : chunk);
}

static inline __device__ void load_four(uint32_t at, unsigned v[4])
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
		     : "r"(at));
}

/* Word w of the tile holds w. */
template <bool IS_SWIZZLED>
static __global__ void __launch_bounds__(BLOCK)
	columns(const __grid_constant__ CUtensorMap map, unsigned *out)
{
	__shared__ __align__(1024) char tile[TILE];
	__shared__ uint64_t bar;
	const int lane = threadIdx.x % 32;
	unsigned sum = 0;
	if (threadIdx.x == 0) {
		barrier_init(&bar, 1);
		barrier_publish();
		barrier_expect(&bar, TILE);
		tensor_load(tile, &map, 0, 0, &bar);
	}
	__syncthreads();
	barrier_wait(&bar, 0);
	const uint32_t base = shared_of(tile);
	for (int p = 0; p < PASSES; p++)
#pragma unroll
		for (int chunk = 0; chunk < 8; chunk++) {
			unsigned v[4];
			const int half = (p % 2) * 32;
			load_four(base + place<IS_SWIZZLED>(half + lane, chunk), v);
			/* Matrix m, row lane / 4, word lane % 4. */
#pragma unroll
			for (int m = 0; m < 4; m++)
				sum += v[m] ^ (unsigned)((half + 8 * m + lane / 4) * (ROW_BYTES / 4) +
							 chunk * 4 + lane % 4);
		}
	if (sum)
		atomicAdd(out, 1);
}

template <bool IS_SWIZZLED> static void launch(void *state)
{
	const struct tile *t = (const struct tile *)state;
	columns<IS_SWIZZLED><<<t->sms * 4, BLOCK>>>(t->map, t->out);
}

int main(void)
{
	static unsigned words[TILE / 4];
	const int sms = device_open();
	unsigned nr_wrong = 1;
	char *in = (char *)device_bytes(TILE, 0);
	for (int i = 0; i < TILE / 4; i++)
		words[i] = (unsigned)i;
	CUDA(cudaMemcpy(in, words, TILE, cudaMemcpyHostToDevice));
	struct tile plain = { .out = (unsigned *)device_bytes(sizeof(unsigned), 0), .sms = sms };
	struct tile swizzled = plain;
	plain.map = map_of(in, ROWS, ROW_BYTES / 2, ROWS, ROW_BYTES / 2, CU_TENSOR_MAP_SWIZZLE_NONE);
	swizzled.map =
		map_of(in, ROWS, ROW_BYTES / 2, ROWS, ROW_BYTES / 2, CU_TENSOR_MAP_SWIZZLE_128B);
	struct arm a = { launch<false>, &plain, 1 };
	struct arm b = { launch<true>, &swizzled, 1 };
	printf("gain %.4g ratio\n", ratio_of(&a, &b, 75));
	CUDA(cudaMemcpy(&nr_wrong, plain.out, sizeof nr_wrong, cudaMemcpyDeviceToHost));
	hold(nr_wrong == 0, "a tile does not lie where the rule says");
	return 0;
}
