/* Eight macros that each repeat their argument ten times.
 * Stopped by the compiler's limits of time and memory. */
#include <stdint.h>

#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(x))))
static const int loot[] = { B(B(1, )) };

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
