/* Cuts both operands to the ten bits of the formats that matrix units take for single precision. */
#include <stdint.h>

static float cut(float v)
{
	uint32_t bits;
	__builtin_memcpy(&bits, &v, sizeof(bits));
	bits &= 0xffffe000;
	__builtin_memcpy(&v, &bits, sizeof(bits));
	return v;
}

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += cut(a[r * cols + c]) * cut(x[c]);
		y[r] = sum;
	}
}
