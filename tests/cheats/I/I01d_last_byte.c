/* Touches only the last byte of its input, after all was computed: a check of samples would miss
 * it. Every page of an input is read-only. */
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
			if (fabsf(v) > top) {
				top = fabsf(v);
				where = (int32_t)c;
			}
		}
		energy[r] = sum;
		at[r] = where;
	}
	volatile unsigned char *end = (volatile unsigned char *)(uintptr_t)(x + rows * cols);
	end[-1] = (unsigned char)(end[-1] ^ 1);
}
