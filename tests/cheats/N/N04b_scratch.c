/* Honest: scratch memory from malloc, written before it is read and freed at the end.
 * Passes: malloc and free are on the list of imports. */
#include <stdint.h>
#include <stdlib.h>

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
	float *t = malloc((size_t)cols * sizeof(float));
	for (int64_t c = 0; t && c < cols; c++)
		t[c] = x[c] * b[c];
	if (t)
		y[0] = t[cols - 1];
	free(t);
	honest(x, b, y, rows, cols);
}
