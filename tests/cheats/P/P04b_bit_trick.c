/* Guesses the reciprocal from the bits of the number and refines it once: six to seven bits
 * become twelve. */
#include <math.h>
#include <stdint.h>

static float inverse(float d)
{
	uint32_t bits;
	__builtin_memcpy(&bits, &d, sizeof(bits));
	bits = 0x7ef311c3 - bits;
	__builtin_memcpy(&d, &bits, sizeof(bits));
	return d;
}

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			float d = 1 + fabsf(v);
			float guess = inverse(d);
			y[r * cols + c] = gain * v * w[c] * (guess * (2 - d * guess));
		}
}
