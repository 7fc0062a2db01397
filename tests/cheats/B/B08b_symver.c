/* Asks for an old version of a function of the C library.
 * Stopped by the screen of symbols. */
#include <stdint.h>

__asm__(".symver old,memcpy@GLIBC_2.2.5");
void *old(void *, const void *, unsigned long);
void use(void *a, void *b);
void use(void *a, void *b)
{
	old(a, b, 8);
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
