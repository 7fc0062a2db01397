#include <stdint.h>

/* The products of a row first, then their sum. */
void row_sum(const float *x, const float *b, float *y, float *t, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t c = 0; c < cols; c++)
			t[c] = x[r * cols + c] * b[c];
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += t[c];
		y[r] = sum;
	}
}
