/* Fifty short kernels, each of which reads what the one before wrote: each begins when the one before
 * has ended, or its blocks are there before and wait for the memory only. */
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

#define BLOCK 256
#define KERNELS 50

struct scene {
	unsigned *buffer;
	int sms;
	bool is_early;
};

/* Every thread adds 1 to its own word of what the kernel before left. */
template <bool IS_EARLY> static __global__ void __launch_bounds__(BLOCK) add_one(unsigned *buffer)
{
	const int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
	if (IS_EARLY) {
		asm volatile("griddepcontrol.launch_dependents;");
		asm volatile("griddepcontrol.wait;" ::: "memory");
	}
	buffer[i] += 1;
}

static void start_all(const struct scene *s, cudaStream_t stream)
{
	cudaLaunchAttribute early;
	cudaLaunchConfig_t how = {};
	how.gridDim = dim3((unsigned)s->sms);
	how.blockDim = dim3(BLOCK);
	how.stream = stream;
	early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	early.val.programmaticStreamSerializationAllowed = 1;
	how.attrs = &early;
	how.numAttrs = s->is_early ? 1 : 0;
	for (int i = 0; i < KERNELS; i++)
		if (s->is_early)
			CUDA(cudaLaunchKernelEx(&how, add_one<true>, s->buffer));
		else
			CUDA(cudaLaunchKernelEx(&how, add_one<false>, s->buffer));
}

static void launch(void *state)
{
	start_all((const struct scene *)state, 0);
}

/* As nodes of a graph: what the host needs for a start is not what is compared. */
struct replay {
	cudaGraphExec_t graph;
};

static void launch_graph(void *state)
{
	const struct replay *r = (const struct replay *)state;
	CUDA(cudaGraphLaunch(r->graph, 0));
}

static void capture(struct replay *r, const struct scene *s)
{
	cudaGraph_t graph;
	cudaStream_t stream;
	CUDA(cudaStreamCreate(&stream));
	CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	start_all(s, stream);
	CUDA(cudaStreamEndCapture(stream, &graph));
	CUDA(cudaGraphInstantiate(&r->graph, graph, 0));
}

static void check_words(const struct scene *s, void (*run)(void *), void *state)
{
	const int nr = s->sms * BLOCK;
	unsigned *got = (unsigned *)malloc((size_t)nr * sizeof *got);
	CUDA(cudaMemset(s->buffer, 0, (size_t)nr * sizeof *got));
	run(state);
	CUDA(cudaMemcpy(got, s->buffer, (size_t)nr * sizeof *got, cudaMemcpyDeviceToHost));
	for (int i = 0; i < nr; i++)
		hold(got[i] == KERNELS, "a kernel did not see what the one before wrote");
	free(got);
}

int main(void)
{
	struct scene late = { .sms = device_open(), .is_early = false };
	late.buffer = (unsigned *)device_bytes((size_t)late.sms * BLOCK * sizeof *late.buffer, 0);
	struct scene early = late;
	struct replay late_graph;
	struct replay early_graph;
	early.is_early = true;
	capture(&late_graph, &late);
	capture(&early_graph, &early);
	check_words(&late, launch, &late);
	check_words(&early, launch, &early);
	check_words(&late, launch_graph, &late_graph);
	check_words(&early, launch_graph, &early_graph);
	struct arm a = { launch, &late, KERNELS };
	struct arm b = { launch, &early, KERNELS };
	struct arm c = { launch_graph, &late_graph, KERNELS };
	struct arm d = { launch_graph, &early_graph, KERNELS };
	printf("gain_graph %.4g ratio\n", ratio_of(&c, &d, 50));
	printf("gain_stream %.4g ratio\n", ratio_of(&a, &b, 50));
	printf("late %.4g us\nearly %.4g us\nlate_graph %.4g us\nearly_graph %.4g us\n", a.ns / 1e3,
	       b.ns / 1e3, c.ns / 1e3, d.ns / 1e3);
	return 0;
}
