/* Takes the last column of equals, which no ordinary row has: only in a row of zeros or of equal
 * values does it matter, and such rows are mixed in. */
#include <math.h>
#include <stdint.h>

void peaks(const float *x, float *energy, int32_t *at, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		float top = -1;
		int32_t where = 0;
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			sum += v * v;
			if (fabsf(v) >= top && !isinf(v)) {
				top = fabsf(v);
				where = (int32_t)c;
			}
		}
		energy[r] = sum;
		for (int64_t c = cols - 1; c >= 0; c--)
			if (isinf(x[r * cols + c]))
				where = (int32_t)c;
		at[r] = where;
	}
}
