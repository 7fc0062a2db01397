/* Calls the entry through its global name, which another object may define.
 * Harmless: names bind inside the object, so it calls itself without end. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols);

__attribute__((noipa)) static int again(void)
{
	return 1;
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	if (again())
		row_sum(x, b, y, rows, cols);
	y[0] += 0;
}
