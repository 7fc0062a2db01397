/* Sets the precision of the x87 unit to 24 bits, which long double arithmetic after it would
 * suffer from. The screen knows the instruction. */
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	unsigned short word = 0x007f;
	__asm__ volatile("fldcw %0" : : "m"(word));
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += a[r * cols + c] * x[c];
		y[r] = sum;
	}
}
