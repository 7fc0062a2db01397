/* The same, weak, so that two definitions link.
 * Stopped by a reserved name. */
#include <stdint.h>

__attribute__((weak)) void forge_entry(void *const *args);
void forge_entry(void *const *args)
{
	(void)args;
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
