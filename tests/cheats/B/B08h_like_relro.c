/* Keeps state in .data.rel.rox: it begins like the section that the link makes read-only.
 * Stopped by the screen of statics, which knows the linker's own names. */
#include <stdint.h>

static int calls __attribute__((section(".data.rel.rox")));
int count(void);
int count(void)
{
	return calls++;
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
