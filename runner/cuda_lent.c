#include "runner/cuda_lent.h"

/* Prototypes are those of the runtime's stable interface, written down here: no header of a toolkit
 * is needed to build a recorder. dim3 is a plain struct of three numbers in the calling convention.
 * The first refusal is what a verdict quotes: a host function that ignores return codes would
 * otherwise show nothing but a launch less. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	MAX_KERNELS = 1024,
	ATTRIBUTE_MAX_DYNAMIC_SHARED = 8,
	ATTRIBUTE_CARVEOUT = 9,
	ATTRIBUTE_NON_PORTABLE_CLUSTER = 14,
	LAUNCH_ATTRIBUTE_IGNORE = 0,
	LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
	LAUNCH_ATTRIBUTE_CLUSTER = 4,
	MAX_CLUSTER_BLOCKS = 16,
};

struct dim3 {
	unsigned x;
	unsigned y;
	unsigned z;
};

struct launch_attribute {
	unsigned id;
	unsigned pad;
	unsigned char value[64];
};

struct launch_config {
	struct dim3 grid;
	struct dim3 block;
	size_t shared_bytes;
	void *stream;
	const struct launch_attribute *attributes;
	unsigned nr_attributes;
};

struct call_configuration {
	struct dim3 grid;
	struct dim3 block;
	size_t shared_bytes;
	void *stream;
};

static const struct gpu_recorder_orders *orders;
static struct gpu_recording *out;
static struct cuda_lent_kernel kernels[MAX_KERNELS];
static unsigned nr_kernels;
static struct call_configuration pushed;
static uint64_t nr_tensors;
static int last_error;

void cuda_lent_open(const struct gpu_recorder_orders *o, struct gpu_recording *recording)
{
	orders = o;
	out = recording;
	out->version = GPU_RECORDER_VERSION;
	cuda_lent_begin();
}

void cuda_lent_begin(void)
{
	out->is_refused = 0;
	memset(out->refused, 0, sizeof(out->refused));
	out->launches = (struct gpu_launches){ .magic = { orders->magic[0], orders->magic[1] } };
	nr_tensors = 0;
	last_error = CUDA_LENT_OK;
	for (unsigned i = 0; i < nr_kernels; i++) {
		kernels[i].max_shared_bytes = 0;
		kernels[i].carveout = GPU_LAUNCH_NO_CARVEOUT;
		kernels[i].non_portable_cluster = 0;
	}
}

int cuda_lent_answer(int code)
{
	if (code != CUDA_LENT_OK)
		last_error = code;
	return code;
}

int cuda_lent_refuse(int code, const char *fmt, ...)
{
	va_list ap;
	if (!out->is_refused) {
		va_start(ap, fmt);
		vsnprintf(out->refused, sizeof(out->refused), fmt, ap);
		va_end(ap);
		out->is_refused = 1;
	}
	return cuda_lent_answer(code);
}

static const char *text_at(uint32_t at)
{
	return (const char *)orders + at;
}

static const struct gpu_function *function_named(const char *name)
{
	const struct gpu_function *f = (const void *)text_at(orders->functions_at);
	for (uint32_t i = 0; i < orders->nr_functions; i++)
		if (strcmp(text_at(f[i].name_at), name) == 0)
			return &f[i];
	return NULL;
}

struct cuda_lent_kernel *cuda_lent_find(const void *stub)
{
	for (unsigned i = 0; i < nr_kernels; i++)
		if (kernels[i].stub == stub)
			return &kernels[i];
	return NULL;
}

int cuda_lent_attribute(unsigned number)
{
	int32_t value = number < GPU_RECORDER_NR_ATTRIBUTES ? orders->attributes[number]
							    : GPU_RECORDER_UNKNOWN;
	return value == GPU_RECORDER_UNKNOWN ? 0 : value;
}

/* Registration: nvcc's code, when the object is loaded. */

LENT(void **, __cudaRegisterFatBinary, (const void *container))
{
	static void *handle;
	(void)container;
	return &handle;
}

LENT(void, __cudaRegisterFatBinaryEnd, (void **handle))
{
	(void)handle;
}

LENT(void, __cudaUnregisterFatBinary, (void **handle))
{
	(void)handle;
}

LENT(void, __cudaRegisterFunction,
     (void **handle, const char *stub, char *device, const char *name, int threads, ...))
{
	(void)handle;
	(void)device;
	(void)threads;
	if (nr_kernels == MAX_KERNELS) {
		cuda_lent_refuse(CUDA_LENT_INVALID_FUNCTION, "more than %d kernels", MAX_KERNELS);
		return;
	}
	kernels[nr_kernels++] = (struct cuda_lent_kernel){ .stub = stub,
							   .function = function_named(name),
							   .carveout = GPU_LAUNCH_NO_CARVEOUT };
}

/* Records. */

static size_t padded(size_t bytes)
{
	return (bytes + 7) / 8 * 8;
}

/* Room for a record of so many bytes behind the others, zeroed; NULL: the recording is full. */
static struct gpu_launch *record_new(size_t bytes)
{
	const size_t room = GPU_RECORDER_BYTES - sizeof(*out);
	if (bytes > room || out->launches.bytes > room - bytes) {
		cuda_lent_refuse(CUDA_LENT_INVALID_VALUE, "more launches than fit into %d bytes",
				 GPU_RECORDER_BYTES);
		return NULL;
	}
	struct gpu_launch *l = (void *)((unsigned char *)(out + 1) + out->launches.bytes);
	memset(l, 0, bytes);
	l->bytes = (uint32_t)bytes;
	l->carveout = GPU_LAUNCH_NO_CARVEOUT;
	out->launches.bytes += (uint32_t)bytes;
	out->launches.nr++;
	return l;
}

static const struct gpu_param *params_of(const struct gpu_function *f)
{
	return (const void *)text_at(f->params_at);
}

static uint32_t param_bytes_of(const struct gpu_function *f)
{
	uint32_t end = 0;
	for (uint32_t i = 0; i < f->nr_params; i++) {
		const struct gpu_param *p = &params_of(f)[i];
		end = p->offset + p->bytes > end ? p->offset + p->bytes : end;
	}
	return end;
}

static void put_params(unsigned char *to, const struct gpu_function *f, void *const *args)
{
	unsigned char *values = to + f->nr_params * sizeof(struct gpu_param);
	memcpy(to, params_of(f), f->nr_params * sizeof(struct gpu_param));
	for (uint32_t i = 0; i < f->nr_params; i++)
		memcpy(values + params_of(f)[i].offset, args[i], params_of(f)[i].bytes);
}

static struct gpu_launch *kernel_record(const struct cuda_lent_kernel *k, void *const *args)
{
	const struct gpu_function *f = k->function;
	const char *name = text_at(f->name_at);
	const size_t name_bytes = strlen(name) + 1;
	const size_t param_bytes = param_bytes_of(f);
	const size_t table_bytes = f->nr_params * sizeof(struct gpu_param);
	struct gpu_launch *l =
		record_new(sizeof(*l) + padded(name_bytes) + table_bytes + padded(param_bytes));
	if (!l)
		return NULL;
	l->kind = GPU_LAUNCH_KERNEL;
	l->name_bytes = (uint32_t)name_bytes;
	l->nr_params = f->nr_params;
	l->param_bytes = (uint32_t)param_bytes;
	l->max_shared_bytes = k->max_shared_bytes;
	l->carveout = k->carveout;
	l->non_portable_cluster = k->non_portable_cluster;
	memcpy(l + 1, name, name_bytes);
	put_params((unsigned char *)(l + 1) + padded(name_bytes), f, args);
	return l;
}

static void set_sizes(uint32_t to[3], const struct dim3 *from)
{
	to[0] = from->x;
	to[1] = from->y;
	to[2] = from->z;
}

static int put_cluster(struct gpu_launch *l, const struct launch_attribute *a)
{
	memcpy(l->cluster, a->value, sizeof(l->cluster));
	const uint64_t blocks = (uint64_t)l->cluster[0] * l->cluster[1] * l->cluster[2];
	if (blocks == 0 || blocks > MAX_CLUSTER_BLOCKS)
		return cuda_lent_refuse(CUDA_LENT_INVALID_CONFIGURATION, "a cluster of %llu blocks",
					(unsigned long long)blocks);
	return CUDA_LENT_OK;
}

static int put_attribute(struct gpu_launch *l, const struct launch_attribute *a)
{
	int is_on = 0;
	memcpy(&is_on, a->value, sizeof(is_on));
	switch (a->id) {
	case LAUNCH_ATTRIBUTE_IGNORE:
		return CUDA_LENT_OK;
	case LAUNCH_ATTRIBUTE_COOPERATIVE:
		l->flags |= is_on ? GPU_LAUNCH_COOPERATIVE : 0;
		return CUDA_LENT_OK;
	case LAUNCH_ATTRIBUTE_CLUSTER:
		return put_cluster(l, a);
	default:
		return cuda_lent_refuse(CUDA_LENT_NOT_SUPPORTED,
					"launch attribute %u: only cluster dimensions and "
					"cooperative launches are recorded",
					a->id);
	}
}

/* What the runtime would refuse by itself, too. */
static int check_sizes(const struct launch_config *c)
{
	const uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
	const uint64_t blocks = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
	if (threads && blocks && threads <= 1024 && c->grid.x <= 0x7fffffffU &&
	    c->grid.y <= 65535 && c->grid.z <= 65535)
		return CUDA_LENT_OK;
	return cuda_lent_refuse(CUDA_LENT_INVALID_CONFIGURATION,
				"a grid of %ux%ux%u blocks of %ux%ux%u threads", c->grid.x,
				c->grid.y, c->grid.z, c->block.x, c->block.y, c->block.z);
}

static int check_stream(const void *stream)
{
	if ((uint64_t)(uintptr_t)stream == orders->stream)
		return CUDA_LENT_OK;
	return cuda_lent_refuse(CUDA_LENT_INVALID_HANDLE,
				"a launch on another stream than the one given");
}

LENT(int, cudaLaunchKernelExC, (const struct launch_config *c, const void *stub, void **args))
{
	const struct cuda_lent_kernel *k = cuda_lent_find(stub);
	if (!k || !k->function)
		return cuda_lent_refuse(CUDA_LENT_INVALID_FUNCTION,
					"a launch of something that is no kernel of the source");
	if (check_stream(c->stream) || check_sizes(c))
		return last_error;
	struct gpu_launch *l = kernel_record(k, args);
	if (!l)
		return last_error;
	set_sizes(l->grid, &c->grid);
	set_sizes(l->block, &c->block);
	l->shared_bytes = (uint32_t)c->shared_bytes;
	if (c->shared_bytes > UINT32_MAX)
		return cuda_lent_refuse(CUDA_LENT_INVALID_VALUE, "%zu bytes of shared memory",
					c->shared_bytes);
	for (unsigned i = 0; i < c->nr_attributes; i++)
		if (put_attribute(l, &c->attributes[i]))
			return last_error;
	return CUDA_LENT_OK;
}

LENT(int, cudaLaunchKernel,
     (const void *stub, struct dim3 grid, struct dim3 block, void **args, size_t shared_bytes,
      void *stream))
{
	const struct launch_config c = {
		.grid = grid, .block = block, .shared_bytes = shared_bytes, .stream = stream
	};
	return cudaLaunchKernelExC(&c, stub, args);
}

LENT(unsigned, __cudaPushCallConfiguration,
     (struct dim3 grid, struct dim3 block, size_t shared_bytes, void *stream))
{
	pushed = (struct call_configuration){ grid, block, shared_bytes, stream };
	return 0;
}

LENT(int, __cudaPopCallConfiguration,
     (struct dim3 * grid, struct dim3 *block, size_t *shared_bytes, void *stream))
{
	*grid = pushed.grid;
	*block = pushed.block;
	*shared_bytes = pushed.shared_bytes;
	memcpy(stream, &pushed.stream, sizeof(pushed.stream));
	return CUDA_LENT_OK;
}

LENT(int, cudaMemsetAsync, (void *at, int value, size_t count, void *stream))
{
	if (check_stream(stream))
		return last_error;
	if (count == 0)
		return CUDA_LENT_OK;
	struct gpu_launch *l = record_new(sizeof(*l));
	if (!l)
		return last_error;
	l->kind = GPU_LAUNCH_MEMSET;
	l->at = (uint64_t)(uintptr_t)at;
	l->value = (unsigned char)value;
	l->width = count;
	return CUDA_LENT_OK;
}

LENT(int, cudaFuncSetAttribute, (const void *stub, int attribute, int value))
{
	struct cuda_lent_kernel *k = cuda_lent_find(stub);
	if (!k || !k->function)
		return cuda_lent_refuse(CUDA_LENT_INVALID_FUNCTION,
					"an attribute of something that is no kernel");
	if (attribute == ATTRIBUTE_MAX_DYNAMIC_SHARED && value >= 0)
		k->max_shared_bytes = (uint32_t)value;
	else if (attribute == ATTRIBUTE_CARVEOUT && value >= -1 && value <= 100)
		k->carveout = value;
	else if (attribute == ATTRIBUTE_NON_PORTABLE_CLUSTER)
		k->non_portable_cluster = value != 0;
	else
		return cuda_lent_refuse(CUDA_LENT_NOT_SUPPORTED, "function attribute %d = %d",
					attribute, value);
	return CUDA_LENT_OK;
}

LENT(int, cudaGetLastError, (void))
{
	int code = last_error;
	last_error = CUDA_LENT_OK;
	return code;
}

LENT(int, cudaPeekAtLastError, (void))
{
	return last_error;
}

/* A tensor map is encoded when the launches are played, with the addresses that hold then. */

static void put_axis(struct gpu_tensor *t, uint32_t i, const uint64_t *size, const uint64_t *stride)
{
	t->size[i] = size[i];
	t->stride[i] = i ? stride[i - 1] : 0;
}

static struct gpu_tensor *tensor_record(void)
{
	struct gpu_launch *l = record_new(sizeof(*l) + padded(sizeof(struct gpu_tensor)));
	if (!l)
		return NULL;
	l->kind = GPU_LAUNCH_TENSOR;
	l->param_bytes = sizeof(struct gpu_tensor);
	return (void *)(l + 1);
}

LENT(int, cuTensorMapEncodeTiled,
     (struct gpu_tensor_mark * map, int type, uint32_t rank, void *at, const uint64_t *size,
      const uint64_t *stride, const uint32_t *box, const uint32_t *step, int interleave,
      int swizzle, int promotion, int fill))
{
	if (rank == 0 || rank > GPU_TENSOR_MAX_RANK)
		return cuda_lent_refuse(CUDA_LENT_INVALID_VALUE, "a tensor map of %u axes", rank);
	struct gpu_tensor *t = tensor_record();
	if (!t)
		return last_error;
	*t = (struct gpu_tensor){ .at = (uint64_t)(uintptr_t)at,
				  .type = (uint32_t)type,
				  .rank = rank,
				  .interleave = (uint32_t)interleave,
				  .swizzle = (uint32_t)swizzle,
				  .promotion = (uint32_t)promotion,
				  .fill = (uint32_t)fill };
	for (uint32_t i = 0; i < rank; i++) {
		put_axis(t, i, size, stride);
		t->box[i] = box[i];
		t->step[i] = step[i];
	}
	*map = (struct gpu_tensor_mark){ .magic = { orders->magic[0], orders->magic[1] },
					 .index = nr_tensors++ };
	return CUDA_LENT_OK;
}

LENT(int, cuTensorMapEncodeIm2col, (struct gpu_tensor_mark * map, ...))
{
	(void)map;
	return cuda_lent_refuse(CUDA_LENT_NOT_SUPPORTED, "a tensor map that is not of tiles");
}
