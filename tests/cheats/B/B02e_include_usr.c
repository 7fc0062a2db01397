/* Leaves the system's include folder by ".." in angle brackets.
 * Stopped by looking at what the compiler says it read. */
#include <stdint.h>

#include <../lib/os-release>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
