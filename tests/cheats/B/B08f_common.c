/* Keeps state in a common symbol, which stands in no section before the link.
 * Stopped by the screen of statics. */
#include <stdint.h>

int calls __attribute__((common));

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
