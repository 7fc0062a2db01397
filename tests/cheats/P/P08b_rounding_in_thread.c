/* Rounds towards zero while it computes, which errs to one side, and puts the mode back. */
#include <immintrin.h>
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	unsigned before = _mm_getcsr();
	_mm_setcsr(before | 0x6000);
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += a[r * cols + c] * x[c];
		y[r] = sum;
	}
	_mm_setcsr(before);
}
