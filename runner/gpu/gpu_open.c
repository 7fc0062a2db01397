#include "runner/gpu/gpu_state.h"

/* Kernels are loaded when their image is: a driver that puts that off until the first launch would
 * do it while the stream is held, and wait for ever. */

#include <stdlib.h>
#include <time.h>

enum {
	COPY_BYTES = 1 << 30,
	COPY_TIMES = 8,
	NAME_BYTES = 128,
	NVML_CLOCK_SM = 1,
	NVML_CLOCK_MEMORY = 2
};

static int find_device(struct forge_gpu *g, uint64_t ordinal)
{
	int nr = 0;
	if (gpu_check(g, g->cuda.init(0), "cuInit") < 0 ||
	    gpu_check(g, g->cuda.device_count(&nr), "cuDeviceGetCount") < 0)
		return -1;
	if (ordinal >= (uint64_t)nr)
		return gpu_fail(g, GPU_SYSTEM, "device %llu: the driver sees %d",
				(unsigned long long)ordinal, nr);
	return gpu_check(g, g->cuda.device_get(&g->device, (int)ordinal), "cuDeviceGet");
}

static int attribute(struct forge_gpu *g, int which)
{
	int value = 0;
	return g->cuda.device_attribute(&value, which, g->device) == CUDA_OK ? value : 0;
}

static int make_streams(struct forge_gpu *g)
{
	if (gpu_check(g, g->cuda.context_retain(&g->context, g->device), "open the context") < 0 ||
	    gpu_check(g, g->cuda.context_use(g->context), "use the context") < 0 ||
	    gpu_check(g, g->cuda.stream_new(&g->stream, CUDA_STREAM_NON_BLOCKING), "stream") < 0 ||
	    gpu_check(g, g->cuda.stream_new(&g->capture, CUDA_STREAM_NON_BLOCKING), "stream") < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		if (gpu_check(g, g->cuda.event_new(&g->events[i], 0), "event") < 0)
			return -1;
	return 0;
}

static int make_buffers(struct forge_gpu *g)
{
	void *flags = NULL;
	void *prints = NULL;
	const size_t print_bytes = GPU_MAX_PRINTS * sizeof(uint64_t);
	g->nr_sm = attribute(g, CUDA_ATTR_NR_SM);
	g->l2_bytes = (uint64_t)attribute(g, CUDA_ATTR_L2_BYTES);
	if (gpu_check(g, g->cuda.host_alloc(&flags, 64, CUDA_HOST_MAPPED), "pinned memory") < 0 ||
	    gpu_check(g, g->cuda.host_address(&g->device_flags, flags, 0), "pinned memory") < 0 ||
	    gpu_check(g, g->cuda.host_alloc(&prints, print_bytes, 0), "pinned memory") < 0 ||
	    gpu_check(g, g->cuda.mem_alloc(&g->prints, print_bytes), "device memory") < 0)
		return -1;
	g->flags = flags;
	g->host_prints = prints;
	if (g->l2_bytes == 0)
		return 0;
	return gpu_check(g, g->cuda.mem_alloc(&g->flush, 2 * g->l2_bytes), "memory to flush by");
}

/* Blanks in a name would be words. */
static void say_name(struct gpu_reply *r, const char *name)
{
	gpu_say(r, " name=");
	for (const char *c = name; *c; c++)
		gpu_say(r, *c > ' ' && *c != '%' ? "%c" : "%%%02X", (unsigned char)*c);
}

static void say_facts(struct forge_gpu *g, struct gpu_reply *r)
{
	char name[NAME_BYTES] = "";
	size_t memory = 0;
	int driver = 0;
	g->cuda.device_name(name, sizeof(name), g->device);
	g->cuda.device_memory(&memory, g->device);
	g->cuda.driver_version(&driver);
	gpu_say(r, " version=%d", FORGE_GPU_VERSION);
	say_name(r, name);
	gpu_say(r, " cc=%d sm=%d l2=%llu memory=%zu driver=%d nvml=%d",
		10 * attribute(g, CUDA_ATTR_MAJOR) + attribute(g, CUDA_ATTR_MINOR), g->nr_sm,
		(unsigned long long)g->l2_bytes, memory, driver, g->nvml.handle ? 1 : 0);
}

static int load_driver(struct forge_gpu *g, struct gpu_request *q)
{
	char why[256] = "";
	char *driver = gpu_path(q, "driver", "libcuda.so.1");
	setenv("CUDA_MODULE_LOADING", "EAGER", 1);
	int rc = driver ? cuda_api_load(&g->cuda, driver, why, sizeof(why)) : -1;
	free(driver);
	return rc < 0 ? gpu_fail(g, GPU_SYSTEM, "%s", why) : 0;
}

/* NVML counts devices that are hidden from us, too, so it is asked for the place on the bus. */
static void load_nvml(struct forge_gpu *g, struct gpu_request *q)
{
	char bus[64] = "";
	char *nvml = gpu_path(q, "nvml", "libnvidia-ml.so.1");
	if (nvml && g->cuda.device_bus &&
	    g->cuda.device_bus(bus, sizeof(bus), g->device) == CUDA_OK)
		nvml_api_load(&g->nvml, nvml, bus);
	free(nvml);
}

static int load_kernels(struct forge_gpu *g, struct gpu_request *q)
{
	char *kernels = gpu_path(q, "kernels", NULL);
	int rc = kernels ? gpu_kernels_load(g, kernels)
			 : gpu_fail(g, GPU_USAGE, "open: wants kernels=");
	free(kernels);
	return rc;
}

int gpu_open(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	uint64_t device = 0;
	if (gpu_number(g, q, "device", &device) < 0)
		return -1;
	if (g->is_open)
		return gpu_fail(g, GPU_USAGE, "open: it is open");
	if (load_driver(g, q) < 0 || find_device(g, device) < 0 || make_streams(g) < 0 ||
	    make_buffers(g) < 0 || load_kernels(g, q) < 0)
		return -1;
	load_nvml(g, q);
	g->is_open = true;
	say_facts(g, r);
	return 0;
}

int gpu_attributes(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	(void)q;
	for (int i = 1; i < CUDA_ATTR_NR; i++) {
		int value = 0;
		if (g->cuda.device_attribute(&value, i, g->device) == CUDA_OK)
			gpu_say(r, " %d=%d", i, value);
	}
	return 0;
}

int gpu_clock(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	unsigned sm = 0;
	unsigned memory = 0;
	unsigned temperature = 0;
	unsigned power = 0;
	unsigned long long throttle = 0;
	(void)q;
	if (g->nvml.handle) {
		g->nvml.clock(g->nvml.device, NVML_CLOCK_SM, &sm);
		g->nvml.clock(g->nvml.device, NVML_CLOCK_MEMORY, &memory);
		g->nvml.temperature(g->nvml.device, 0, &temperature);
		g->nvml.power(g->nvml.device, &power);
		g->nvml.throttle(g->nvml.device, &throttle);
	}
	gpu_say(r, " sm_mhz=%u memory_mhz=%u throttle=%llx temperature=%u power_mw=%u", sm, memory,
		throttle, temperature, power);
	return 0;
}

/* Best of a few copies, read and written bytes counted. */
static int copy_rate(struct forge_gpu *g, cuda_address at, double *bytes_per_s)
{
	for (int i = 0; i < COPY_TIMES; i++) {
		float ms = 0;
		if (gpu_check(g, g->cuda.event_record(g->events[GPU_EVENT_BEGIN], g->stream),
			      "event") < 0 ||
		    gpu_check(g, g->cuda.copy(at + COPY_BYTES / 2, at, COPY_BYTES / 2, g->stream),
			      "copy") < 0 ||
		    gpu_check(g, g->cuda.event_record(g->events[GPU_EVENT_END], g->stream),
			      "event") < 0 ||
		    gpu_check(g, g->cuda.stream_wait(g->stream), "copy") < 0 ||
		    gpu_check(g,
			      g->cuda.event_elapsed(&ms, g->events[GPU_EVENT_BEGIN],
						    g->events[GPU_EVENT_END]),
			      "event") < 0)
			return -1;
		double rate = ms > 0 ? COPY_BYTES / ((double)ms / 1e3) : 0;
		*bytes_per_s = rate > *bytes_per_s ? rate : *bytes_per_s;
	}
	return 0;
}

int gpu_ceilings(struct forge_gpu *g, struct gpu_request *q, struct gpu_reply *r)
{
	cuda_address at = 0;
	double rate = 0;
	(void)q;
	if (gpu_check(g, g->cuda.mem_alloc(&at, COPY_BYTES), "device memory") < 0)
		return -1;
	int rc = copy_rate(g, at, &rate);
	g->cuda.mem_free(at);
	gpu_say(r, " copy_bytes_per_s=%.0f", rate);
	return rc;
}

static void free_device_memory(struct forge_gpu *g)
{
	if (g->prints)
		g->cuda.mem_free(g->prints);
	if (g->flush)
		g->cuda.mem_free(g->flush);
	if (g->host_prints)
		g->cuda.host_free(g->host_prints);
	if (g->flags)
		g->cuda.host_free((void *)(uintptr_t)g->flags);
}

/* A lost context is left to the driver, which cleans up when the process ends. */
void gpu_close(struct forge_gpu *g)
{
	if (g->context && !g->is_lost) {
		gpu_programs_drop(g, -1);
		gpu_operands_release(g);
		gpu_stores_release(g);
		for (int i = 0; i < FORGE_GPU_NR_SLOTS; i++)
			if (g->images[i])
				g->cuda.module_free(g->images[i]);
		free_device_memory(g);
		for (int i = 0; i < 3; i++)
			if (g->events[i])
				g->cuda.event_free(g->events[i]);
		g->cuda.context_release(g->device);
	}
	nvml_api_unload(&g->nvml);
	g->is_open = false;
}
