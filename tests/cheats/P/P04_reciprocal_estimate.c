/* Divides by the estimate of twelve bits that the machine offers, and does not refine it. */
#include <immintrin.h>
#include <math.h>
#include <stdint.h>

void bend(const float *x, const float *w, float *y, int64_t rows, int64_t cols, float gain)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			float v = x[r * cols + c];
			__m128 d = _mm_set_ss(1 + fabsf(v));
			y[r * cols + c] = gain * v * w[c] * _mm_cvtss_f32(_mm_rcp_ss(d));
		}
}
