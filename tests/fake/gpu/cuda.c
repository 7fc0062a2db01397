/* A driver of NVIDIA that serves one device, as libcuda.so.1 (tests/fake/gpu/make). A file `device` beside the
 * folder it lies in says which, "NAME, DRIVER, CAPABILITY"; an empty one: there is none. */
#include "device.h"

#include <stddef.h>

int cuInit(unsigned flags)
{
	return flags ? 1 : 0;
}

int cuDriverGetVersion(int *out)
{
	*out = 13000;
	return 0;
}

int cuDeviceGetCount(int *out)
{
	*out = device_read().is_there;
	return 0;
}

int cuDeviceGet(int *out, int ordinal)
{
	*out = 0;
	return ordinal != 0;
}

int cuDeviceGetName(char *out, int len, int device)
{
	snprintf(out, (size_t)len, "%s", device_read().name);
	return device != 0;
}

int cuDeviceTotalMem_v2(size_t *out, int device)
{
	*out = (size_t)140 << 30;
	return device != 0;
}

int cuDeviceGetPCIBusId(char *out, int len, int device)
{
	snprintf(out, (size_t)len, "0000:41:00.0");
	return device != 0;
}

int cuDeviceGetAttribute(int *out, int attribute, int device)
{
	const struct device d = device_read();
	*out = attribute == 75 ? d.major : attribute == 76 ? d.minor : attribute == 16 ? 132 : attribute == 38 ? 60 << 20 : 0;
	return device != 0;
}
