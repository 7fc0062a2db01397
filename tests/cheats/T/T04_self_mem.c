/* Opens /proc/self/mem and writes over the caller's memory.
 * Stopped by the import list; there is no /proc in the jail either. */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int open(const char *path, int flags, ...);
ssize_t pwrite(int fd, const void *buf, size_t len, off_t at);

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	int fd = open("/proc/self/mem", 2);
	pwrite(fd, y, 8, (off_t)(uintptr_t)__builtin_return_address(0));
}
