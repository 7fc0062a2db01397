/* dlopen and dlsym.
 * Stopped by the import list. */
#include <stdint.h>

void *dlopen(const char *path, int flags);
void *dlsym(void *handle, const char *name);

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	void (*gemv)(void) = (void (*)(void))(uintptr_t)dlsym(dlopen("libopenblas.so.0", 2), "cblas_sgemv");
	gemv();
	(void)x, (void)b, (void)y, (void)rows, (void)cols;
}
