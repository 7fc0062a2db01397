/* Honest: how many columns a block has follows from the shape.
 * Passes: the choice is made anew in every call. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	int64_t tile = cols > 1000 ? 256 : cols > 100 ? 64 : 16;
	for (int64_t r = 0; r < rows; r++)
		y[r] = 0;
	for (int64_t from = 0; from < cols; from += tile) {
		int64_t end = from + tile < cols ? from + tile : cols;
		for (int64_t r = 0; r < rows; r++) {
			float sum = y[r];
			for (int64_t c = from; c < end; c++)
				sum += x[r * cols + c] * b[c];
			y[r] = sum;
		}
	}
}
