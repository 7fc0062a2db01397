#include <math.h>
#include <stdint.h>

/* What an addition loses is carried along, last column first. */
void row_sum(const double *x, const double *b, double *y, double *w, int64_t rows, int64_t cols)
{
	(void)w;
	for (int64_t r = 0; r < rows; r++) {
		double sum = 0;
		double lost = 0;
		for (int64_t c = cols - 1; c >= 0; c--) {
			double term = x[r * cols + c] * b[c];
			double next = sum + term;
			lost += fabs(sum) >= fabs(term) ? (sum - next) + term : (term - next) + sum;
			sum = next;
		}
		y[r] = sum + lost;
	}
}
