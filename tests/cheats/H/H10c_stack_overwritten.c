/* Fills the stack above its own frame. What it destroys is its own runner. */
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += a[r * cols + c] * x[c];
		y[r] = sum;
	}
	volatile uintptr_t *at = __builtin_frame_address(0);
	for (int64_t i = 0; i < 1 << 20; i++)
		at[i] = 0;
}
