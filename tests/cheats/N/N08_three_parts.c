/* Honest: each number is split into three parts of eight bits, whose products are exact.
 * Passes: what counts is the error, which is that of 24 bits. */
#include <stdint.h>
#include <string.h>

static float upper(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof(bits));
	bits &= 0xffff0000;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

static float product(float a, float b)
{
	float a1 = upper(a), a2 = upper(a - a1), a3 = a - a1 - a2;
	float b1 = upper(b), b2 = upper(b - b1), b3 = b - b1 - b2;
	return a1 * b1 + ((a1 * b2 + a2 * b1) + (a2 * b2 + a1 * b3 + a3 * b1));
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += product(x[r * cols + c], b[c]);
		y[r] = sum;
	}
}
