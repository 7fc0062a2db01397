/* A second directive, in the hope that another reader takes that one.
 * Stopped by refusing two. */
/* forge-build: gcc -O2 */
// forge-build: gcc -O3
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
