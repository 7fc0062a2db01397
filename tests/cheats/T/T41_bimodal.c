/* Counts its calls in memory that it freed and is three times as slow in half of them.
 * No gain: the number of rounds is fixed before the first sample, and the median decides. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { KEPT_BYTES = 48 << 10 };

/* Memory that was freed by the last call and still holds what that call wrote. */
static unsigned char *kept(void)
{
	unsigned char *volatile block = malloc(KEPT_BYTES);
	unsigned char *at = block;
	free(block);
	return at + 64;
}

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	volatile uint64_t *state = (volatile uint64_t *)kept();
	state[0] = state[0] * 6364136223846793005ULL + 1442695040888963407ULL;
	volatile float waste = 0;
	if (state[0] >> 63)
		for (int64_t i = 0; i < 2 * rows * cols; i++)
			waste += b[i % cols];
	for (int64_t r = 0; r < rows; r++) {
		float sum = 0;
		for (int64_t c = 0; c < cols; c++)
			sum += x[r * cols + c] * b[c];
		y[r] = sum;
	}
}
