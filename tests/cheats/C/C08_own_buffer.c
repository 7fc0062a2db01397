/* Writes the answer to a buffer of its own and leaves the destination as it was.
 * Stopped by poison in the destination. */
#include <stdint.h>
#include <stdlib.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	float *volatile own = malloc((size_t)rows * sizeof(float));
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		own[r] = sum;
	}
	free(own);
	(void)y;
}
