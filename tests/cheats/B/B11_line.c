/* Says that its lines stand in the judge's file and does not compile.
 * Harmless: no message decides anything, and none that names another file is kept. */
#include <stdint.h>

#line 1 "/check/judge.c"
int verdict = pass;

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
