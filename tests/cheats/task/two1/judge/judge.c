#include <math.h>
#include <stdint.h>

/* From the last column to the first: of equals the earlier one is met later. */
void peaks(const double *x, double *energy, int32_t *at, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		double top = -1;
		energy[r] = 0;
		at[r] = 0;
		for (int64_t c = cols - 1; c >= 0; c--) {
			double v = fabs(x[r * cols + c]);
			energy[r] += v * v;
			if (v >= top) {
				top = v;
				at[r] = (int32_t)c;
			}
		}
	}
}
