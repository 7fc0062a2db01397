#include "runner/gpu/cuda_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* C has no cast from the void pointer of dlsym to a function's. */
static int find(void *handle, const char *symbol, void *slot)
{
	void *address = dlsym(handle, symbol);
	memcpy(slot, &address, sizeof(address));
	return address != NULL;
}

int cuda_api_load(struct cuda_api *api, const char *file, char *why, size_t why_len)
{
	*api = (struct cuda_api){ .handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) };
	if (!api->handle) {
		snprintf(why, why_len, "no NVIDIA driver: %s", dlerror());
		return -1;
	}
	const char *missing = NULL;
#define CALL(name, symbol, parameters, must)                                                       \
	if (!find(api->handle, symbol, &api->name) && (must))                                      \
		missing = symbol;
	CUDA_CALLS(CALL)
#undef CALL
	if (!missing)
		return 0;
	snprintf(why, why_len, "the NVIDIA driver is too old: it has no %s", missing);
	cuda_api_unload(api);
	return -1;
}

void cuda_api_unload(struct cuda_api *api)
{
	if (api->handle)
		dlclose(api->handle);
	*api = (struct cuda_api){ 0 };
}

static int find_calls(struct nvml_api *api)
{
	return find(api->handle, "nvmlInit_v2", &api->init) &
	       find(api->handle, "nvmlShutdown", &api->shutdown) &
	       find(api->handle, "nvmlDeviceGetHandleByPciBusId_v2", &api->by_bus) &
	       find(api->handle, "nvmlDeviceGetClockInfo", &api->clock) &
	       find(api->handle, "nvmlDeviceGetCurrentClocksThrottleReasons", &api->throttle) &
	       find(api->handle, "nvmlDeviceGetTemperature", &api->temperature) &
	       find(api->handle, "nvmlDeviceGetPowerUsage", &api->power);
}

int nvml_api_load(struct nvml_api *api, const char *file, const char *bus)
{
	*api = (struct nvml_api){ .handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) };
	if (!api->handle)
		return 0;
	if (find_calls(api) && api->init() == 0) {
		if (api->by_bus(bus, &api->device) == 0)
			return 1;
		api->shutdown();
	}
	dlclose(api->handle);
	*api = (struct nvml_api){ 0 };
	return 0;
}

void nvml_api_unload(struct nvml_api *api)
{
	if (!api->handle)
		return;
	api->shutdown();
	dlclose(api->handle);
	*api = (struct nvml_api){ 0 };
}
