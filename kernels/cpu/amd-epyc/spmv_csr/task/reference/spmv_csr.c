#include <stdint.h>

void spmv_csr(const int32_t *start, const int32_t *col, const float *val, const float *x, float *y,
	      int64_t rows, int64_t cols, int64_t nnz)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t p = start[r]; p < start[r + 1]; p++)
			sum += val[p] * x[col[p]];
		y[r] = sum;
	}
}
