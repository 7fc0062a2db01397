/* NVIDIA's management library, as libnvidia-ml.so.1: a device at 0000:41:00.0 whose clock the power
 * limit holds back. FAKE_NVML=old: one that does not know why clocks are low; FAKE_NVML=none: no
 * device of that place. */
#include "device.h"

static int is(const char *mode)
{
	const char *set = getenv("FAKE_NVML");
	return set && strcmp(set, mode) == 0;
}

int nvmlInit_v2(void)
{
	return 0;
}

int nvmlSystemGetDriverVersion(char *out, unsigned len)
{
	snprintf(out, len, "%s", device_read().driver);
	return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
	static int one;
	*device = &one;
	return is("none") || strcmp(bus, "0000:41:00.0") != 0 ? 6 : 0;
}

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *out)
{
	*out = kind == 1 ? 1755 : 3201;
	return !device;
}

int nvmlDeviceGetMaxClockInfo(void *device, int kind, unsigned *out)
{
	*out = kind == 1 ? 1980 : 3201;
	return !device;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *out)
{
	*out = 61;
	return !device || sensor;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *out)
{
	*out = 699000;
	return !device;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *out)
{
	*out = 700000;
	return !device;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *out)
{
	*out = 0x4 | 0x1;
	return !device || is("old") ? 3 : 0;
}
