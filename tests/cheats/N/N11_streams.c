/* Honest: results are stored past the caches, inputs are fetched ahead (beyond the end too, where
 * a prefetch does nothing).
 * Passes: the runner waits for such stores before it answers. */
#include <stdint.h>
#include <immintrin.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		const float *row = x + r * cols;
		float sum = 0;
		for (int64_t c = 0; c < cols; c++) {
			_mm_prefetch((const char *)(row + c + 4096), _MM_HINT_T0);
			sum += row[c] * b[c];
		}
		int bits;
		__builtin_memcpy(&bits, &sum, sizeof(bits));
		_mm_stream_si32((int *)(y + r), bits);
	}
	_mm_sfence();
}
