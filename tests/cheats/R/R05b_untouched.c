/* Hopes that the reference ran before and left its answer there.
 * Stopped by poison in the destination. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	(void)x, (void)b, (void)y, (void)rows, (void)cols;
}
