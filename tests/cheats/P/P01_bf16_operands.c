/* Rounds both operands to bf16 before it multiplies. The tolerance comes from the error of an f32
 * reference against a double-precision judge. */
#include <stdint.h>

static float narrow(float v)
{
	uint32_t bits;
	__builtin_memcpy(&bits, &v, sizeof(bits));
	bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
	__builtin_memcpy(&v, &bits, sizeof(bits));
	return v;
}

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += narrow(a[r * cols + c]) * narrow(x[c]);
		y[r] = sum;
	}
}
