// expect: no_entry kernel
// Nothing for the device.
#include <forge/kernel.h>

extern "C" void kernel(const float *x, float *y, int64_t n, float s, cudaStream_t stream)
{
	(void)x;
	(void)y;
	(void)n;
	(void)s;
	(void)stream;
}
