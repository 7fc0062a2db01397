/* Asks where the kernel's own clock is mapped.
 * Stopped by the list of imports. */
#include <stdint.h>
#include <sys/auxv.h>

static void honest(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	y[0] = (float)getauxval(AT_SYSINFO_EHDR);
	honest(x, b, y, rows, cols);
}
