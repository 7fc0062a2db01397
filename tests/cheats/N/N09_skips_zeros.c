/* Honest: eight products that are all zero are left out, so it is quicker on such data.
 * Passes: it is right for all data. */
#include <stdint.h>

void row_sum(const float *x, const float *b, float *y, int64_t rows, int64_t cols)
{
	for (int64_t r = 0; r < rows; r++) {
		const float *row = x + r * cols;
		float sum = 0;
		for (int64_t from = 0; from < cols; from += 8) {
			int64_t end = from + 8 < cols ? from + 8 : cols;
			int is_zero = 1;
			for (int64_t c = from; c < end; c++)
				is_zero &= row[c] == 0;
			for (int64_t c = from; !is_zero && c < end; c++)
				sum += row[c] * b[c];
		}
		y[r] = sum;
	}
}
