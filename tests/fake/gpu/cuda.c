/* A driver of NVIDIA that serves one device, as libcuda.so.1 (tests/fake/gpu/make). */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

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
	*out = 1;
	return 0;
}

int cuDeviceGet(int *out, int ordinal)
{
	*out = 0;
	return ordinal != 0;
}

int cuDeviceGetName(char *out, int len, int device)
{
	snprintf(out, (size_t)len, "Fake 90");
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
	*out = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 132 : attribute == 38 ? 60 << 20 : 0;
	return device != 0;
}
