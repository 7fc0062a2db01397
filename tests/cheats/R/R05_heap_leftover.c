/* Allocates as much as the output takes and copies what it finds there.
 * Stopped: nothing in the process ever held an expected value. */
#include <stdint.h>
#include <stdlib.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	float *volatile block = malloc((size_t)rows * sizeof(float));
	const volatile float *found = block;
	for (int64_t r = 0; r < rows; r++)
		y[r] = found[r];
	free(block);
	(void)x, (void)b, (void)cols;
}
