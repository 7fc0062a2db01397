/* A hundred dependent kernels that do next to nothing: started one by one, and as one graph.
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

#define ROUNDS 61
#define KERNELS 100

static __global__ void count(unsigned *out)
{
	if (threadIdx.x == 0)
		*out += 1;
}

static __global__ void spin(long long cycles)
{
	const long long start = clock64();
	while (clock64() - start < cycles)
		;
}

static void enqueue(cudaStream_t stream, unsigned *out)
{
	for (int i = 0; i < KERNELS; i++)
		count<<<1, 32, 0, stream>>>(out);
}

struct scene {
	cudaStream_t stream;
	cudaGraphExec_t graph;
	unsigned *out;
	cudaEvent_t begin;
	cudaEvent_t end;
};

static void start_all(const struct scene *s, bool as_graph)
{
	if (as_graph)
		CUDA(cudaGraphLaunch(s->graph, s->stream));
	else
		enqueue(s->stream, s->out);
}

/* Time from kernel to kernel; from before the first start, as a caller sees it. */
static double each_ns(const struct scene *s, bool as_graph)
{
	float ms = 0;
	CUDA(cudaStreamSynchronize(s->stream));
	CUDA(cudaEventRecord(s->begin, s->stream));
	start_all(s, as_graph);
	CUDA(cudaEventRecord(s->end, s->stream));
	CUDA(cudaEventSynchronize(s->end));
	CUDA(cudaEventElapsedTime(&ms, s->begin, s->end));
	return 1e6 * (double)ms / KERNELS;
}

static void open_graph(struct scene *s)
{
	cudaGraph_t graph;
	CUDA(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeThreadLocal));
	enqueue(s->stream, s->out);
	CUDA(cudaStreamEndCapture(s->stream, &graph));
	CUDA(cudaGraphInstantiate(&s->graph, graph, 0));
}

int main(void)
{
	struct scene s;
	static double ratio[ROUNDS];
	static double of_starts[ROUNDS];
	static double of_graph[ROUNDS];
	unsigned got = 0;
	device_open();
	s.out = (unsigned *)device_bytes(sizeof *s.out, 0);
	CUDA(cudaStreamCreate(&s.stream));
	CUDA(cudaEventCreate(&s.begin));
	CUDA(cudaEventCreate(&s.end));
	open_graph(&s);
	spin<<<1, 1, 0, s.stream>>>(50000000);
	each_ns(&s, false);
	each_ns(&s, true);
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 2)
			of_starts[i] = each_ns(&s, false);
		of_graph[i] = each_ns(&s, true);
		if (i % 2 == 0)
			of_starts[i] = each_ns(&s, false);
		ratio[i] = of_starts[i] / of_graph[i];
	}
	CUDA(cudaMemcpy(&got, s.out, sizeof got, cudaMemcpyDeviceToHost));
	hold(got == 2 * (ROUNDS + 1) * KERNELS, "not every kernel ran");
	printf("gain %.4g ratio\n", median(ratio, ROUNDS));
	printf("start %.4g us\nnode %.4g us\n", median(of_starts, ROUNDS) / 1e3,
	       median(of_graph, ROUNDS) / 1e3);
	return 0;
}
