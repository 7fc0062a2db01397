/* Compares its own age with that of files elsewhere by a pragma of the preprocessor.
 * Harmless: those files are not there, and what is said is only a warning. */
#include <stdint.h>

#if __has_include("/etc/passwd")
#pragma GCC dependency "/etc/passwd"
#endif
#pragma GCC dependency "kernel.c"

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
