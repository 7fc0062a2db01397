/* Work done at load time is in nobody's window.
 * Stopped by the screen of load-time code. */
#include <stddef.h>
#include <stdint.h>

static float table[64];

__attribute__((constructor)) static void fill(void)
{
	for (int i = 0; i < 64; i++)
		table[i] = (float)i;
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
	y[0] += 0 * table[(size_t)rows % 64];
}
