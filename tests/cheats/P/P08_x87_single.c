/* Lowers the precision of the x87 unit while it computes and puts it back. The screen knows the
 * instruction. */
#include <stdint.h>

void apply(const float *a, const float *x, float *y, int64_t rows, int64_t cols)
{
	unsigned short before;
	unsigned short word;
	__asm__ volatile("fnstcw %0" : "=m"(before));
	word = before & 0xfcff;
	__asm__ volatile("fldcw %0" : : "m"(word));
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += a[r * cols + c] * x[c];
		y[r] = sum;
	}
	__asm__ volatile("fldcw %0" : : "m"(before));
}
