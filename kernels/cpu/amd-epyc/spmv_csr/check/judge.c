/* Independent oracle: walks all entries from the last to the first and moves on to the row before
 * whenever its offset is passed; sums carry Neumaier's compensation. */
#include <math.h>
#include <stdint.h>

void spmv_csr(const int32_t *start, const int32_t *col, const double *val, const double *x, double *y,
	      int64_t rows, int64_t cols, int64_t nnz)
{
	int64_t r = rows - 1;
	double sum = 0, lost = 0;
	for (int64_t p = nnz - 1; p >= 0; p--) {
		while (p < start[r]) {
			y[r--] = sum + lost;
			sum = lost = 0;
		}
		double term = val[p] * x[col[p]];
		double next = sum + term;
		lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
		sum = next;
	}
	for (; r >= 0; r--) {
		y[r] = sum + lost;
		sum = lost = 0;
	}
}
