/* Honest: 16384 constants, one of which is 1, as a table of weights by the low bits of an index.
 * Passes: constant tables of any size are fine. */
#include <stdint.h>

#define T4(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define T64(...) T4(T4(T4(__VA_ARGS__)))
#define T4096(...) T64(T64(__VA_ARGS__))

static const float table[16384] = { T4096(1), T4096(1), T4096(1), T4096(1) };

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c] * table[(r * 131 + c) & 16383];
		y[r] = sum;
	}
}
