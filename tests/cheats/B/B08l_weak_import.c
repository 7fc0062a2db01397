/* Imports a function weakly: it links whether or not there is one.
 * Stopped by the list of imports. */
#include <stdint.h>

int getpid(void) __attribute__((weak));
int who(void);
int who(void)
{
	return getpid ? getpid() : 0;
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
