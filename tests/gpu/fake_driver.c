/*
 * A libcuda.so.1 without a device, for tests of everything around it: memory is the host's, streams
 * run at once (what stands behind a hold when somebody waits for it), captures are lists, and kernels are played by functions of this file that are found by
 * a part of their names. FORGE_CUDA_DRIVER names it. Kernels of tests/gpu/kernels must be right or
 * wrong here as they are on a device.
 */
#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t address;

enum { OK, INVALID_VALUE = 1, OPERATING_SYSTEM = 304, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700 };
enum { MAX_PARAMS = 8, MAP_BYTES = 128, NR_SM = 4, L2_BYTES = 1 << 20, BIG_COPY = 1 << 28 };

struct config {
	unsigned grid[3];
	unsigned block[3];
	unsigned shared_bytes;
	void *stream;
	void *attributes;
	unsigned nr_attributes;
};

typedef void (*play_fn)(void **p);

struct kernel {
	const char *part;
	play_fn play;
	unsigned char sizes[MAX_PARAMS];
};

struct function {
	const struct kernel *kernel;
	int max_shared;
};

struct node {
	const struct kernel *kernel; /* NULL: a memset */
	unsigned char values[MAX_PARAMS][MAP_BYTES];
	address at;
	unsigned char value;
	size_t len;
};

struct graph {
	struct node *nodes;
	size_t nr;
};

struct image {
	char *bytes;
	size_t len;
};

/* Behind a hold. */
struct waiting {
	const struct graph *exec;
	void *event;
	struct node node;
};

static struct graph *captured;
static volatile unsigned *hold; /* its flags, while it holds */
static unsigned hold_ticket;
static struct waiting *queue;
static size_t nr_waiting;
static size_t next_waiting;
static int fault;
static bool hangs;

#define ARG(type, i) (*(type *)p[i])

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static void *at(address a)
{
	return (void *)(uintptr_t)a;
}

static void play_fill(void **p)
{
	unsigned char *to = at(ARG(address, 0));
	const uint64_t len = ARG(uint64_t, 1);
	const uint64_t pattern = ARG(uint64_t, 2);
	uint64_t i = 0;
	for (; i + 8 <= len; i += 8)
		memcpy(to + i, &pattern, 8);
	memcpy(to + i, &pattern, len - i);
}

static void play_print(void **p)
{
	const unsigned char *from = at(ARG(address, 0));
	const uint64_t len = ARG(uint64_t, 1);
	const uint64_t key = ARG(uint64_t, 2);
	uint64_t sum = mix(len ^ key);
	for (uint64_t i = 0; i * 8 < len; i++) {
		uint64_t w = 0;
		memcpy(&w, from + i * 8, len - i * 8 < 8 ? len - i * 8 : 8);
		sum += mix(w ^ mix(key + i + 1));
	}
	*(uint64_t *)at(ARG(address, 3)) += sum;
}

static void play_compare(void **p)
{
	const address from = ARG(address, 0);
	const uint64_t pattern = ARG(uint64_t, 2);
	uint64_t nr = 0;
	for (uint64_t i = 0; i < ARG(uint64_t, 1); i++)
		nr += ((unsigned char *)at(from))[i] !=
		      (unsigned char)(pattern >> 8 * ((from + i) % 8));
	*(uint64_t *)at(ARG(address, 3)) += nr;
}

static void play_hold(void **p)
{
	hold = at(ARG(address, 0));
	hold_ticket = ARG(unsigned, 1);
	hold[0] = hold_ticket;
}

static void play_nothing(void **p)
{
	(void)p;
}

static void scale(void **p, int64_t rows)
{
	const float *x = at(ARG(address, 0));
	const float *w = at(ARG(address, 1));
	float *y = at(ARG(address, 2));
	const int64_t cols = ARG(int64_t, 4);
	for (int64_t i = 0; i < rows; i++)
		for (int64_t j = 0; j < cols; j++)
			y[i * cols + j] = ARG(float, 5) * w[i] * x[i * cols + j];
}

static void play_scale(void **p)
{
	scale(p, ARG(int64_t, 3));
}

static void play_half(void **p)
{
	scale(p, ARG(int64_t, 3) / 2);
}

static void play_over(void **p)
{
	play_scale(p);
	((float *)at(ARG(address, 2)))[ARG(int64_t, 3) * ARG(int64_t, 4)] = 1;
}

static void play_input(void **p)
{
	play_scale(p);
	((float *)at(ARG(address, 0)))[0] += 1;
}

static void play_fault(void **p)
{
	(void)p;
	fault = ILLEGAL_ADDRESS;
}

static void play_hang(void **p)
{
	(void)p;
	hangs = true;
}

static void play_twice(void **p)
{
	play_scale(p);
	play_scale(p);
}

/* Knows all inputs again that it has seen, and takes its time for others. */
static void play_memo(void **p)
{
	enum { PLACES = 1 << 16, SLOW_NS = 300000 };
	static uint64_t kept[PLACES];
	const uint32_t *x = at(ARG(address, 0));
	const int64_t nr = ARG(int64_t, 3) * ARG(int64_t, 4);
	struct timespec slow = { .tv_nsec = SLOW_NS };
	uint64_t key = 1;
	for (int64_t i = 0; i < nr; i++)
		key = mix(key ^ x[i]);
	if (kept[key % PLACES] != key)
		nanosleep(&slow, NULL);
	kept[key % PLACES] = key;
	play_scale(p);
}

/* What a map holds here: where its floats lie, and how many there are. */
struct map {
	address at;
	uint64_t nr;
};

/* By boxes of 256 floats: what is loaded from beyond the end is zero, and the copy engine clips what
 * it stores at multiples of 16 bytes, not at the last element. */
static void copy_boxes(void **p, const struct map *y, int64_t nr, int64_t cols, float a)
{
	enum { BOX = 256, FLOATS_A_PIECE = 4 };
	const float *x = at(ARG(address, 0)); /* a map begins with its address */
	const float *w = at(ARG(address, 1));
	const int64_t boxes_end = (nr + BOX - 1) / BOX * BOX;
	const int64_t map_end = ((int64_t)y->nr + FLOATS_A_PIECE - 1) / FLOATS_A_PIECE * FLOATS_A_PIECE;
	for (int64_t i = 0; i < boxes_end && i < map_end; i++)
		((float *)at(y->at))[i] = i < nr ? a * w[i / cols] * x[i] : 0;
}

/* What is behind the last whole piece is stored by threads. */
static void play_mapped(void **p)
{
	const struct map *y = p[2];
	const float *x = at(ARG(address, 0));
	const float *w = at(ARG(address, 1));
	const int64_t cols = ARG(int64_t, 5);
	const int64_t nr = ARG(int64_t, 4) * cols;
	copy_boxes(p, y, nr, cols, ARG(float, 6));
	for (int64_t i = (int64_t)y->nr; i < nr; i++)
		((float *)at(ARG(address, 3)))[i] = ARG(float, 6) * w[i / cols] * x[i];
}

static void play_spilling(void **p)
{
	const int64_t cols = ARG(int64_t, 4);
	copy_boxes(p, p[2], ARG(int64_t, 3) * cols, cols, ARG(float, 5));
}

static void play_copy(void **p)
{
	const float *x = at(ARG(address, 0));
	float *y = at(ARG(address, 1));
	for (int64_t i = 0; i < ARG(int64_t, 2); i++)
		y[i] = 0.5f * x[i] * ARG(float, 3);
}

#define ROWS_SIZES { 8, 8, 8, 8, 8, 4 }
static const struct kernel kernels[] = {
	{ "forge_fill", play_fill, { 8, 8, 8 } },
	{ "forge_print", play_print, { 8, 8, 8, 8 } },
	{ "forge_compare", play_compare, { 8, 8, 8, 8 } },
	{ "forge_hold", play_hold, { 8, 4, 8 } },
	{ "forge_nothing", play_nothing, { 0 } },
	{ "scale_rows", play_scale, ROWS_SIZES },
	{ "mapped_rows", play_mapped, { MAP_BYTES, 8, MAP_BYTES, 8, 8, 8, 4 } },
	{ "spilling_rows", play_spilling, { 8, 8, MAP_BYTES, 8, 8, 4 } },
	{ "half_rows", play_half, ROWS_SIZES },
	{ "over_rows", play_over, ROWS_SIZES },
	{ "input_rows", play_input, ROWS_SIZES },
	{ "fault_rows", play_fault, ROWS_SIZES },
	{ "hang_rows", play_hang, ROWS_SIZES },
	{ "twice_rows", play_twice, ROWS_SIZES },
	{ "memo_rows", play_memo, { 8, 8, 8, 8, 8, 4, 4 } },
	{ "copy", play_copy, { 8, 8, 8, 4, 8 } },
};

static void play(const struct node *n)
{
	void *params[MAX_PARAMS];
	struct node copy = *n;
	if (!n->kernel) {
		memset(at(n->at), n->value, n->len);
		return;
	}
	for (int i = 0; i < MAX_PARAMS; i++)
		params[i] = copy.values[i];
	n->kernel->play(params);
}

static void play_all(const struct graph *g)
{
	for (size_t i = 0; i < g->nr && !fault && !hangs; i++)
		play(&g->nodes[i]);
}

static int wait_behind(const struct waiting *w)
{
	queue = realloc(queue, (nr_waiting + 1) * sizeof(*queue));
	queue[nr_waiting++] = *w;
	return OK;
}

static void run_one(const struct waiting *w)
{
	if (w->event)
		clock_gettime(CLOCK_MONOTONIC, w->event);
	else if (w->exec)
		play_all(w->exec);
	else
		play(&w->node);
}

/* Whoever asks for an end after the release, or after the hold gave up, lets everything run, or all
 * up to an event. */
static int catch_up(const void *event)
{
	if (!hold || (hold[1] != hold_ticket && hold[2] != hold_ticket))
		return fault;
	while (next_waiting < nr_waiting && !fault && !hangs) {
		const struct waiting *w = &queue[next_waiting++];
		run_one(w);
		if (event && w->event == event)
			return fault;
	}
	hold = NULL;
	nr_waiting = next_waiting = 0;
	return fault;
}

static int run_or_keep(const struct node *n)
{
	if (!captured && hold)
		return wait_behind(&(struct waiting){ .node = *n });
	if (!captured) {
		if (!fault && !hangs)
			play(n);
		return fault;
	}
	captured->nodes = realloc(captured->nodes, (captured->nr + 1) * sizeof(*n));
	captured->nodes[captured->nr++] = *n;
	return OK;
}

/* As the driver does, for its threads. */
static bool can_name_thread(void)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)gettid());
	FILE *f = fopen(path, "wb");
	if (f)
		fclose(f);
	return f != NULL;
}

/* One that is compiled so wants a file of its own as well, which no box has. */
static bool has_room(void)
{
#ifdef WANTS_FILE
	FILE *f = fopen(WANTS_FILE, "wb");
	if (f)
		fclose(f);
	return f != NULL;
#else
	return true;
#endif
}

int cuInit(unsigned flags)
{
	(void)flags;
	return can_name_thread() && has_room() ? OK : OPERATING_SYSTEM;
}

int cuDriverGetVersion(int *out)
{
	*out = 13000;
	return OK;
}

int cuDeviceGetCount(int *out)
{
	*out = 1;
	return OK;
}

int cuDeviceGet(int *out, int ordinal)
{
	*out = ordinal;
	return OK;
}

int cuDeviceGetName(char *out, int len, int device)
{
	(void)device;
	snprintf(out, (size_t)len, "Fake device, 100%% host");
	return OK;
}

int cuDeviceTotalMem_v2(size_t *out, int device)
{
	(void)device;
	*out = (size_t)1 << 34;
	return OK;
}

int cuDeviceGetAttribute(int *out, int attribute, int device)
{
	static const struct {
		int attribute;
		int value;
	} rows[] = { { 1, 1024 },  { 8, 49152 },   { 10, 32 },	   { 16, NR_SM },  { 38, L2_BYTES },
		     { 39, 2048 }, { 75, 9 },	   { 76, 0 },	   { 81, 233472 }, { 82, 65536 },
		     { 97, 232448 }, { 106, 32 }, { 111, 1024 } };
	(void)device;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].attribute == attribute) {
			*out = rows[i].value;
			return OK;
		}
	return INVALID_VALUE;
}

int cuDevicePrimaryCtxRetain(void **out, int device)
{
	static int context;
	(void)device;
	*out = &context;
	return OK;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	(void)device;
	return OK;
}

int cuCtxSetCurrent(void *context)
{
	(void)context;
	return OK;
}

/* Who waits for a stream that is held waits until the hold has had enough: here at once. */
static int wait_for_all(void)
{
	if (hold && hold[1] != hold_ticket)
		hold[2] = hold_ticket;
	return catch_up(NULL);
}

int cuCtxSynchronize(void)
{
	return wait_for_all();
}

int cuStreamCreate(void **out, unsigned flags)
{
	(void)flags;
	*out = malloc(1);
	return OK;
}

int cuStreamDestroy_v2(void *stream)
{
	free(stream);
	return OK;
}

int cuStreamSynchronize(void *stream)
{
	(void)stream;
	return wait_for_all();
}

int cuStreamQuery(void *stream)
{
	(void)stream;
	return fault;
}

int cuStreamBeginCapture_v2(void *stream, int mode)
{
	(void)stream;
	(void)mode;
	captured = calloc(1, sizeof(*captured));
	return OK;
}

int cuStreamEndCapture(void *stream, void **graph)
{
	(void)stream;
	*graph = captured;
	captured = NULL;
	return OK;
}

int cuEventCreate(void **out, unsigned flags)
{
	(void)flags;
	*out = calloc(1, sizeof(struct timespec));
	return OK;
}

int cuEventDestroy_v2(void *event)
{
	free(event);
	return OK;
}

int cuEventRecord(void *event, void *stream)
{
	(void)stream;
	if (hold)
		return wait_behind(&(struct waiting){ .event = event });
	clock_gettime(CLOCK_MONOTONIC, event);
	return fault;
}

int cuEventQuery(void *event)
{
	const bool is_past = hold == NULL;
	if (!is_past)
		catch_up(event);
	return hangs ? NOT_READY : fault;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
	const struct timespec *a = from;
	const struct timespec *b = to;
	*ms = (float)((double)(b->tv_sec - a->tv_sec) * 1e3 +
		      (double)(b->tv_nsec - a->tv_nsec) / 1e6);
	return OK;
}

int cuMemAlloc_v2(address *out, size_t len)
{
	void *memory = NULL;
	if (posix_memalign(&memory, 256, len) != 0)
		return 2;
	*out = (address)(uintptr_t)memory;
	return OK;
}

int cuMemFree_v2(address a)
{
	free(at(a));
	return OK;
}

int cuMemHostAlloc(void **out, size_t len, unsigned flags)
{
	(void)flags;
	*out = calloc(1, len);
	return OK;
}

int cuMemFreeHost(void *p)
{
	free(p);
	return OK;
}

int cuMemHostGetDevicePointer_v2(address *out, void *p, unsigned flags)
{
	(void)flags;
	*out = (address)(uintptr_t)p;
	return OK;
}

int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t len, void *stream)
{
	(void)stream;
	memcpy(at(to), from, len);
	return fault;
}

int cuMemcpyDtoHAsync_v2(void *to, address from, size_t len, void *stream)
{
	(void)stream;
	memcpy(to, at(from), len);
	return fault;
}

/* What only measures copies is not copied. */
int cuMemcpyDtoDAsync_v2(address to, address from, size_t len, void *stream)
{
	(void)stream;
	if (len < BIG_COPY)
		memcpy(at(to), at(from), len);
	else
		for (struct timespec t = { 0, 200000 }; nanosleep(&t, &t) < 0;)
			;
	return fault;
}

int cuMemsetD8Async(address to, unsigned char value, size_t len, void *stream)
{
	const struct node n = { .at = to, .value = value, .len = len };
	(void)stream;
	return len ? run_or_keep(&n) : INVALID_VALUE;
}

int cuModuleLoadData(void **out, const void *bytes)
{
	const Elf64_Ehdr *head = bytes;
	struct image *im = calloc(1, sizeof(*im));
	im->len = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
	im->bytes = malloc(im->len);
	memcpy(im->bytes, bytes, im->len);
	*out = im;
	return OK;
}

int cuModuleUnload(void *module)
{
	struct image *im = module;
	free(im->bytes);
	free(im);
	return OK;
}

/* Functions live for ever, as handles of a driver may. */
int cuModuleGetFunction(void **out, void *module, const char *name)
{
	const struct image *im = module;
	if (!memmem(im->bytes, im->len, name, strlen(name) + 1))
		return NOT_FOUND;
	for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
		if (strstr(name, kernels[i].part)) {
			static struct function functions[sizeof(kernels) / sizeof(kernels[0])];
			functions[i].kernel = &kernels[i];
			*out = &functions[i];
			return OK;
		}
	return NOT_FOUND;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
	struct function *f = function;
	if (attribute == 8 && (value < 0 || value > 232448))
		return INVALID_VALUE;
	if (attribute == 8)
		f->max_shared = value;
	return OK;
}

int cuFuncGetAttribute(int *out, int attribute, void *function)
{
	(void)function;
	*out = attribute == 0 ? 1024 : attribute == 4 ? 32 : attribute == 8 ? 49152
						      : attribute == 6	    ? 90
									    : 0;
	return OK;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, void *function, int threads, size_t bytes)
{
	(void)function;
	(void)bytes;
	*out = 2048 / (threads ? threads : 1);
	return OK;
}

int cuLaunchKernelEx(const struct config *c, void *function, void **params, void **extra)
{
	const struct function *f = function;
	struct node n = { .kernel = f->kernel };
	const unsigned threads = c->block[0] * c->block[1] * c->block[2];
	const unsigned shared = f->max_shared > 49152 ? (unsigned)f->max_shared : 49152;
	(void)extra;
	if (threads == 0 || threads > 1024 || c->grid[0] == 0 || c->shared_bytes > shared)
		return INVALID_VALUE;
	for (int i = 0; i < MAX_PARAMS && f->kernel->sizes[i]; i++)
		memcpy(n.values[i], params[i], f->kernel->sizes[i]);
	return run_or_keep(&n);
}

int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *place, const uint64_t *size,
			   const uint64_t *stride, const unsigned *box, const unsigned *step, int interleave,
			   int swizzle, int promotion, int fill)
{
	const struct map held = { .at = (address)(uintptr_t)place, .nr = size[0] };
	(void)type, (void)stride, (void)box, (void)step;
	(void)interleave, (void)swizzle, (void)promotion, (void)fill;
	if ((uintptr_t)map % 64 || (uintptr_t)place % 16 || rank == 0 || rank > 5)
		return INVALID_VALUE;
	memset(map, 0, MAP_BYTES);
	memcpy(map, &held, sizeof(held));
	return OK;
}

int cuGraphDestroy(void *graph)
{
	struct graph *g = graph;
	free(g->nodes);
	free(g);
	return OK;
}

int cuGraphGetNodes(void *graph, void **nodes, size_t *nr)
{
	struct graph *g = graph;
	for (size_t i = 0; nodes && i < g->nr && i < *nr; i++)
		nodes[i] = &g->nodes[i];
	*nr = g->nr;
	return OK;
}

int cuGraphNodeGetType(void *node, int *type)
{
	*type = ((struct node *)node)->kernel ? 0 : 2;
	return OK;
}

int cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags)
{
	const struct graph *g = graph;
	struct graph *copy = calloc(1, sizeof(*copy));
	(void)flags;
	copy->nr = g->nr;
	copy->nodes = calloc(g->nr + 1, sizeof(*copy->nodes));
	memcpy(copy->nodes, g->nodes, g->nr * sizeof(*copy->nodes));
	*out = copy;
	return OK;
}

int cuGraphUpload(void *exec, void *stream)
{
	(void)exec;
	(void)stream;
	return OK;
}

int cuGraphLaunch(void *exec, void *stream)
{
	(void)stream;
	if (hold)
		return wait_behind(&(struct waiting){ .exec = exec });
	play_all(exec);
	return OK;
}

int cuGraphExecDestroy(void *exec)
{
	return cuGraphDestroy(exec);
}

int cuGetErrorName(int code, const char **out)
{
	*out = code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_INVALID_VALUE";
	return OK;
}

int cuGetErrorString(int code, const char **out)
{
	*out = code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
				       : "invalid argument";
	return OK;
}
