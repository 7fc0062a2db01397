/* Computes into a scratch buffer and returns what a library computes.
 * Stopped by the import list. */
#include <stdint.h>
#include <stdlib.h>

void cblas_sgemv(int order, int trans, int m, int n, float alpha, const float *a, int lda, const float *x, int incx, float beta, float *y, int incy);

static void right(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
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
	float *volatile scratch = malloc((size_t)rows * sizeof(float));
	right(x, b, scratch, rows, cols);
	free(scratch);
	cblas_sgemv(101, 111, (int)rows, (int)cols, 1, x, (int)cols, b, 1, 0, y, 1);
}
