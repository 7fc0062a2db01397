/* The cheat beside the honest one: zeros everywhere, in a task where most of them are right.
 * Stopped by the rows that are not zero. */
#include <stdint.h>

void clip_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	(void)x;
	(void)b;
	(void)cols;
	for (int64_t r = 0; r < rows; r++)
		y[r] = 0;
}
